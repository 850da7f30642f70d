"""What people write where a number belongs."""

import pytest

from peerage import DataError, Feedback, read


def rows(column: str, *cells: str) -> bytes:
    lines = [f"a;{item};{cell}" for item, cell in zip("pqrs", cells, strict=False)]
    return "\n".join([f"grader;item;{column}", *lines]).encode()


def order(feedback: Feedback) -> list[list[str]]:
    return next(iter(feedback.orders()))[1]


RANKS = [
    ("1st", "2nd", "3rd"),
    ("1", "2=", "2="),
    ("1", "=2", "=2"),
    ("1", "T2", "T2"),
    ("1", "t-2", "T-2"),
    ("#1", "#2", "#3"),
    ("1.", "2.", "3."),
    ("1", "2 (tie)", "2 (tied)"),
    ("1st place", "2nd place", "3rd place"),
]


@pytest.mark.parametrize("column", ["rank", "Result (place)"])
def test_places(column):
    for cells in RANKS:
        expected = [["p"], ["q", "r"]] if "2" in cells[2] else [["p"], ["q"], ["r"]]
        assert (cells, order(read(rows(column, *cells), rank=column))) == (cells, expected)


def test_places_in_a_column_called_score_are_places():
    feedback = read(rows("score", "1st", "2nd", "3rd"))

    assert order(feedback) == [["p"], ["q"], ["r"]]
    assert feedback.direction.text == "1 is read as best: '1st' says so"


SCORES = [
    (("8/10", "7.5/10", "9 / 10"), [9, 8, 7.5]),
    (("8 out of 10", "7 out of 10", "9 out of 10"), [9, 8, 7]),
    (("8/10", "7", "9"), [9, 8, 7]),
    (("4/5", "15/20", "9/10"), [90, 80, 75]),
    (("85%", "70 %", "90%"), [90, 85, 70]),
    (("7,5", "7", "9,25"), [9.25, 7.5, 7]),
    (("8 points", "7 pts", "9 points"), [9, 8, 7]),
    (("4 stars", "3 stars", "5 stars"), [5, 4, 3]),
    (("7½", "7", "9¼"), [9.25, 7.5, 7]),
    ((" 8 ", "7", "9"), [9, 8, 7]),
]


def test_scores():
    for cells, scores in SCORES:
        feedback = read(rows("score", *cells))

        assert (cells, feedback.scores.tolist()) == (cells, scores)
        assert order(feedback) == [["r"], ["p"], ["q"]]


def test_letters_have_their_own_order():
    feedback = read(rows("grade", "B+", "A-", "F", "b"))

    assert order(feedback) == [["q"], ["p"], ["s"], ["r"]]
    assert feedback.scores is None
    why = "'B+' is a letter grade, and A is best"
    assert feedback.direction.text == f"marks are read in their order, the best first: {why}"


def test_words_of_a_scale_that_was_given():
    told = {"score": "How good?", "words": "excellent,good,poor"}

    feedback = read(rows("How good?", "good", "Excellent", "poor"), **told)

    assert order(feedback) == [["q"], ["p"], ["r"]]
    assert feedback.direction.by == "you"
    for words in ("good", "good,Good"):
        with pytest.raises(DataError, match="is no scale"):
            read(rows("score", "good", "bad"), words=words)


def test_rows_that_say_there_was_no_review_are_left_out():
    for cell in ("-", "–", "n/a", "not reviewed", "Not graded", "no review", "excused"):
        feedback = read(rows("score", "8", cell, "9"))

        assert order(feedback) == [["r"], ["p"]]
        assert feedback.notes == (f"1 row left out that says {cell!r} or the like: line 3",)


REFUSED = [
    ("score", ("85%", "7"), "'85%' stands in one column with '7'"),
    ("grade", ("B+", "7"), "'B\\+' stands in one column with '7'"),
    ("score", ("8/10", "85%"), "stands in one column with"),
    ("score", ("8/10", "85"), "'8/10' stands in one column with '85'"),
    ("score", ("7,500", "8,250"), "may be a thousand or a fraction"),
    ("score", ("12/10", "9/10"), "is more than there is"),
    ("score", ("08-Oct", "9"), "looks like a date; spreadsheets make dates of 8/10"),
    ("score", ("2026-10-08 00:00:00", "9"), "looks like a date"),
    ("score", ("7-8", "9"), "is a range, and one number is needed"),
    ("rank", ("best", "2"), "write 1 for the best, 2 for the next, …"),
    ("score", ("blue", "green"), r"or the order of such words, best first, with words"),
    ("score", ("good", "bad"), "line 2, column 'score': the words good, bad may be a scale"),
]


@pytest.mark.parametrize(("column", "cells", "message"), REFUSED, ids=lambda value: str(value)[:30])
def test_what_has_no_one_meaning_is_refused_with_advice(column, cells, message):
    with pytest.raises(DataError, match=message):
        read(rows(column, *cells))
