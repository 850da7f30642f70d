"""The graders of one part where the mean of all reliabilities is held at 1: what the part can know of that.

For given multipliers of the held means, every grader is on its own again: the multiplier times the grader's
weight joins the rate of its prior. Who knows all parts finds the multipliers (`HeldPartedProfile`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from peerage._parts import Told
from peerage.models.solver.prior import GammaPrior
from peerage.models.solver.profile import HIGHEST, LOWEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.solver.profile import ProfileObjective

    Floats = NDArray[np.float64]


class HeldPart:
    """Weights and groups of the graders of a part, and how their scales follow the multipliers.

    along : by grader, how much its scale falls as the multiplier of its group rises
    mean, fall : by group, the part's share of the held mean, and how fast it falls
    """

    along: Floats
    mean: Floats
    fall: Floats

    def __init__(self, feedback: Feedback, item_groups: NDArray[np.int32], evidence: Floats) -> None:
        self.n_groups = len(evidence)
        own, self.groups = _of_graders(feedback, item_groups)
        self.weights = own / np.where(evidence > 0, evidence, 1.0)[self.groups]

    def _totals(self, by_grader: Floats) -> Floats:
        return np.asarray(np.bincount(self.groups, by_grader, self.n_groups), dtype=np.float64)

    def prior(self, prior: GammaPrior, multipliers: Floats) -> GammaPrior:
        """The prior as it is with these multipliers."""
        return replace(prior, rate=prior.rate + multipliers[self.groups] * self.weights)

    def look(self, profile: ProfileObjective, scales: Floats) -> None:
        """After the scales were solved: the mean, as it is once they have taken their foreseen step."""
        power, curvature = profile.prior.power, profile.scale_curvature
        gradient = power * self.weights * scales ** (power - 1)
        with np.errstate(divide="ignore"):
            self.along = np.where(curvature > 0, gradient / curvature, 0.0)
        self.mean = self._totals(self.weights * scales**power + gradient * profile.scale_step)
        self.fall = self._totals(gradient * self.along)

    def moved(self, multipliers: Floats) -> Floats:
        """How far scales fall as the multipliers rise by so much."""
        return np.asarray(multipliers[self.groups] * self.along)

    def settled(self, profile: ProfileObjective, scales: Floats, shift: Floats) -> Floats:
        """The scales after their last step, the multipliers having taken theirs."""
        low, high = (limit ** (1 / profile.prior.power) for limit in (LOWEST, HIGHEST))
        return np.asarray(np.clip(scales + profile.scale_step - self.moved(shift), low, high))


def evidence_of(feedback: Feedback, item_groups: NDArray[np.int32], n_groups: int) -> Told:
    """What the graders of each group know in all: their strict pairs, lists by weight."""
    own, groups = _of_graders(feedback, item_groups)
    return Told((np.asarray(np.bincount(groups, own, n_groups), dtype=np.float64),))


def _of_graders(feedback: Feedback, item_groups: NDArray[np.int32]) -> tuple[Floats, NDArray[np.int64]]:
    """What each grader knows, and its group; the first group where it knows nothing."""
    pairs = feedback.list_strict_pairs
    evidence = np.asarray(
        np.bincount(feedback.list_graders, pairs * feedback.list_weights, feedback.n_graders),
        dtype=np.float64,
    )
    groups = np.zeros(feedback.n_graders, dtype=np.int64)
    speak = np.flatnonzero(pairs > 0)
    groups[feedback.list_graders[speak]] = item_groups[feedback.items[feedback.list_starts[speak]]]
    return evidence, groups
