"""Adaptive allocation: what a grader should see next, given the reviews so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal
from zlib import crc32

import numpy as np
import polars as pl

from peerage.allocation.pool import Conflicts, Pool, Submissions, as_pool
from peerage.allocation.preview import rough_variance
from peerage.errors import DataError, MethodError
from peerage.roster.reader import RosterSource, read_roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

Aim = Literal["boundaries", "uniform"]


def next_reviews(
    feedback: Feedback,
    grader: str,
    k: int,
    *,
    roster: Pool | RosterSource | None = None,
    task: str | int = 0,
    submissions: Submissions = "student",
    conflicts: Conflicts = "mutual",
    aim: Aim = "boundaries",
    boundaries: Sequence[float] = (0.25, 0.5, 0.75),
    slack: int = 1,
    close_pairs: bool = False,
    pending: Mapping[str, int] | None = None,
    scores: NDArray[np.float64] | None = None,
    seed: int = 0,
    method: str = "pl+g",
    score_variance: float = 9.0,
) -> list[str]:
    """The k items that a grader should see next, most informative first.

    Parameters
    ----------
    feedback : Feedback
        Everything submitted so far. Items without reviews count where ``roster`` has them.
    roster : Roster, or what :func:`peerage.read_roster` reads, optional
        Keeps own work, the own group's and conflicts away. Without it only items seen before are.
    submissions, conflicts : as in :func:`allocate`.
    aim : "boundaries" or "uniform"
        ``boundaries`` prefers items whose side of a grade boundary is least certain; ``uniform`` those whose
        score is least certain.
    boundaries : shares between 0 and 1
        Grade boundaries as shares of the class, from the bottom.
    slack : int
        The floor on balance: only items with at most this many reviews more than the least reviewed one
        (of those the grader may see) are considered, as long as there are k of them.
    close_pairs : bool
        Whether two items too close to call (a chance of 40 to 60 % either way) may come together. Novices
        find such pairs tiring; experts settle them.
    pending : numbers of reviews by item, optional
        Reviews given out and not submitted yet: they count for the balance.
    scores : float64[n_items], optional
        Scores of an earlier fit (of the feedback's items and the roster's, by label), to save fitting again.
    seed : int
        Breaks ties between items, differently for every grader.

    Returns
    -------
    Labels of items; fewer than k where the grader may see no more.
    """
    if aim not in ("boundaries", "uniform"):
        raise MethodError(f"aim={aim!r}: choose 'boundaries' or 'uniform'")
    if any(not 0 < share < 1 for share in boundaries):
        raise DataError(f"boundaries={list(boundaries)}: they are shares between 0 and 1")
    feedback = feedback.for_task(task)
    pool = None if roster is None else _pool(roster, str(feedback.task_labels[0]), submissions, conflicts)
    feedback = feedback if pool is None else feedback.with_items(pool.items.to_list())
    scores, variance = _scores_and_variances(feedback, scores, method, score_variance)
    candidates = _candidates(feedback, grader, pool)
    candidates = np.random.default_rng([seed, crc32(grader.encode())]).permutation(candidates)
    candidates = _least_reviewed(candidates, _reviews(feedback, pending), k, slack)
    worth = variance * (_boundary_doubt(scores, variance, boundaries) if aim == "boundaries" else 1.0)
    chosen = _choose(candidates, worth, scores, k, close_pairs)
    return [str(feedback.item_labels[int(item)]) for item in chosen]


def _pool(roster: Pool | RosterSource, task: str, submissions: Submissions, conflicts: Conflicts) -> Pool:
    if not isinstance(roster, Pool):
        roster = read_roster(roster).for_class(pl.Series([task])).for_task(task)
    return as_pool(roster, submissions=submissions, conflicts=conflicts)


def _scores_and_variances(
    feedback: Feedback, scores: NDArray[np.float64] | None, method: str, score_variance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from peerage.models.fitting import fit

    reliabilities = np.ones(feedback.n_graders)
    if scores is None or len(scores) != feedback.n_items:
        fitted = fit(feedback, method, score_variance=score_variance)
        scores, reliabilities = fitted.scores_, fitted.reliabilities_
    return scores, rough_variance(feedback, scores, reliabilities, score_variance)


def _candidates(feedback: Feedback, grader: str, pool: Pool | None) -> NDArray[np.int64]:
    """Items that the grader has not seen and may see."""
    free = np.ones(feedback.n_items, dtype=bool)
    if grader in feedback.grader_labels:
        number = feedback.grader_number(grader)
        free[feedback.items[feedback.entry_graders == number]] = False
    if pool is not None:
        names = pool.graders.to_list()
        if grader not in names:
            raise DataError(f"grader {grader!r} is not on the roster")
        barred = pool.items.gather(pool.barred_of(names.index(grader)))
        free &= ~feedback.item_labels.is_in(barred.implode()).to_numpy()
        free &= feedback.item_labels.is_in(pool.items.implode()).to_numpy()
    return np.flatnonzero(free)


def _reviews(feedback: Feedback, pending: Mapping[str, int] | None) -> NDArray[np.int64]:
    reviews = feedback.item_reviews
    if not pending:
        return reviews
    return reviews + np.array([pending.get(label, 0) for label in feedback.item_labels], dtype=np.int64)


def _least_reviewed(
    candidates: NDArray[np.int64], reviews: NDArray[np.int64], k: int, slack: int
) -> NDArray[np.int64]:
    if len(candidates) <= k:
        return candidates
    mine = reviews[candidates]
    limit = max(int(mine.min()) + slack, int(np.sort(mine)[k - 1]))
    return candidates[mine <= limit]


def _boundary_doubt(
    scores: NDArray[np.float64], variance: NDArray[np.float64], boundaries: Sequence[float]
) -> NDArray[np.float64]:
    """How uncertain it is on which side of a boundary an item is: p (1 - p), summed over the boundaries."""
    from scipy.special import ndtr

    edges = np.quantile(scores, list(boundaries))
    above = ndtr((scores[:, None] - edges) / np.sqrt(variance)[:, None])
    return np.asarray((above * (1 - above)).sum(axis=1))


def _choose(
    candidates: NDArray[np.int64],
    worth: NDArray[np.float64],
    scores: NDArray[np.float64],
    k: int,
    close_pairs: bool,
) -> list[int]:
    """Greedily: worth of an item times how much comparing it with the chosen ones would tell."""
    chosen: list[int] = []
    left = candidates
    while len(left) and len(chosen) < k:
        gain = worth[left].copy()
        if chosen:
            above = 1 / (1 + np.exp(-(scores[left][:, None] - scores[chosen])))
            gain *= (above * (1 - above)).sum(axis=1)
            tiring = (np.abs(above - 0.5) < 0.1).any(axis=1)
            if not close_pairs and not tiring.all():
                gain[tiring] = -1.0
        best = int(left[np.argmax(gain)])
        chosen.append(best)
        left = left[left != best]
    return chosen
