"""From rows to arrays: canonical, checked, and the same for small and large data."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerage import DataError, Feedback
from peerage.feedback.cells import Origin
from peerage.feedback.container import build_feedback
from peerage.feedback.labels import (
    encode_labels,
    number_densely,
    number_densely_within,
    sort_packed,
)
from strategies import feedbacks


def shuffled(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    return frame.sample(fraction=1.0, shuffle=True, seed=seed)


@given(feedback=feedbacks(), seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(feedback, seed):
    frame = shuffled(feedback.to_frame(), seed)
    if feedback.ordered_by == "score":
        frame = frame.drop("rank")

    assert Feedback.from_columns(**frame.to_dict()).equals(feedback)


@pytest.mark.parametrize("repeat", [1, 40_000])
def test_runs_of_labels(repeat):
    cells = [None, None, "b", "b", "a", None, "b"]
    series = pl.Series(cells, dtype=pl.String).gather(np.repeat(np.arange(len(cells)), repeat))

    codes, labels = encode_labels(series)

    assert labels.to_list() == ["a", "b"]
    assert codes[::repeat].tolist() == [-1, -1, 1, 1, 0, -1, 1]


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


def test_many_different_scores_are_ordered_too():
    scores = list(range(20_000))
    random.Random(0).shuffle(scores)

    feedback = Feedback.from_columns(["a"] * 20_000, [f"{score:05d}" for score in scores], score=scores)

    assert feedback.item_labels.gather(feedback.items).to_list() == [
        f"{score:05d}" for score in range(19_999, -1, -1)
    ]
    assert feedback.scores.tolist() == list(range(19_999, -1, -1))


@pytest.mark.parametrize("count", [3, 20_000])
def test_scores_beside_ranks_stay_with_their_items(count):
    names = [f"{number:05d}" for number in range(count)]

    feedback = Feedback.from_columns(["a"] * count, names, rank=range(count, 0, -1), score=range(count))

    assert feedback.items.tolist() == list(range(count - 1, -1, -1))
    assert feedback.scores.tolist() == feedback.items.tolist()


def test_scores_may_be_missing_beside_ranks():
    feedback = Feedback.from_columns(["a", "a"], ["x", "y"], rank=[1, 2], score=[None, 3])

    assert np.isnan(feedback.scores[0])
    assert feedback.scores[1] == 3


def test_list_names_are_kept_only_where_needed():
    one = Feedback.from_columns(["a", "b"], ["x", "x"], rank=[1, 1], list=["1", "2"])
    two = Feedback.from_columns(["a", "a"], ["x", "x"], rank=[1, 1], list=["1", "2"])

    assert one.list_labels is None
    assert two.list_labels.to_list() == ["1", "2"]


def test_dropped_rows_take_their_labels_along():
    feedback = build_feedback({"grader": ["a", "b"], "item": ["x", "y"], "score": [1, None]}, missing="drop")

    assert feedback.grader_labels.to_list() == ["a"]
    assert feedback.item_labels.to_list() == ["x"]


def test_the_mean_of_repeats_ignores_empty_scores():
    columns = {"grader": ["a"] * 3, "item": ["x"] * 3, "rank": [1, 2, 6], "score": [None, 4, 6]}

    feedback = build_feedback(columns, duplicates="mean")

    assert feedback.scores.tolist() == [5.0]


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


def test_items_added_to_a_task_keep_the_order_of_labels():
    feedback = Feedback.from_columns(["a", "a", "a"], ["x", "z", "x"], rank=[1, 2, 1], task=["s", "s", "t"])

    more = feedback.with_items(["y", "x"], task="s")

    assert more.item_labels.to_list() == ["x", "y", "z", "x"]
    assert more.items.tolist() == [0, 2, 3]
    assert more.item_tasks.tolist() == [0, 0, 0, 1]
