"""Which way numbers run: named, said or asked. The battery has files of both directions."""

import pytest

from peerage import AmbiguousReadingError, read
from peerage.feedback.choices import Direction
from peerage.reading.vocabulary import hint_in_name


def asked(text, **options):
    """The directions and the values for "not reviewed" that are offered."""
    with pytest.raises(AmbiguousReadingError) as caught:
        read(text, **options)
    return [(offered.reading.direction, offered.reading.empty) for offered in caught.value.readings]


def test_the_decision_says_what_and_why():
    ranks = read(b"grader,item,rank\na,x,1\na,y,2\n").direction

    assert ranks == Direction("ranks", "low", "'rank' is the name of ranks", "names")
    assert ranks.text == "1 is read as best: 'rank' is the name of ranks"
    said = read(b"grader,item,score\na,x,1\na,y,2\n", direction="scores").direction
    assert said.text == "larger numbers are read as better: you said so"


BEST = {
    "Placement (1 = best)": "low",
    "Rating (1 = poor, 5 = excellent)": "high",
    "Rank the posters from worst to best": "high",
    "Ranking, worst first": "high",
    "best first": "low",
    "Note (1 = sehr gut)": "low",
    "vom schlechtesten zum besten": "high",
    "du meilleur au pire": "low",
    "de peor a mejor": "high",
    "Score (1 = best, 5 = best)": None,
    "Score": None,
}
RANGES = {"Points (0-10)": (0, 10), "out of 20": (0, 20), "Mark / 5": (0, 5), "score": None}


def test_what_a_name_writes_out():
    assert {name: hint_in_name(name).best for name in BEST} == BEST
    assert {name: hint_in_name(name).range for name in RANGES} == RANGES


def test_a_contradiction_names_the_column_and_both_ways_out():
    text = b"grader,item,score\na,x,1\na,y,2\na,z,3\nb,x,2\nb,y,1\nb,z,3\n"
    with pytest.raises(AmbiguousReadingError) as caught:
        read(text)

    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (1, "score")
    assert "count from 1 to the number of items, as ranks do" in problem.rule
    assert asked(text) == [("ranks", ()), ("scores", ())]
    first, second = (list(offered.feedback.orders()) for offered in caught.value.readings)
    assert first == [(grader, buckets[::-1]) for grader, buckets in second]


def test_grades_of_one_to_six_are_asked_about():
    grades = b"Bewerter;Arbeit;Note\na;x;1,3\na;y;2,0\nb;x;1,7\nb;y;2,3\n"

    assert asked(grades) == [("lower-is-better", ()), ("scores", ())]
    assert read(b"Evaluateur;Copie;Note\na;x;12\na;y;17\n").direction.best == "high"


def test_values_that_may_stand_for_no_review_are_asked_about():
    zero = asked(b"grader,item,score\na,x,7\na,y,0\na,z,9\na,u,8\na,v,6\n")

    assert zero == [("scores", ("none",)), ("scores", ("0",))]
    assert asked(b"grader,item,score\na,x,7\na,y,99\na,z,9\n") == [("scores", ("99",)), ("scores", ("none",))]
    assert asked(b"grader,item,score (0-10)\na,x,7\na,y,-1\na,z,0\n")[0] == ("scores", ("-1",))
    for declared in (b"score (0-10)", b"score out of 10"):
        assert read(b"grader,item,%s\na,x,7\na,y,0\na,z,10\n" % declared).n_entries == 3


def test_ranks_that_count_from_zero_can_be_meant():
    text = b"grader,item,rank\na,x,0\na,y,1\na,z,2\nb,x,1\nb,y,0\nb,z,2\n"

    assert asked(text) == [("ranks", ("0",)), ("lower-is-better", ("none",))]


def test_with_ranks_and_scores_the_direction_says_which_counts():
    text = b"grader,item,rank,score\na,x,1,3\na,y,2,9\n"

    by_scores = read(text, direction="scores")

    assert list(by_scores.orders()) == [("a", [["y"], ["x"]])]
    assert by_scores.notes[-1] == "'rank' left aside, as the direction says"


def test_ranks_against_scores_are_asked_about():
    """One of the two runs the other way: whichever it is, grading both together grades upside down."""
    lists = "".join(
        f"{grader},{item},{rank},{4 + rank}\n" for grader in "abc" for rank, item in enumerate("xyz", 1)
    )
    text = f"grader,item,rank,score\n{lists}d,x,1,9\nd,y,2,7\n".encode()
    message = "'rank' and 'score' contradict each other in 3 of 4 lists"

    with pytest.raises(AmbiguousReadingError, match=message) as caught:
        read(text)

    by_ranks, by_scores = (read(text, reading=offer.reading) for offer in caught.value.readings)
    assert (next(iter(by_ranks.orders())), by_ranks.scores) == (("a", [["x"], ["y"], ["z"]]), None)
    assert next(iter(by_scores.orders())) == ("a", [["z"], ["y"], ["x"]])


@pytest.mark.parametrize(("direction", "order"), [("lower-is-better", "yxz"), ("worst-first", "zxy")])
def test_an_order_keeps_no_scores(direction, order):
    text = b"grader,item,grade\na,x,2\na,y,1\na,z,3.5\n"

    feedback = read(text, direction=direction)

    assert (list(feedback.orders()), feedback.scores) == ([("a", [[item] for item in order])], None)


def test_repeated_reviews_do_not_hide_that_these_are_ranks():
    text = b"grader,item,score\na,x,1\na,y,2\na,z,3\na,z,3\nb,x,3\nb,y,1\nb,z,2\n"

    assert asked(text, duplicates="mean") == [("ranks", ()), ("scores", ())]
