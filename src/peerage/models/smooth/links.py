"""Inverse links: from a gap of scores, times the grader's scale, to the chance that the better item wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x))."""
    from scipy.special import expit  # not needed by a fit

    return np.asarray(expit(x))


def normal_cdf(x: Floats) -> Floats:
    """P(Z <= x) for a standard normal Z."""
    from scipy.special import ndtr

    return np.asarray(ndtr(x))
