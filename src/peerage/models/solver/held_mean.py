"""Reliabilities whose weighted mean is held at 1, where lists tell only the product of reliability and score.

Double all reliabilities and halve all scores: no list notices. The priors do, but in a joint mode they decide
by how many items there are for every grader, and where items are many they shrink the scores and inflate the
reliabilities. So the mean of the reliabilities, each by its grader's evidence, is held at 1, and the scores
alone say how far apart items are. Graders who share no item, even through others, have scales of their own:
every such group is held by itself.

For given scores the scales solve a convex problem with one linear constraint per group. It stays separable
but for the multipliers of the constraints, so that everything costs what it does without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.models.solver.dense import dot
from peerage.models.solver.profile import HIGHEST, LOWEST, SCALE_STEPS, ProfileObjective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.objective import Objective
    from peerage.models.solver.prior import GammaPrior

    Floats = NDArray[np.float64]

MULTIPLIER_STEPS = 60
ROUNDING = 1e-13  # a relative step this small is none, and there will be no smaller one
FEASIBLE = 1e-14  # how far the mean may be from 1
GROWTH = 4.0  # a reliability whose curve is too flat to say where it ends grows no more than this in a step


class HeldMeans:
    """Groups of graders, and the weights, adding up to 1 in each group, of the mean that is held at 1.

    groups : int64[n_graders], item_groups : int64[n_items]; who is in no group has weight 0
    """

    def __init__(self, evidence: Floats, groups: NDArray[np.int64], item_groups: NDArray[np.int64]) -> None:
        self.n_groups = int(groups.max(initial=0)) + 1
        self.groups, self.item_groups = groups, item_groups
        total = self.totals(evidence)
        self.weights = evidence / self.spread(np.where(total > 0, total, 1.0))
        self.empty = not (total > 0).any()

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

    def multipliers(self, slope: Floats, barrier: Floats) -> Floats:
        """The l of each group at which the mean of  eta = barrier / (slope + l weight)  is 1.

        That eta is where  slope eta - barrier log eta + l weight eta  is least. One over the mean is concave
        and rising in l, and nearly straight: Newton's method goes there from below without overshooting.
        """
        w = self.weights
        at = np.full(self.n_groups, -np.inf)
        used = np.flatnonzero(w > 0)
        np.maximum.at(at, self.groups[used], barrier[used] - slope[used] / w[used])
        at[np.isinf(at)] = 0.0
        for _ in range(MULTIPLIER_STEPS):
            with np.errstate(divide="ignore", invalid="ignore"):
                eta = np.where(w > 0, barrier / (slope + self.spread(at) * w), 0.0)
                mean, fall = self.totals(w * eta), self.totals(np.where(w > 0, (w * eta) ** 2 / barrier, 0.0))
            step = np.where(fall > 0, mean * (mean - 1.0) / np.where(fall > 0, fall, 1.0), 0.0)
            at = at + step
            if np.all(np.abs(mean - 1.0) <= FEASIBLE) or not (np.abs(step) > 1e-15 * np.abs(at)).any():
                break
        return at


class Tangent:
    """The moves of the scales that leave the held means alone, and the curvature D along them.

    With D (diagonal) and the gradient c of the held mean of a group, the inverse of D on these moves
    is  D^-1 - D^-1 c c' D^-1 / (c' D^-1 c),  group by group.
    """

    def __init__(self, held: HeldMeans, gradient: Floats, curvature: Floats) -> None:
        self.held, self.gradient = held, gradient
        with np.errstate(divide="ignore"):
            self.inverse = np.where(curvature != 0, 1.0 / curvature, 0.0)
        size = held.totals(gradient**2 * self.inverse)
        self.size = np.where(size > 0, size, np.inf)

    @classmethod
    def free(cls, curvature: Floats, n_items: int) -> Tangent:
        """No mean is held: all moves."""
        none = np.zeros(len(curvature))
        held = HeldMeans(none, none.astype(np.int64), np.zeros(n_items, dtype=np.int64))
        return cls(held, none, curvature)

    def multipliers(self, pull: Floats) -> Floats:
        """By group, what has to be added to a pull so that it moves no mean."""
        return -self.held.totals(self.gradient * self.inverse * pull) / self.size

    def solve(self, pull: Floats) -> Floats:
        """The inverse times a pull on every scale (or on every row of a matrix)."""
        return np.asarray(self.inverse * (pull + self.gradient * self.held.spread(self.multipliers(pull))))

    def variance(self) -> Floats:
        """The diagonal of the inverse."""
        part = (self.gradient * self.inverse) ** 2
        return np.maximum(self.inverse - part / self.held.spread(self.size), 0.0)

    def project(self, noise: Floats) -> Floats:
        """White noise (rows) as moves whose covariance is the inverse."""
        moves = noise * np.sqrt(self.inverse)
        off = self.held.totals(self.gradient * moves) / self.size
        return np.asarray(moves - self.inverse * self.gradient * self.held.spread(off))

    def unused(self, noise: Floats) -> Floats:
        """By grader, the part of white noise that moves nothing."""
        root = np.sqrt(self.inverse) * self.gradient
        return np.asarray(root * self.held.spread(self.held.totals(root * noise) / self.size))

    def log_volume(self) -> float:
        """The log of the volume of a normal distribution on these moves, over that of white noise on all."""
        held = self.held.totals(self.gradient**2)
        bound = np.isfinite(self.size) & (held > 0)
        with np.errstate(divide="ignore"):
            free = 0.5 * np.log(2 * np.pi * self.inverse[self.inverse > 0]).sum()
        return float(free - 0.5 * np.log(2 * np.pi * self.size[bound] / held[bound]).sum())

    def outer(self, by_item: Floats) -> Floats:
        """By item what is to be multiplied with itself: r / sqrt(c' D^-1 c) of the item's group."""
        return np.asarray(by_item / np.sqrt(self.size)[self.held.item_groups])


class HeldMeanProfile(ProfileObjective):
    """Every reliability is the best one for the scores, given that their mean is 1."""

    tangent: Tangent

    def __init__(self, objective: Objective, prior: GammaPrior, held: HeldMeans) -> None:
        super().__init__(objective, prior)
        self.held = held
        self.multipliers = np.zeros(held.n_groups)

    def evaluate(self, scores: Floats, start: Floats | None = None) -> float:
        """Go to these scores, solve the scales there; the value there, the last step foreseen."""
        low, high = (limit ** (1 / self.prior.power) for limit in (LOWEST, HIGHEST))
        trial = self._on_constraint(np.clip(self.scales if start is None else start, low, high))
        scales, value = trial, np.inf
        for _ in range(SCALE_STEPS):
            there = self.objective.evaluate(scores, trial) + self.prior.value(trial)
            if there > value + 1e-12 * (1.0 + abs(value)):
                trial = self._halfway(scales, trial)
                continue
            scales, value = trial, there
            first, second = self.objective.scale_derivatives()
            first, second = first + self.prior.gradient(scales), second + self.prior.curvature(scales)
            trial = self._better(scales, first, second)
            if np.all(np.abs(trial - scales) <= max(self.inner_tolerance, ROUNDING) * scales):
                break
        if self.objective.scales is not scales:
            self.objective.evaluate(scores, scales)
            self.objective.scale_derivatives()
        self._foresee(scales, first, second)
        self.held_rate = self.held.spread(self.multipliers) * self.held.weights
        self.scales = np.clip(scales + self.scale_step, low, high)
        return value + 0.5 * dot(first, self.scale_step)

    def _on_constraint(self, scales: Floats) -> Floats:
        """The same scales, all of a group by one factor, with means of 1."""
        mean = self.held.means(scales**self.prior.power)
        return np.asarray(scales / mean ** (1 / self.prior.power))

    def _halfway(self, scales: Floats, trial: Floats) -> Floats:
        power = self.prior.power
        return np.asarray((0.5 * (scales**power + trial**power)) ** (1 / power))

    def _better(self, scales: Floats, first: Floats, second: Floats) -> Floats:
        """The best scales if every curve were  slope eta - barrier log eta,  as the prior and errors are."""
        power = self.prior.power
        eta = scales**power
        turn = scales / (power * eta)
        rise = first * turn
        bend = second * turn**2 + rise * (1.0 / power - 1.0) / eta
        slope = rise + bend * eta
        flattest = np.where(rise < 0, -rise / (GROWTH - 1.0), np.where(bend > 0, 0.0, 2.0 * rise + 1e-12))
        slope = np.maximum(slope, flattest)
        barrier = eta * (slope - rise)
        multipliers = self.held.multipliers(slope, barrier)
        self.multipliers = multipliers
        best = barrier / (slope + self.held.spread(multipliers) * self.held.weights)
        return np.asarray(np.clip(best, LOWEST, HIGHEST) ** (1 / power))

    def _foresee(self, scales: Floats, first: Floats, second: Floats) -> None:
        """Curvature and last step of the scales along the constraint."""
        power, w = self.prior.power, self.held.weights
        along = power * w * scales ** (power - 1)
        pull = self.held.spread(self.multipliers)
        bent = second + pull * power * (power - 1) * w * scales ** (power - 2)
        self.scale_curvature = np.where(self._at_bound(scales, first + pull * along), np.inf, bent)
        self.tangent = Tangent(self.held, along, self.scale_curvature)
        self.scale_step = -self.tangent.solve(first)

    def hessian(self) -> Floats:
        """Hessian there, as a matrix: that of free scales, and what holding their means adds."""
        matrix = super().hessian()
        tangent, groups = self.tangent, self.held.item_groups
        with_it = tangent.outer(self.objective.mixed_by_item(tangent.inverse * tangent.gradient))
        same = groups[:, None] == groups
        return np.asarray(matrix + np.where(same, with_it[:, None] * with_it, 0.0))

    def scale_response(self, direction: Floats) -> Floats:
        """How the best scales move along a direction in the scores, to first order."""
        return -self.tangent.solve(self.objective.mixed_by_grader(direction))
