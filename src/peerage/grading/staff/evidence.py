"""Staff grades as evidence: a staff-graded item gets its staff grade, or nearly, and its neighbours learn.

Staff's grade of an item is t = map(score) + gap. The draws of t are jointly normal, near enough, and some of
them have been seen, with the noise of a staff grade where it is known. Each draw is moved to where it would
be given those (Matheron's rule): t + C_A (C_AA + noise)^-1 (seen - t_A - noise). Items whose estimates rest
on the same comparisons as a staff-graded one move along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.staff.anchors import Anchors

TOGETHER = 0.1  # correlations between items smaller than this are mostly noise of the draws


def condition(
    points: NDArray[np.float64],
    draws: NDArray[np.floating[Any]],
    peers: NDArray[np.floating[Any]],
    anchors: Anchors,
    gaps: NDArray[np.float64],
    tasks: NDArray[np.int32],
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and draws given the staff grades.

    `draws` are draws of the staff's grades (map, peers and gap all varied), `peers` those of the peers' part;
    `gaps` are the gaps at the items that staff graded.
    """
    items = anchors.items
    cross = _covariance(peers, items, tasks)
    inside = cross[items] + np.diag(gaps**2)
    noise = np.zeros(len(items))
    if anchors.staff_noise is not None:
        noise = anchors.staff_noise**2 / anchors.counts
    cross[items, np.arange(len(items))] += gaps**2
    floor = 1e-9 * max(float(np.trace(inside)) / len(items), 1e-12)
    weights = np.linalg.solve(inside + np.diag(noise + floor), cross.T).T
    seen = anchors.grades + np.sqrt(noise) * rng.standard_normal((len(draws), len(items)))
    moved = draws + (seen - draws[:, items]) @ weights.T
    points = points + weights @ (anchors.grades - points[items])
    exact = noise == 0  # but for rounding, which a cut-point would notice
    points[items[exact]] = anchors.grades[exact]
    moved[:, items[exact]] = anchors.grades[exact]
    return points, moved


def _covariance(
    draws: NDArray[np.floating[Any]], items: NDArray[np.int64], tasks: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Of all items with these, items x len(items); what is small or between tasks is taken for none."""
    about = draws - draws.mean(axis=0)
    cross = (about.T @ about[:, items]) / max(len(draws) - 1, 1)
    sd = about.std(axis=0)
    small = np.abs(cross) < TOGETHER * np.outer(sd, sd[items])
    cross[small | (tasks[:, None] != tasks[items])] = 0.0
    return np.asarray(cross, dtype=float)
