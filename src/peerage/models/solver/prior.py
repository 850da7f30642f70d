"""The prior of a grader's reliability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class GammaPrior:
    """Minus the log of a Gamma(shape, rate) density of eta = a ** power, as a function of the scale a."""

    shape: float
    rate: float | NDArray[np.float64]
    power: int

    def value(self, scales: NDArray[np.float64]) -> float:
        """Sum over graders, without the constant."""
        return float(np.sum(self.rate * scales**self.power - (self.shape - 1) * self.power * np.log(scales)))

    def gradient(self, scales: NDArray[np.float64]) -> NDArray[np.float64]:
        """First derivative in each scale."""
        p = self.power
        return np.asarray(self.rate * p * scales ** (p - 1) - (self.shape - 1) * p / scales)

    def curvature(self, scales: NDArray[np.float64]) -> NDArray[np.float64]:
        """Second derivative in each scale."""
        p = self.power
        return np.asarray(self.rate * p * (p - 1) * scales ** (p - 2) + (self.shape - 1) * p / scales**2)
