"""Integers and texts as labels: read at once, in batches and packed, they have the same numbers."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import peerage
from peerage.feedback.partition import partition_graders
from peerage.packing import pack_with
from peerage.reading.batches import read_in_batches
from peerage.reading.content import file_set_of
from peerage.reading.file_sets import FileSetReader
from peerage.reading.reading import Reading

ARRAYS = ("items", "bucket_starts", "list_starts", "list_graders", "list_tasks", "item_tasks", "scores")
LABELS = ("item_labels", "grader_labels", "task_labels", "list_labels")
INTEGERS = ["1", "2", "3", "10", "11", "20", "100", "007", "7"]
KINDS = [INTEGERS, [*INTEGERS, "x"], ["1", "2", "10", "１", "１０"], ["a", "b", "10", "9"]]


def bits(feedback):
    """All numbers and labels of feedback."""
    arrays = [getattr(feedback, name) for name in ARRAYS]
    labels = [getattr(feedback, name) for name in LABELS]
    return (
        [None if array is None else (array.dtype, array.tobytes()) for array in arrays],
        [None if series is None else series.to_list() for series in labels],
    )


@st.composite
def tables(draw):
    """Reviews, some without a score: with those the last text among the labels may go."""
    labels = [st.sampled_from(draw(st.sampled_from(KINDS))) for _ in range(4)]
    keys = draw(st.lists(st.tuples(*labels), min_size=1, max_size=24, unique=True))
    frame = pl.DataFrame(keys, schema=["grader", "item", "task", "list"], orient="row")
    scores = draw(
        st.lists(st.sampled_from(["6.5", "7", "7", "9", ""]), min_size=len(keys), max_size=len(keys))
    )
    if draw(st.booleans()):
        scores = ["" if "x" in key else score for key, score in zip(keys, scores, strict=True)]
    if not any(scores):
        scores[0] = "7"
    leave_out = draw(st.sampled_from([["list"], ["task", "list"], []]))
    frame = frame.with_columns(score=pl.Series(scores)).drop(leave_out)
    cut = draw(st.integers(0, len(frame)))
    return frame, cut, draw(st.permutations(range(len(frame))))


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from(["exact", "fold"]), st.integers(1, 9))
def test_all_ways_to_read_number_labels_alike(table, ids, per_part):
    frame, cut, order = table
    how = {"missing": "drop", "ids": ids, "duplicates": "mean", "direction": "scores"}
    expected = bits(
        peerage.Feedback.from_columns(**peerage.read(frame, **how).to_frame().drop("rank").to_dict())
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shuffled = frame[list(order)]
        for which, part in enumerate((shuffled[:cut], shuffled[cut:])):
            if len(part):
                part.write_csv(folder / f"part{which}.csv")
        files, small = (
            str(folder / "part*.csv"),
            partial(partition_graders, small=0, parts=1, largest=per_part),
        )
        reader = FileSetReader(file_set_of(files), Reading(**how, format="long"))
        packed = pack_with(files, folder / "packed", Reading(**how, format="long"), cut=small, batch=per_part)

        found = {
            "at once": peerage.read(shuffled, **how),
            "in batches": read_in_batches(reader, batch=per_part),
            "packed": packed.feedback(),
        }

        assert {way: bits(feedback) == expected for way, feedback in found.items()} == dict.fromkeys(
            found, True
        )


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("jk"), st.permutations(["1", "2", "10", "9"]), st.booleans()), min_size=1
    ),
    odd=st.booleans(),
)
def test_comparisons_of_integers_are_what_their_orders_are(rows, odd):
    judge = [who for who, _, _ in rows]
    left, right = [pair[0] for _, pair, _ in rows], [pair[1] for _, pair, _ in rows]
    if odd:
        right[0] = "x"
    won = [side if first else other for side, other, (_, _, first) in zip(left, right, rows, strict=True)]
    compared = peerage.read({"judge": judge, "left": left, "right": right, "winner": won})

    orders = [
        (who, [one, other] if one == winner else [other, one])
        for who, one, other, winner in zip(judge, left, right, won, strict=True)
    ]
    assert np.array_equal(peerage.Feedback.from_orders(orders).items, compared.items)
    assert peerage.Feedback.from_orders(orders).item_labels.to_list() == compared.item_labels.to_list()
