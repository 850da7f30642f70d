"""Rankings from a class with a known truth, on lists that are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.feedback.container import Feedback
from peerage.simulation import perception

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedRankings:
    """What everybody handed in, and the true scores of the items."""

    feedback: Feedback
    scores: NDArray[np.float64]


def simulate_rankings(
    graders: NDArray[np.int64],
    items: NDArray[np.int64],
    *,
    n_graders: int,
    n_items: int,
    sd: float,
    reliability_shape: float,
    rng: np.random.Generator,
) -> SimulatedRankings:
    """Everybody ranks the items of their list by the Plackett-Luce model.

    Scores are N(0, sd²), reliabilities Gamma(reliability_shape, rate reliability_shape); review e is grader
    ``graders[e]``'s of item ``items[e]``.
    """
    scores = perception.qualities(rng, n_items, sd)
    reliabilities = perception.reliabilities(rng, n_graders, reliability_shape)
    worth = perception.plackett_luce(rng, scores[items], reliabilities[graders])
    return SimulatedRankings(rank_all(graders, items, worth, n_items), scores)


def rank_all(
    graders: NDArray[np.int64], items: NDArray[np.int64], worth: NDArray[np.float64], n_items: int
) -> Feedback:
    """Everybody ranks their items by how much they like them, without ties; rows may come in any order."""
    order = np.lexsort((-worth, graders))
    people, first = np.unique(graders[order], return_index=True)
    starts = np.append(first, len(items)).astype(np.int64)
    return Feedback(
        items=items[order].astype(np.int32),
        bucket_starts=np.ones(len(items), dtype=bool),
        list_starts=starts,
        list_graders=np.arange(len(people), dtype=np.int32),
        list_tasks=np.zeros(len(people), dtype=np.int32),
        item_tasks=np.zeros(n_items, dtype=np.int32),
        item_labels=_labels("i", np.arange(n_items)),
        grader_labels=_labels("g", people),
        task_labels=pl.Series(["1"]),
    )


def _labels(letter: str, numbers: NDArray[np.int64]) -> pl.Series:
    """Labels whose alphabetical order is the order of the numbers."""
    return letter + pl.Series(numbers).cast(pl.String).str.zfill(9)
