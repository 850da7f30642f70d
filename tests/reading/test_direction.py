"""Never upside down: what is better is decided from plain evidence, or asked for."""

from __future__ import annotations

import pytest
from direction_files import FILES, File

from peerage import DataError, DirectionError, Feedback, read
from peerage.feedback.choices import Direction


def best_of(feedback: Feedback) -> str:
    """The item that wins most of its comparisons, by plain counting."""
    wins: dict[str, list[int]] = {item: [] for item in feedback.item_labels}
    for _, buckets in feedback.orders():
        places = [(item, place) for place, bucket in enumerate(buckets) for item in bucket]
        for item, place in places:
            wins[item] += [int(place < other) for name, other in places if name != item and place != other]
    return max(wins, key=lambda item: sum(wins[item]) / max(len(wins[item]), 1))


def read_wrong(file: File) -> str:
    """What came of the file that should not; nothing where it is read the right way round, or asked about."""
    try:
        feedback = read(file.text.encode(), **file.given)
    except DataError as refusal:
        asked = "direction=" in str(refusal) or "zeros=" in str(refusal)
        return "" if file.asks and asked else str(refusal)
    if file.asks:
        return "was not asked about"
    best, said = best_of(feedback), {"direction", "lower_is_better"} & set(file.given)
    if feedback.direction is None or (feedback.direction.by == "you") != bool(said):
        return f"decided by {feedback.direction}"
    good = best in ("P1", "P2") or (feedback.n_graders == 1 and best not in ("P7", "P8"))
    return "" if good else f"{best} on top"


def test_no_file_is_read_upside_down():
    wrong = {file.name: said for file in FILES if (said := read_wrong(file))}

    assert wrong == {}


def test_what_was_asked_can_be_said_either_way():
    alike = []
    for file in FILES:
        if file.asks:
            given = {"zeros": "empty", **file.given}
            down = read(file.text.encode(), **given, lower_is_better=True)
            up = read(file.text.encode(), **given, direction="scores")
            if best_of(down) == best_of(up):
                alike.append(file.name)

    assert alike == []


def test_the_decision_says_what_and_why():
    ranks = read(b"grader,item,rank\na,x,1\na,y,2\n").direction

    assert ranks == Direction("ranks", "low", "'rank' is the name of ranks", "names")
    assert ranks.text == "1 is read as best: 'rank' is the name of ranks"
    said = read(b"grader,item,score\na,x,1\na,y,2\n", direction="scores").direction
    assert said.text == "larger numbers are read as better: you said so"


def test_a_contradiction_names_the_column_and_both_ways_out():
    with pytest.raises(DirectionError) as caught:
        read(b"grader,item,score\na,x,1\na,y,2\na,z,3\nb,x,2\nb,y,1\nb,z,3\n")

    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (1, "score")
    assert "count from 1 to the number of items, as ranks do" in problem.rule
    assert "direction='ranks'" in problem.fix
    assert "direction='scores'" in problem.fix


def test_with_ranks_and_scores_the_direction_says_which_counts():
    text = b"grader,item,rank,score\na,x,1,3\na,y,2,9\n"

    by_scores = read(text, direction="scores")

    assert list(read(text).orders()) == [("a", [["x"], ["y"]])]
    assert list(by_scores.orders()) == [("a", [["y"], ["x"]])]
    assert by_scores.notes[-1] == "'rank' left aside, as the direction says"


def test_zeros_of_a_matrix_of_scores_are_asked_for_unless_empty_cells_tell():
    zeros = b"student,x,y,z\na,60,0,80\nb,90,70,0\n"

    with pytest.raises(DataError, match="2 cells hold 0, which may be a score"):
        read(zeros)
    assert read(zeros, zeros="empty").n_entries == 4
    assert read(zeros, zeros="scores").n_entries == 6
    told = read(b"student,x,y,z\na,60,0,80\nb,90,70,\n")
    assert (told.n_entries, told.notes) == (
        5,
        ("1 zero read as scores, since empty cells say what was not reviewed",),
    )


def test_lower_is_better_keeps_the_order_and_no_scores():
    feedback = read(b"grader,item,grade\na,x,0\na,y,-2\na,z,3.5\n", lower_is_better=True)

    assert (list(feedback.orders()), feedback.scores) == ([("a", [["y"], ["x"], ["z"]])], None)


def test_repeated_reviews_do_not_hide_that_these_are_ranks():
    text = b"grader,item,score\na,x,1\na,y,2\na,z,3\na,z,3\nb,x,3\nb,y,1\nb,z,2\n"

    with pytest.raises(DirectionError):
        read(text, duplicates="mean")


TURNED = b"name,ada,bob,cyd\nP1,1,2,1\nP2,2,1,2\nP3,3,4,3\nP4,4,3,4\n"


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        (b"grader,item,how good\na,x,1\n", {}, "rank=… where 1 is best, with score=… where larger is better"),
        (b'grader,item,"Score (1 = best, 5 = best)"\na,x,1\na,y,2\n', {}, "call both ends best"),
        (b"grader,item,score\na,x,7\n", {"direction": "up"}, "is not known; use one of auto"),
        (b"grader,item,score\na,x,7\n", {"zeros": "none"}, "is not known; use one of auto"),
        (TURNED, {}, "as if graders stood in columns and items in rows"),
    ],
)
def test_what_is_not_plain_is_refused(text, given, message):
    with pytest.raises(DataError, match=message):
        read(text, **given)
