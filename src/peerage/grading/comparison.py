"""The same class by other methods: where they agree, and who would move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._options import parts
from peerage.cluster.cluster import open_cluster
from peerage.errors import DataError, MethodError
from peerage.grading.items import item_ranks
from peerage.metrics.accuracy import tau_error_by_task
from peerage.models.registry import codes, entry, method

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator


BASELINES = {"SCAVG", "MALBC"}  # take less time than to send the class to a cluster
MOST_SENT = 20_000_000  # reviews; a larger class is fitted here, by one method after the other


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Ranks by several methods.

    Attributes
    ----------
    codes : the methods, the one that made the grades first.
    ranks : task, item, and one column of ranks per method, in the rows of the grades.
    summary : one row per other method: method, what it is, tau_error (share of the grades' pairs it orders
        otherwise, in percent), mean_move and largest_move in places, and the item that moves most.
    sentence : what it comes to.
    """

    codes: tuple[str, ...]
    ranks: pl.DataFrame
    summary: pl.DataFrame
    sentence: str

    def plot(self, ax: Axes | None = None, *, task: str | None = None) -> Axes:
        """The ranks of a task (the first, unless named) by every method; returns the Matplotlib axes."""
        from peerage.plots import plot_ranks

        part = self.ranks.filter(pl.col("task") == (self.ranks["task"][0] if task is None else task))
        if part.is_empty():
            raise DataError(f"there is no task {task!r} in this comparison")
        return plot_ranks(part["item"].to_list(), {code: part[code].to_list() for code in self.codes}, ax=ax)


def methods_to_compare(feedback: Feedback, code: str, asked: str | Iterable[str]) -> list[str]:
    """The methods to hold beside `code`: the baselines, and those asked for ("all": every one that can)."""
    baselines = ["MALBC"] if feedback.scores is None else ["SCAVG", "MALBC"]
    names = [name.strip().upper() for name in parts(asked) if name.strip()]
    if "ALL" in names:
        names = [name for name in codes() if method(name).suits(feedback)]
    return [name for name in dict.fromkeys([*baselines, *names]) if name != code.upper()]


def compare_methods(
    fitted: Estimator,
    code: str,
    order: NDArray[np.int64],
    others: Iterable[str],
    on_step: Callable[[str], None],
    cluster: Any = None,
) -> Comparison:
    """Fit the other methods to the same feedback; each is one task where there is a cluster."""
    feedback = fitted.feedback_
    columns = {code: item_ranks(feedback, fitted.scores_)}
    rows, refused = [], list[str]()
    for other, scores in _scores_by_each(list(others), feedback, on_step, cluster):
        if isinstance(scores, str):
            refused.append(f" {other} could not be held beside it: {scores}.")
            continue
        columns[other] = item_ranks(feedback, scores)
        rows.append(_row(feedback, other, columns[code], columns[other], fitted.scores_, scores))
    table = pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks[order]),
            "item": feedback.item_labels.gather(order),
            **{name: column[order] for name, column in columns.items()},
        }
    )
    summary = pl.DataFrame(rows, schema=_SUMMARY, orient="row")
    return Comparison(tuple(columns), table, summary, _sentence(code, summary) + "".join(refused))


def _scores_by_each(
    others: list[str], feedback: Feedback, on_step: Callable[[str], None], cluster: Any
) -> Iterator[tuple[str, NDArray[np.float64] | str]]:
    estimators = [method(other) for other in others]  # an unknown one is refused before any work
    far = cluster is not None and feedback.n_entries <= MOST_SENT and not BASELINES.issuperset(others)
    with open_cluster(cluster) if far else nullcontext() as workers:
        scores = (
            (_scores_by(estimator, feedback) for estimator in estimators)
            if workers is None
            else workers.map(_scores_by, estimators, feedback)
        )
        for other in others:
            on_step(f"comparing with {other}")
            yield other, next(scores)


def _scores_by(estimator: Estimator, feedback: Feedback) -> NDArray[np.float64] | str:
    """Or why there are none: the grades do not depend on it."""
    try:
        return estimator.fit(feedback).scores_
    except (DataError, MethodError) as error:
        return str(error)


_SUMMARY = {
    "method": pl.String,
    "what": pl.String,
    "tau_error": pl.Float64,
    "mean_move": pl.Float64,
    "largest_move": pl.Int64,
    "item": pl.String,
}


def _row(
    feedback: Feedback,
    code: str,
    own: NDArray[np.int64],
    other: NDArray[np.int64],
    own_scores: NDArray[np.float64],
    other_scores: NDArray[np.float64],
) -> tuple[object, ...]:
    moves = np.abs(own - other)
    most = int(moves.argmax()) if len(moves) else 0
    error = tau_error_by_task(feedback, own_scores, other_scores)
    return (
        code,
        entry(code).summary,
        None if np.isnan(error) else error,
        float(moves.mean()) if len(moves) else 0.0,
        int(moves.max(initial=0)),
        feedback.item_labels[most] if len(moves) else "",
    )


def _sentence(code: str, summary: pl.DataFrame) -> str:
    parts = [
        f"{row['method']} orders {row['tau_error']:.1f} % of the pairs otherwise and moves {row['item']}"
        f" most, by {row['largest_move']} {'place' if row['largest_move'] == 1 else 'places'}"
        for row in summary.iter_rows(named=True)
        if row["tau_error"] is not None
    ]
    if not parts:
        return f"No other method was held beside {code}."
    return f"Beside {code}: {'; '.join(parts)}."
