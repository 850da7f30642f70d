"""Labels in order: integers by number where all of them are integers, as text otherwise; once for all."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from peerage import Feedback
from peerage.feedback.container import build_feedback
from peerage.feedback.labels import _codes, _few_codes, sort_labels, sort_names
from peerage.models.tables import grade_table

INTEGERS = st.integers(0, 120).map(str) | st.sampled_from(["007", "7", "07", "00", "9" * 18, "1" + "0" * 17])
OTHERS = st.sampled_from(["a", "2b", "-1", "1.5", "+3", "9" * 19, "٣", "１", "1 2"])
LABELS = INTEGERS | OTHERS


def in_order(labels: list[str]) -> list[str]:
    """The slow and obvious way."""
    plain = all(len(label) <= 18 and set(label) <= set("0123456789") for label in labels)
    return sorted(labels, key=lambda label: (int(label), label) if plain else (0, label))


@given(names=st.lists(INTEGERS, unique=True) | st.lists(LABELS, unique=True))
def test_few_and_many_labels_are_in_one_order(names):
    assert sort_names(names) == in_order(names)
    assert sort_labels(pl.Series(names, dtype=pl.String)).to_list() == in_order(names)
    assert _few_codes(names)[1].to_list() == _codes(pl.Series(names, dtype=pl.String))[1].to_list()


def test_tables_list_tasks_and_equal_items_in_their_order():
    items = [str(number) for number in (1, 2, 10, 11)]
    feedback = Feedback.from_columns(
        ["g"] * 12, items * 3, rank=[1] * 12, task=["2"] * 4 + ["10"] * 4 + ["1"] * 4
    )

    table = grade_table(feedback, np.zeros(12))

    assert table["task"].unique(maintain_order=True).to_list() == ["1", "2", "10"]
    assert table["item"].to_list() == items * 3


@st.composite
def rows(draw):
    """Columns of reviews; a score may be missing, and with it the last text among the labels."""
    labels = draw(st.sampled_from([INTEGERS, LABELS, st.sampled_from(["1", "2", "10", "１", "x"])]))
    keys = draw(st.lists(st.tuples(labels, labels, labels), min_size=1, max_size=20, unique=True))
    scores = draw(st.lists(st.sampled_from([1.0, 2.0, 2.0, None]), min_size=len(keys), max_size=len(keys)))
    if draw(st.booleans()):  # texts go
        scores = [
            score if all(map(str.isdigit, key)) else None for key, score in zip(keys, scores, strict=True)
        ]
    if not any(scores):
        scores[0] = 1.0
    grader, item, task = zip(*keys, strict=True)
    return {"grader": grader, "item": item, "task": task, "score": scores}


@given(columns=rows(), data=st.data(), ids=st.sampled_from(["exact", "fold"]))
def test_the_order_of_rows_and_rows_left_out_change_nothing(columns, data, ids):
    how = {"missing": "drop", "ids": ids, "duplicates": "mean"}
    feedback = build_feedback(columns, **how)
    order = data.draw(st.permutations(range(len(columns["grader"]))))

    again = build_feedback({name: [cells[row] for row in order] for name, cells in columns.items()}, **how)

    assert again.equals(feedback)
    for labels in (feedback.grader_labels, feedback.task_labels, feedback.item_labels.unique()):
        assert sort_labels(labels).to_list() == in_order(labels.to_list())
    assert_canonical(feedback)
    if ids == "exact":
        present = [row for row, score in enumerate(columns["score"]) if score is not None]
        only = {name: [cells[row] for row in present] for name, cells in columns.items()}
        assert build_feedback(only).equals(feedback)


@given(columns=rows(), added=st.lists(LABELS, max_size=4))
def test_items_nobody_reviewed_take_their_place(columns, added):
    feedback = build_feedback(columns, missing="drop")
    task = feedback.task_labels[0]

    more = feedback.with_items(added, task=task)

    assert_canonical(more)
    before = {*feedback.for_task(0).item_labels.to_list()}
    assert {*more.for_task(task).item_labels.to_list()} == before | {*added}
    key = ["task", "grader", "item"]
    assert more.to_frame().sort(key).equals(feedback.to_frame().sort(key))


def test_a_text_that_comes_to_integers_sorts_their_ties_again():
    feedback = Feedback.from_columns(["g"] * 3, ["2", "10", "1"], rank=[1, 1, 2], score=[5, 6, 7])
    assert feedback.scores.tolist() == [5, 6, 7]

    more = feedback.with_items(["x"])

    assert more.item_labels.to_list() == ["1", "10", "2", "x"]
    assert more.items.tolist() == [1, 2, 0]
    assert more.scores.tolist() == [6, 5, 7]


def assert_canonical(feedback: Feedback) -> None:
    """Items are in order within their task, tied ones by number."""
    names, order = feedback.item_labels.to_list(), in_order(feedback.item_labels.unique().to_list())
    places = [(task, order.index(name)) for task, name in zip(feedback.item_tasks, names, strict=True)]
    assert places == sorted(places)
    tied = ~feedback.bucket_starts[1:]
    assert (feedback.items[1:][tied] > feedback.items[:-1][tied]).all()
    for labels in (feedback.grader_labels.to_list(), feedback.task_labels.to_list()):
        assert labels == in_order(labels)
