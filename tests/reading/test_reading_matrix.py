"""Wide rank matrices."""

from __future__ import annotations

import pytest

from peerage import DataError, read


def test_zero_empty_and_na_are_not_ranked():
    feedback = read(b"assessor,P1,P2,P3\nA,1,2,3\nB,2,0,1\nC,,NA,1\n", direction="ranks")

    assert list(feedback.orders()) == [
        ("A", [["P1"], ["P2"], ["P3"]]),
        ("B", [["P3"], ["P1"]]),
        ("C", [["P3"]]),
    ]


def test_equal_ranks_are_ties():
    assert list(read(b"assessor,x,y,z\nA,1,1,3\n", direction="ranks").orders()) == [
        ("A", [["x", "y"], ["z"]])
    ]


def test_row_names_without_a_header_are_graders():
    assert read(b'"","x","y"\n"A",1,2\n"B",2,1\n', direction="ranks").grader_labels.to_list() == ["A", "B"]


def test_rows_without_graders_are_numbered_when_asked_for():
    feedback = read(b"x,y,z\n1,2,3\n3,2,1\n", "matrix", direction="ranks")

    assert feedback.grader_labels.to_list() == ["1", "2"]
    assert feedback.notes == ("no grader column: each of the 2 rows counts as a grader of its own",)


def test_several_rows_of_a_grader_are_several_lists():
    assert read(b"rater,x,y\nA,1,2\nA,2,1\n", direction="ranks").n_lists == 2


def test_ids_beyond_the_number_of_columns_are_not_taken_for_ranks():
    with pytest.raises(DataError, match="no column for the item found"):
        read(b"reviewer,thing,how\nada,1523,5\n")


def test_a_row_of_zeros_ranks_nothing():
    assert read(b"rater,x,y\nA,0,0\nB,2,1\n", direction="ranks").grader_labels.to_list() == ["B"]
