"""Real data sets with a truth, and how far methods are from it."""

from __future__ import annotations

import polars as pl

from peerage import Feedback
from peerage.metrics.accuracy import tau_error_by_task
from peerage.models.registry import method


def with_truth(folder):
    """Feedback and the true score of each of its items, NaN where unknown."""
    table = pl.read_csv(folder / "feedback.csv", infer_schema_length=None)
    names = [name for name in ("task", "score", "rank") if name in table.columns]
    feedback = Feedback.from_columns(table["grader"], table["item"], **{name: table[name] for name in names})
    truth = pl.read_csv(folder / "truth.csv").select("task", pl.col("item").cast(pl.String), truth="score")
    items = pl.DataFrame(
        {"task": feedback.task_labels.gather(feedback.item_tasks), "item": feedback.item_labels}
    )
    joined = items.join(truth, on=["task", "item"], how="left", maintain_order="left")
    return feedback, joined["truth"].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def errors(folder, *codes, **estimators):
    """Tau error by code or name, averaged over tasks."""
    feedback, truth = with_truth(folder)
    estimators = {**{code: method(code) for code in codes}, **estimators}
    return {
        name: tau_error_by_task(feedback, truth, estimator.fit(feedback).scores_)
        for name, estimator in estimators.items()
    }
