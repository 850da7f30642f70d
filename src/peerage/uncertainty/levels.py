"""Levels of sections and of weakly linked parts: scores of one part may all be higher than those of another.

Scores are drawn from one stock by the prior of the models, s ~ Normal(0, v). Sections are not: each has a
level of its own, s = level + Normal(0, v) with level ~ Normal(0, t). Where many lists have items of both,
that makes no difference. Where few do, the one stock holds the sections together, and ranks across them look
surer than they are.

The posterior is normal, with mean m and covariance C under one stock. With U the items of every part, the
precision of the prior changes by  -U D U',  D = 1 / (v (size + v / t)),  so that by Woodbury's formula

    C_t = C + C U (D^-1 - K)^-1 U' C,   m_t = m + C U (D^-1 - K)^-1 U' m,   K = U' C U

and the evidence of t is, but for a constant,

    -1/2 sum log(1 + size t / v) - 1/2 log |I - K D| + 1/2 (U' m)' (D^-1 - K)^-1 (U' m) .

Mean and covariance are averaged over t, whose root has a half-Cauchy prior of scale v^(1/2) / 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peerage.models.solver.dense import multiply

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

USUAL = 0.5  # standard deviation of levels in units of that of scores: where the half-Cauchy prior halves
RATIOS = np.linspace(0.05, 2.5, 25)  # of the two standard deviations, equally spaced: a mean over the prior


class Levels(NamedTuple):
    """What levels add: to the mean a shift, to the covariance columns times themselves."""

    shift: Floats
    columns: Floats


def add_levels(mean: Floats, covariance: Floats, parts: NDArray[np.int64], variance: float) -> Levels:
    """Of scores with this mean and covariance under one stock of this variance, averaged over t."""
    members = np.eye(int(parts.max()) + 1)[:, parts]
    spread = multiply(covariance, members.T.copy())  # C U
    inner, of_parts, sizes = multiply(members, spread), members @ mean, members.sum(axis=1)
    shifts, squares, weights = [], [], []
    for ratio in RATIOS:
        t = variance * ratio**2
        d = 1.0 / (variance * (sizes + variance / t))
        gain = np.linalg.inv(np.diag(1.0 / d) - inner)
        _, log_det = np.linalg.slogdet(np.eye(len(d)) - inner * d)
        evidence = -np.log1p(sizes * t / variance).sum() - log_det + of_parts @ gain @ of_parts
        weights.append(0.5 * evidence - np.log1p((ratio / USUAL) ** 2))
        shifts.append(gain @ of_parts)
        squares.append(gain)
    share = np.exp(np.array(weights) - max(weights))
    share /= share.sum()
    shift = share @ np.array(shifts)
    apart = np.array(shifts) - shift
    square = np.einsum("t,tij->ij", share, np.array(squares)) + np.einsum("t,ti,tj->ij", share, apart, apart)
    values, vectors = np.linalg.eigh(square)
    return Levels(spread @ shift, multiply(spread, vectors * np.sqrt(np.maximum(values, 0.0))))
