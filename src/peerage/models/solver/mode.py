"""Where a fitted model stands on its posterior, so that gradient and curvature can be asked for there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.models.solver.mean_constraint import Tangent
from peerage.models.solver.profile import ConstrainedProfile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.objective import Objective
    from peerage.models.solver.profile import Profile
    from peerage.models.solver.scales import GammaPrior

    Floats = NDArray[np.float64]


class Mode:
    """A posterior mode: the profile of the whole feedback, evaluated at the estimate.

    Reported scores are ``shift + unit * (scores of the profile)``, reliabilities ``scales ** power``.
    ``floating`` says that only differences of scores mean anything: the mean of a task is a convention.

    scales, scale_curvature : by grader; the curvature is infinite where a scale stays
    order : where it is given, reported scores that are better than the posterior's own but for their unit:
        the centre of the posterior moves from its mode as they do
    """

    order: Floats | None = None

    def __init__(
        self,
        scores: Floats,
        profile: Profile,
        *,
        shift: Floats | None = None,
        unit: float = 1.0,
        power: int = 1,
        floating: bool = False,
    ) -> None:
        """At these reported scores; the profile's start is where the scales are sought from."""
        self.profile, self.unit, self.power, self.floating = profile, unit, power, floating
        self.shift = np.zeros(profile.n_items) if shift is None else shift
        self.move(scores)

    def move(self, scores: Floats, start: Floats | None = None) -> None:
        """Go to other reported scores; reliabilities follow, sought from a start, or from where they are."""
        profile = self.profile
        if start is not None:
            profile.restart(start)
        profile.evaluate((scores - self.shift) / self.unit)
        self.scales, *_ = profile.by_grader()
        profile.start = self.scales

    @property
    def n_items(self) -> int:
        return self.profile.n_items

    @property
    def n_graders(self) -> int:
        return self.profile.n_graders

    @property
    def objective(self) -> Objective:
        """The joint function of scores and scales."""
        return self.profile.part.objective

    @property
    def prior(self) -> GammaPrior | None:
        """Of the reliabilities; None where they are not estimated."""
        return self.profile.part.prior

    @property
    def scale_curvature(self) -> Floats:
        return np.broadcast_to(self.profile.part.solver.scale_curvature, self.n_graders)

    @property
    def tangent(self) -> Tangent | None:
        """The moves of the scales that the mean constraint leaves; None where there is none."""
        constraint = self.profile.part.constraint
        if constraint is None:
            return None
        return Tangent(constraint, constraint.gradient(self.objective.scales), self.scale_curvature)

    @property
    def constraint_rate(self) -> float | Floats:
        """What the mean constraint adds to the rate of every grader's prior."""
        constraint, profile = self.profile.part.constraint, self.profile
        if constraint is None or not isinstance(profile, ConstrainedProfile):
            return 0.0
        return constraint.rate(profile.multipliers + profile.shift)

    @property
    def log_reliabilities(self) -> Floats:
        return np.asarray(self.power * np.log(self.scales))

    def reported(self, scores: Floats) -> Floats:
        """Scores of the profile as they are reported."""
        return np.asarray(self.shift + self.unit * scores)
