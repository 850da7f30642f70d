"""Reliabilities whose weighted mean is held at 1, where lists tell only the product of reliability and score.

Double all reliabilities and halve all scores: no list notices. The priors do, but in a joint mode they decide
by how many items there are for every grader, and where items are many they shrink the scores and inflate the
reliabilities. So the mean of the reliabilities, each by its grader's evidence, is held at 1, and the scores
alone say how far apart items are. Graders who share no item, even through others, have scales of their own:
every such group is held by itself.

With a multiplier l for each group,  F(s) = max over l of  sum over graders of min over a of
(F_g(s, a) + prior + l w a^power)  - l.  For a given l every grader is on its own again: l times the grader's
weight joins the rate of its prior. Who knows all parts finds the multipliers (`ConstrainedProfile`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from peerage.models.solver.scales import HIGHEST, LOWEST, GammaPrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class ReliabilityConstraint:
    """The graders of a part under the constraint, and how their scales follow the multipliers.

    weights : by grader, adding up to 1 in each group of all parts; 0 for those of whom nothing is known
    groups, item_groups : by grader and by item
    along : by grader, how much its scale falls as the multiplier of its group rises
    mean, fall : by group, the part's share of the weighted mean, and how fast it falls
    """

    along: Floats
    mean: Floats
    fall: Floats

    def __init__(
        self,
        weights: Floats,
        groups: NDArray[np.int64],
        item_groups: NDArray[np.int64],
        n_groups: int,
        power: int = 1,
    ) -> None:
        self.weights, self.groups, self.item_groups = weights, groups, item_groups
        self.n_groups, self.power = n_groups, power

    def totals(self, by_grader: Floats) -> Floats:
        """Sums over every group, of a vector or of every row of a matrix."""
        if self.n_groups == 1:
            return np.asarray(by_grader.sum(axis=-1, keepdims=True))
        if by_grader.ndim == 1:
            return np.asarray(np.bincount(self.groups, by_grader, self.n_groups), dtype=np.float64)
        return np.stack([np.bincount(self.groups, row, self.n_groups) for row in by_grader])

    def spread(self, by_group: Floats) -> Floats:
        """To every grader the number of its group."""
        return np.asarray(by_group[..., self.groups])

    def means(self, reliabilities: Floats) -> Floats:
        """The mean of every grader's group; 1 where there is no evidence."""
        return np.where(self.weights > 0, self.spread(self.totals(self.weights * reliabilities)), 1.0)

    def rate(self, multipliers: Floats) -> Floats:
        """What these multipliers add to the rate of every grader's prior."""
        return multipliers[self.groups] * self.weights

    def prior(self, prior: GammaPrior, multipliers: Floats) -> GammaPrior:
        return replace(prior, rate=prior.rate + self.rate(multipliers))

    def gradient(self, scales: Floats) -> Floats:
        """Of the mean, in every scale."""
        return np.asarray(self.power * self.weights * scales ** (self.power - 1))

    def respond(self, scales: Floats, step: Floats, curvature: Floats) -> None:
        """Take note of solved scales: the mean is as it will be once they have taken their foreseen step."""
        gradient = self.gradient(scales)
        with np.errstate(divide="ignore"):
            self.along = np.where(curvature > 0, gradient / curvature, 0.0)
        self.mean = self.totals(self.weights * scales**self.power + gradient * step)
        self.fall = self.totals(gradient * self.along)

    def response(self, multipliers: Floats) -> Floats:
        """How far scales fall as the multipliers rise by so much."""
        return np.asarray(multipliers[self.groups] * self.along)

    def settled(self, scales: Floats, shift: Floats) -> Floats:
        """Solved scales, the multipliers having taken their last step, too."""
        low, high = (limit ** (1 / self.power) for limit in (LOWEST, HIGHEST))
        return np.asarray(np.clip(scales - self.response(shift), low, high))

    @classmethod
    def none(cls, n_graders: int, n_items: int) -> ReliabilityConstraint:
        """One that holds nothing."""
        groups, item_groups = np.zeros(n_graders, dtype=np.int64), np.zeros(n_items, dtype=np.int64)
        return cls(np.zeros(n_graders), groups, item_groups, 1)


class Tangent:
    """The moves of the scales that leave the held means alone, and the curvature D along them.

    With D (diagonal) and the gradient c of the held mean of a group, the inverse of D on these moves
    is  D^-1 - D^-1 c c' D^-1 / (c' D^-1 c),  group by group.
    """

    def __init__(self, constraint: ReliabilityConstraint, gradient: Floats, curvature: Floats) -> None:
        self.constraint, self.gradient = constraint, gradient
        with np.errstate(divide="ignore"):
            self.inverse = np.where(curvature != 0, 1.0 / curvature, 0.0)
        size = constraint.totals(gradient**2 * self.inverse)
        self.size = np.where(size > 0, size, np.inf)

    @classmethod
    def free(cls, curvature: Floats, n_items: int) -> Tangent:
        """No mean is held: all moves."""
        nothing = ReliabilityConstraint.none(len(curvature), n_items)
        return cls(nothing, np.zeros(len(curvature)), curvature)

    def multipliers(self, pull: Floats) -> Floats:
        """By group, what has to be added to a pull so that it moves no mean."""
        return -self.constraint.totals(self.gradient * self.inverse * pull) / self.size

    def solve(self, pull: Floats) -> Floats:
        """The inverse times a pull on every scale (or on every row of a matrix)."""
        return np.asarray(
            self.inverse * (pull + self.gradient * self.constraint.spread(self.multipliers(pull)))
        )

    def variance(self) -> Floats:
        """The diagonal of the inverse."""
        part = (self.gradient * self.inverse) ** 2
        return np.maximum(self.inverse - part / self.constraint.spread(self.size), 0.0)

    def project(self, noise: Floats) -> Floats:
        """White noise (rows) as moves whose covariance is the inverse."""
        moves = noise * np.sqrt(self.inverse)
        off = self.constraint.totals(self.gradient * moves) / self.size
        return np.asarray(moves - self.inverse * self.gradient * self.constraint.spread(off))

    def unused(self, noise: Floats) -> Floats:
        """By grader, the part of white noise that moves nothing."""
        root = np.sqrt(self.inverse) * self.gradient
        return np.asarray(root * self.constraint.spread(self.constraint.totals(root * noise) / self.size))

    def log_volume(self) -> float:
        """The log of the volume of a normal distribution on these moves, over that of white noise on all."""
        held = self.constraint.totals(self.gradient**2)
        bound = np.isfinite(self.size) & (held > 0)
        with np.errstate(divide="ignore"):
            free = 0.5 * np.log(2 * np.pi * self.inverse[self.inverse > 0]).sum()
        return float(free - 0.5 * np.log(2 * np.pi * self.size[bound] / held[bound]).sum())

    def outer(self, by_item: Floats) -> Floats:
        """By item what is to be multiplied with itself: r / sqrt(c' D^-1 c) of the item's group."""
        return np.asarray(by_item / np.sqrt(self.size)[self.constraint.item_groups])
