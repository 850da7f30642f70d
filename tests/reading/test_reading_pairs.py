"""Tables of comparisons."""

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
        ("judge,left,right,winner\nj, a,b ,b\nj,a ,c, a \n", [("j", [["b"], ["a"]]), ("j", [["a"], ["c"]])]),
    ],
    ids=["label of Crowd-Kit", "blanks"],
)
def test_who_won(text, expected):
    assert orders(text) == expected


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
