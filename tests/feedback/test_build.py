"""From rows to arrays: canonical, checked, and the same for small and large data."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerage import DataError, Feedback
from peerage.feedback.cells import Origin
from peerage.feedback.container import build_feedback
from peerage.feedback.labels import number_densely, number_densely_within, sort_packed
from strategies import feedbacks


@given(feedback=feedbacks(), seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(feedback, seed):
    frame = feedback.to_frame().sample(fraction=1.0, shuffle=True, seed=seed)
    if feedback.ordered_by == "score":
        frame = frame.drop("rank")

    assert Feedback.from_columns(**frame.to_dict()).equals(feedback)


@given(keys=st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=30, unique=True))
@pytest.mark.parametrize("size", [5, 2**40])
def test_packed_keys_sort_like_tuples(size, keys):
    columns = tuple(np.array(column, dtype=np.int64) for column in zip(*keys, strict=True))

    found, order = sort_packed(columns, (size, size, size), with_order=True)

    assert list(zip(*(column.tolist() for column in found), strict=True)) == sorted(keys)
    assert [keys[which] for which in order] == sorted(keys)


@given(values=st.lists(st.integers(0, 1000), min_size=1))
def test_dense_numbers_follow_the_keys(values):
    for scale in (1, 10**12):  # counted, and sorted
        keys = np.array(values, dtype=np.int64) * scale
        numbers, distinct = number_densely(keys)
        assert distinct.tolist() == sorted(set(keys.tolist()))
        assert distinct[numbers].tolist() == keys.tolist()


@given(pairs=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1))
@pytest.mark.parametrize("owned", [False, True])  # by one outer each, or as it comes
def test_dense_numbers_within_others_follow_both(owned, pairs):
    outer, inner = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    if owned:
        outer = inner * 7 % 5
    keys = outer * 21 + inner

    numbers, distinct = number_densely_within(outer, inner.astype(np.int32), 21)

    assert distinct.tolist() == sorted(set(keys.tolist()))
    assert distinct[numbers].tolist() == keys.tolist()


@pytest.mark.parametrize("beside_ranks", [False, True])
@pytest.mark.parametrize("count", [12, 20_000])  # many rows, labels and scores are sorted by other routes
def test_items_are_numbered_by_their_labels_and_keep_their_scores(count, beside_ranks):
    scores = random.Random(0).sample(range(count), count)
    ranks = {"rank": [count - score for score in scores]} if beside_ranks else {}

    feedback = Feedback.from_columns(["a"] * count, [str(score) for score in scores], score=scores, **ranks)

    assert feedback.item_labels.to_list() == [str(number) for number in range(count)]
    assert feedback.items.tolist() == list(range(count - 1, -1, -1))
    assert feedback.scores.tolist() == feedback.items.tolist()


def test_list_names_are_kept_only_where_needed():
    one = Feedback.from_columns(["a", "b"], ["x", "x"], rank=[1, 1], list=["1", "2"])
    two = Feedback.from_columns(["a", "a"], ["x", "x"], rank=[1, 1], list=["1", "2"])

    assert one.list_labels is None
    assert two.list_labels.to_list() == ["1", "2"]


def test_scores_may_be_missing_beside_ranks_and_do_not_count_in_the_mean_of_repeats():
    feedback = Feedback.from_columns(["a", "a"], ["x", "y"], rank=[1, 2], score=[None, 3])
    columns = {"grader": ["a"] * 3, "item": ["x"] * 3, "rank": [1, 2, 6], "score": [None, 4, 6]}

    assert np.isnan(feedback.scores[0])
    assert feedback.scores[1] == 3
    assert build_feedback(columns, duplicates="mean").scores.tolist() == [5.0]


def test_messages_use_the_lines_and_names_of_the_source():
    origin = Origin("file.csv", lambda rows: rows + 10, {"score": "Grade"})

    with pytest.raises(DataError, match=r"^file\.csv: line 11, column 'Grade': 'bad' is not a number"):
        build_feedback({"grader": ["a", "b"], "item": ["x", "x"], "score": ["1", "bad"]}, origin=origin)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"grader": ["a"], "item": ["x"]}, "neither ranks nor scores were given"),
        ({"grader": ["a"], "item": ["x", "y"], "rank": [1]}, "columns differ in length"),
        ({"grader": ["a"], "item": ["x"], "rang": [1]}, "unknown column 'rang'"),
        ({"grader": [], "item": [], "rank": []}, "there are no reviews in it"),
        ({"grader": ["a"], "item": ["x"], "score": [float("inf")]}, "'inf' is not a number"),
    ],
)
def test_unusable_columns(columns, message):
    with pytest.raises(DataError, match=message):
        build_feedback(columns)
