"""The container: sizes, views, and reading it out."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerage import DataError, Feedback
from strategies import feedbacks

CLASS = Feedback.from_columns(
    grader=["ada", "ada", "ada", "bob", "bob", "ada"],
    item=["x", "y", "z", "y", "z", "x"],
    rank=[1, 2, 2, 1, 2, 1],
    task=["s", "s", "s", "s", "s", "t"],
)


def test_sizes():
    assert (CLASS.n_entries, CLASS.n_lists, CLASS.n_items, CLASS.n_graders, CLASS.n_tasks) == (6, 3, 4, 2, 2)
    assert CLASS.list_lengths.tolist() == [3, 2, 1]
    assert CLASS.bucket_sizes.tolist() == [1, 2, 1, 1, 1]
    assert CLASS.item_reviews.tolist() == [1, 2, 2, 1]
    assert CLASS.grader_reviews.tolist() == [4, 2]
    assert CLASS.list_strict_pairs.tolist() == [2, 1, 0]
    assert CLASS.grader_strict_pairs.tolist() == [2, 1]


def test_orders_are_best_first():
    assert list(CLASS.orders()) == [("ada", [["x"], ["y", "z"]]), ("bob", [["y"], ["z"]]), ("ada", [["x"]])]


def test_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        CLASS.items[0] = 3


def test_kinds():
    numbers = [1, 2, 3]
    measures = {"orders": ["rank"], "scores": ["score"], "orders+scores": ["rank", "score"]}

    for kind, names in measures.items():
        columns = dict.fromkeys(names, numbers)
        assert Feedback.from_columns(["a"] * 3, ["x", "y", "z"], **columns).kind == kind
    assert Feedback.from_orders([("a", ["x", "y"]), ("b", [["x", "y"]])]).kind == "pairs"


def test_one_task_keeps_the_graders():
    part = CLASS.for_task("t")

    assert part.item_labels.to_list() == ["x"]
    assert part.items.tolist() == [0]
    assert part.n_graders == 2


def test_a_grader_drawn_twice_is_two_graders():
    part = CLASS.resample([0, 0])

    assert part.grader_labels.to_list() == ["ada", "ada#2"]
    assert part.n_entries == 8


def test_reviews_that_go_take_empty_lists_along():
    part = CLASS.keep_entries(np.array([False, True, True, False, False, True]))

    assert list(part.orders()) == [("ada", [["y", "z"]]), ("ada", [["x"]])]
    with pytest.raises(ValueError, match="keep has 2 marks for 6 reviews"):
        CLASS.keep_entries(np.array([True, False]))


@given(feedback=feedbacks(), per_list=st.integers(1, 4), seed=st.integers(0, 9))
def test_downsampling_keeps_the_order_of_what_stays(feedback, per_list, seed):
    part = feedback.downsample(per_list, seed=seed)

    assert (part.list_lengths == np.minimum(feedback.list_lengths, per_list)).all()
    for (_, small), (_, large) in zip(part.orders(), feedback.orders(), strict=True):
        kept = {item for bucket in small for item in bucket}
        expected = [[item for item in bucket if item in kept] for bucket in large]
        assert small == [bucket for bucket in expected if bucket]


@given(feedback=feedbacks())
def test_equal_survives_pickling(feedback):
    assert pickle.loads(pickle.dumps(feedback)).equals(feedback)


@given(one=feedbacks(), other=feedbacks())
def test_equals_means_the_same_rows(one, other):
    rows = [part.to_frame().drop("list", strict=False) for part in (one, other)]
    same_rows = rows[0].equals(rows[1]) and one.list_lengths.tolist() == other.list_lengths.tolist()

    assert one.equals(other) == (same_rows and one.ordered_by == other.ordered_by)


def test_labels_to_numbers():
    assert (CLASS.grader_number("bob"), CLASS.task_number("t"), CLASS.item_number("x", "t")) == (1, 1, 3)
    with pytest.raises(DataError, match="there is no grader 'eve' in this feedback"):
        CLASS.grader_number("eve")


def test_large_feedback_is_small():
    count = 100_000
    feedback = Feedback.from_columns(
        np.repeat(np.arange(count // 10), 10), np.tile(np.arange(10), count // 10), score=np.arange(count) % 7
    )

    assert feedback.nbytes < 20 * count  # ten million reviews: well under 1.5 GiB
