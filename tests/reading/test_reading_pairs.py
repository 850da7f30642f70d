"""Tables of comparisons."""

import pytest

from peerage import read

FIRST, SECOND, TIED = [["a"], ["b"]], [["b"], ["a"]], [["a", "b"]]
NAMED = {"format": "pairs", "grader": "who", "left": "one", "right": "two", "winner": "best"}


def test_sides_and_ties():
    won = {"left": FIRST, "RIGHT": SECOND, "model_a": FIRST, "model_b": SECOND}
    won |= {"tie": TIED, "tie (bothbad)": TIED}

    for winner, order in won.items():
        feedback = read(f"judge,left,right,winner\nj,a,b,{winner}\n".encode())
        assert (winner, *feedback.orders()) == (winner, ("j", order))


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (b"worker,left,right,label\nw1,a,b,b\nw2,a,b,a\n", {}, [("w1", SECOND), ("w2", FIRST)]),
        (b"judge,left,right,winner\nj, a,b ,b\nj,a ,b, a \n", {}, [("j", SECOND), ("j", FIRST)]),
        (b"who,one,two,best\nj,a,b,a\n", NAMED, [("j", FIRST)]),
    ],
    ids=["label of Crowd-Kit", "blanks", "columns that were given"],
)
def test_who_won(text, options, expected):
    assert list(read(text, **options).orders()) == expected


def test_missing_winners_can_be_left_out_and_their_items_with_them():
    feedback = read(b"judge,left,right,winner\nj,a,b,a\nk,zz,b,\nj, b ,c,c\n", missing="drop")

    assert feedback.item_labels.to_list() == ["a", "b", "c"]
    assert list(feedback.orders()) == [("j", [["a"], ["b"]]), ("j", [["c"], ["b"]])]
    assert feedback.notes == ("1 comparison without a winner left out: line 3",)


def test_tasks_and_weights():
    feedback = read(b"task,judge,left,right,winner,weight\nt,j,a,b,a,2\nu,j,a,b,b,1\n")

    assert feedback.n_tasks == 2
    assert feedback.list_weights.tolist() == [2.0, 1.0]
