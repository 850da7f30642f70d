"""Tables of comparisons."""

from __future__ import annotations

import pytest

from peerage import read
from peerage.errors import DataError


def orders(text: str, **options):
    return list(read(text.encode(), **options).orders())


def test_crowd_kit_names_the_winner_as_label():
    text = "worker,left,right,label\nw1,a,b,b\nw1,b,c,b\nw2,a,c,a\n"

    assert orders(text) == [("w1", [["b"], ["a"]]), ("w1", [["b"], ["c"]]), ("w2", [["a"], ["c"]])]


@pytest.mark.parametrize(
    ("winner", "order"),
    [
        ("left", [["a"], ["b"]]),
        ("RIGHT", [["b"], ["a"]]),
        ("tie", [["a", "b"]]),
        ("model_a", [["a"], ["b"]]),
        ("model_b", [["b"], ["a"]]),
        ("tie (bothbad)", [["a", "b"]]),
        ("2", [["b"], ["a"]]),
    ],
)
def test_sides_and_ties(winner, order):
    assert orders(f"judge,left,right,winner\nj,a,b,{winner}\n") == [("j", order)]


def test_arena_tables_have_a_grader_per_row():
    feedback = read(b"model_a,model_b,winner\nx,y,model_b\nx,z,tie\n")

    assert feedback.grader_labels.to_list() == ["1", "2"]
    assert feedback.notes == ("no grader column: each of the 2 comparisons counts as a grader of its own",)


def test_items_called_1_and_2_are_names_before_sides():
    assert orders("judge,left,right,winner\nj,2,1,1\nj,1,3,3\n") == [
        ("j", [["1"], ["2"]]),
        ("j", [["3"], ["1"]]),
    ]


def test_bottom_and_top():
    assert orders("assessor,bottom_item,top_item\n1,a,b\n") == [("1", [["b"], ["a"]])]


def test_winner_and_loser():
    assert orders("winner,loser\nx,y\n") == [("1", [["x"], ["y"]])]


def test_columns_can_be_given():
    text = "who,one,two,best\nj,a,b,a\n"

    assert orders(text, format="pairs", grader="who", left="one", right="two", winner="best") == [
        ("j", [["a"], ["b"]])
    ]


def test_missing_winners_can_be_left_out():
    feedback = read(b"judge,left,right,winner\nj,a,b,a\nj,a,b,\nj,b,c,c\n", missing="drop")

    assert feedback.n_lists == 2
    assert feedback.notes == ("1 comparison without a winner left out: line 3",)


def test_items_of_rows_that_are_left_out_are_not_there():
    feedback = read(b"judge,left,right,winner\nj,a,b,a\nk,zz,b,\nj, b ,c,c\n", missing="drop")

    assert feedback.item_labels.to_list() == ["a", "b", "c"]
    assert list(feedback.orders()) == [("j", [["a"], ["b"]]), ("j", [["c"], ["b"]])]


def test_blanks_around_names_do_not_count():
    assert orders("judge,left,right,winner\nj, a,b ,b\nj,a ,c, a \n") == [
        ("j", [["b"], ["a"]]),
        ("j", [["a"], ["c"]]),
    ]


@pytest.mark.parametrize("filled", [3, 20_000])  # few rows are numbered by another route
def test_columns_without_any_item_are_refused(filled):
    rows = "j,,,left\n" * filled

    with pytest.raises(DataError, match="item"):
        read(f"judge,left,right,winner\n{rows}".encode())


def test_an_empty_winner_of_an_empty_item_is_an_empty_winner():
    with pytest.raises(DataError, match="the winner is empty"):
        read(b"judge,left,right,winner\nj,a,b,a\nj,,b,\n")


def test_tasks_and_weights():
    feedback = read(b"task,judge,left,right,winner,weight\nt,j,a,b,a,2\nu,j,a,b,b,1\n")

    assert feedback.n_tasks == 2
    assert feedback.list_weights.tolist() == [2.0, 1.0]
