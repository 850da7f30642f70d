"""Tables of comparisons."""

from __future__ import annotations

import pytest

from peerage import read
from peerage.errors import DataError

LINE = "j,,,left\n"


def orders(text: str, **options):
    return list(read(text.encode(), **options).orders())


def test_sides_and_ties():
    won = {
        "left": "a",
        "RIGHT": "b",
        "tie": "",
        "model_a": "a",
        "model_b": "b",
        "tie (bothbad)": "",
    }

    found = {winner: orders(f"judge,left,right,winner\nj,a,b,{winner}\n") for winner in won}

    order = {"a": [["a"], ["b"]], "b": [["b"], ["a"]], "": [["a", "b"]]}
    assert found == {winner: [("j", order[item])] for winner, item in won.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("worker,left,right,label\nw1,a,b,b\nw2,a,c,a\n", [("w1", [["b"], ["a"]]), ("w2", [["a"], ["c"]])]),
        ("judge,left,right,winner\nj,2,1,1\nj,1,3,3\n", [("j", [["1"], ["2"]]), ("j", [["3"], ["1"]])]),
        ("judge,left,right,winner\nj, a,b ,b\nj,a ,c, a \n", [("j", [["b"], ["a"]]), ("j", [["a"], ["c"]])]),
        ("assessor,bottom_item,top_item\n1,a,b\n", [("1", [["b"], ["a"]])]),
        ("winner,loser\nx,y\n", [("1", [["x"], ["y"]])]),
    ],
    ids=["label of Crowd-Kit", "names before sides", "blanks", "bottom and top", "winner and loser"],
)
def test_who_won(text, expected):
    assert orders(text) == expected


def test_arena_tables_have_a_grader_per_row():
    feedback = read(b"model_a,model_b,winner\nx,y,model_b\nx,z,tie\n")

    assert feedback.grader_labels.to_list() == ["1", "2"]
    assert feedback.notes == ("no grader column: each of the 2 comparisons counts as a grader of its own",)


def test_columns_can_be_given():
    named = {"grader": "who", "left": "one", "right": "two", "winner": "best"}

    assert orders("who,one,two,best\nj,a,b,a\n", format="pairs", **named) == [("j", [["a"], ["b"]])]


def test_missing_winners_can_be_left_out_and_their_items_with_them():
    feedback = read(b"judge,left,right,winner\nj,a,b,a\nk,zz,b,\nj, b ,c,c\n", missing="drop")

    assert feedback.item_labels.to_list() == ["a", "b", "c"]
    assert list(feedback.orders()) == [("j", [["a"], ["b"]]), ("j", [["c"], ["b"]])]
    assert feedback.notes == ("1 comparison without a winner left out: line 3",)


def test_columns_without_any_item_and_empty_winners_of_empty_items_are_refused():
    for filled in (3, 20_000):  # few rows are numbered by another route
        with pytest.raises(DataError, match="item"):
            read(f"judge,left,right,winner\n{LINE * filled}".encode())
    with pytest.raises(DataError, match="the winner is empty"):
        read(b"judge,left,right,winner\nj,a,b,a\nj,,b,\n")


def test_tasks_and_weights():
    feedback = read(b"task,judge,left,right,winner,weight\nt,j,a,b,a,2\nu,j,a,b,b,1\n")

    assert feedback.n_tasks == 2
    assert feedback.list_weights.tolist() == [2.0, 1.0]
