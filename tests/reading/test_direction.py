"""Never upside down: what is better is decided from plain evidence, or asked for."""

from __future__ import annotations

import pytest
from direction_files import FILES, File

from peerage import DataError, DirectionError, Feedback, read
from peerage.feedback import Direction


def best_of(feedback: Feedback) -> str:
    """The item that wins most of its comparisons, by plain counting."""
    wins: dict[str, list[int]] = {item: [] for item in feedback.item_labels}
    for _, buckets in feedback.orders():
        places = [(item, place) for place, bucket in enumerate(buckets) for item in bucket]
        for item, place in places:
            wins[item] += [int(place < other) for name, other in places if name != item and place != other]
    return max(wins, key=lambda item: sum(wins[item]) / max(len(wins[item]), 1))


def test_there_are_enough_files_of_either_direction():
    assert len({file.name for file in FILES}) == len(FILES) >= 60


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_file_is_read_upside_down(file: File):
    given = {"format": "auto", **file.given}
    if file.asks:
        with pytest.raises(DataError, match=r"direction=|zeros="):
            read(file.text.encode(), **given)
        return

    feedback = read(file.text.encode(), **given)

    tops = [name for name in ("P1", "P2") if name in feedback.item_labels]
    assert best_of(feedback) in tops or feedback.n_graders == 1
    assert best_of(feedback) not in ("P7", "P8")
    assert feedback.direction is not None
    said = {"direction", "lower_is_better"} & set(file.given)
    assert (feedback.direction.by == "you") == bool(said)


@pytest.mark.parametrize("file", [file for file in FILES if file.asks], ids=lambda file: file.name)
def test_what_was_asked_can_be_said_either_way(file: File):
    given = {"format": "auto", "zeros": "empty", **file.given}

    down = read(file.text.encode(), **given, lower_is_better=True)
    up = read(file.text.encode(), **given, direction="scores")

    assert best_of(down) != best_of(up)


def test_the_decision_says_what_and_why():
    ranks = read(b"grader,item,rank\na,x,1\na,y,2\n").direction
    said = read(b"grader,item,score\na,x,1\na,y,2\n", direction="scores").direction

    assert ranks == Direction("ranks", "low", "'rank' is the name of ranks", "names")
    assert ranks.text == "1 is read as best: 'rank' is the name of ranks"
    assert said is not None
    assert said.text == "larger numbers are read as better: you said so"


def test_a_contradiction_names_the_column_and_both_ways_out():
    with pytest.raises(DirectionError) as caught:
        read(b"grader,item,score\na,x,1\na,y,2\na,z,3\nb,x,2\nb,y,1\nb,z,3\n")

    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (1, "score")
    assert "count from 1 to the number of items, as ranks do" in problem.rule
    assert "direction='ranks'" in problem.fix
    assert "direction='scores'" in problem.fix


def test_the_advice_for_a_column_of_ranks_does_not_invert():
    with pytest.raises(DataError, match="rank=… where 1 is best, with score=… where larger is better"):
        read(b"grader,item,how good\na,x,1\na,y,2\n")


def test_names_that_call_both_ends_best_are_refused():
    with pytest.raises(DirectionError, match="call both ends best"):
        read(b'grader,item,"Score (1 = best, 5 = best)"\na,x,1\na,y,2\n')


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


@pytest.mark.parametrize("wrong", [{"direction": "up"}, {"zeros": "none"}])
def test_words_that_there_are_not_are_refused(wrong):
    with pytest.raises(DataError, match="is not known; use one of auto"):
        read(b"grader,item,score\na,x,7\na,y,2\n", **wrong)


def test_a_table_with_a_column_per_grader_is_not_read_as_one_with_a_row_per_grader():
    turned = b"name,ada,bob,cyd\nP1,1,2,1\nP2,2,1,2\nP3,3,4,3\nP4,4,3,4\n"

    with pytest.raises(DirectionError, match="as if graders stood in columns and items in rows"):
        read(turned)
