"""Where a fitted model stands on its posterior, so that gradient and curvature can be asked for there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.objective import Objective
    from peerage.models.solver.prior import GammaPrior
    from peerage.models.solver.profile import FixedScales


@dataclass(frozen=True, slots=True)
class Mode:
    """A posterior mode: the profile objective, evaluated at the estimate.

    Reported scores are ``shift + unit * (scores of the profile)``, reliabilities ``scales ** power``.
    ``floating`` says that only differences of scores mean anything: the mean of a task is a convention.
    ``order``, where it is given, are reported scores that are better than the posterior's own but for their
    unit: the centre of the posterior takes their order and its own unit.
    """

    profile: FixedScales
    shift: NDArray[np.float64]
    unit: float
    power: int
    floating: bool
    order: NDArray[np.float64] | None = None

    @classmethod
    def at(
        cls,
        scores: NDArray[np.float64],
        profile: FixedScales,
        *,
        shift: NDArray[np.float64] | None = None,
        unit: float = 1.0,
        power: int = 1,
        floating: bool = False,
    ) -> Mode:
        """The mode at these reported scores; the profile's scales are where reliabilities are sought from."""
        origin = np.zeros(profile.n_items) if shift is None else shift
        mode = cls(profile, origin, unit, power, floating)
        mode.move(scores)
        return mode

    @property
    def objective(self) -> Objective:
        """What the profile is made of."""
        return self.profile.objective

    @property
    def prior(self) -> GammaPrior | None:
        """Of the reliabilities; None where they are not estimated."""
        return self.profile.prior

    @property
    def log_reliabilities(self) -> NDArray[np.float64]:
        """Where the profile stands."""
        return np.asarray(self.power * np.log(self.profile.scales))

    def move(self, scores: NDArray[np.float64]) -> None:
        """Go to other reported scores; reliabilities follow."""
        self.profile.evaluate((scores - self.shift) / self.unit)

    def reported(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of the profile as they are reported."""
        return np.asarray(self.shift + self.unit * scores)
