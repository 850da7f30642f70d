"""Wide rank matrices."""

from __future__ import annotations

import pytest

from peerage import DataError, read


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        (
            b"assessor,P1,P2,P3\nA,1,2,3\nB,2,0,1\nC,,NA,1\n",  # zero, empty and NA are not ranked
            [("A", [["P1"], ["P2"], ["P3"]]), ("B", [["P3"], ["P1"]]), ("C", [["P3"]])],
        ),
        (b"assessor,x,y,z\nA,1,1,3\n", [("A", [["x", "y"], ["z"]])]),
        (b'"","x","y"\n"A",1,2\n"B",2,1\n', [("A", [["x"], ["y"]]), ("B", [["y"], ["x"]])]),
        (b"rater,x,y\nA,1,2\nA,2,1\n", [("A", [["x"], ["y"]]), ("A", [["y"], ["x"]])]),
        (b"rater,x,y\nA,0,0\nB,2,1\n", [("B", [["y"], ["x"]])]),
    ],
    ids=["not ranked", "ties", "row names without a header", "two rows of a grader", "a row of zeros"],
)
def test_ranks(text, orders):
    feedback = read(text, direction="ranks")

    assert list(feedback.orders()) == orders
    assert feedback.n_graders == len({grader for grader, _ in orders})


def test_rows_without_graders_are_numbered_when_asked_for():
    feedback = read(b"x,y,z\n1,2,3\n3,2,1\n", "matrix", direction="ranks")

    assert feedback.grader_labels.to_list() == ["1", "2"]
    assert feedback.notes == ("no grader column: each of the 2 rows counts as a grader of its own",)


def test_ids_beyond_the_number_of_columns_are_not_taken_for_ranks():
    with pytest.raises(DataError, match="no column for the item found"):
        read(b"reviewer,thing,how\nada,1523,5\n")
