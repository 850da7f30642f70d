"""Inverse links: from a gap of scores, times the grader's scale, to the chance that the better item wins.

In kernels of our own, because importing scipy.special takes longer than a small class takes to grade.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x))."""
    return np.reshape(_logistic(np.ravel(x)), np.shape(x))


@kernel
def _logistic(x: Any) -> Floats:
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = 1.0 / (1.0 + math.exp(-x[i])) if x[i] > -700.0 else math.exp(x[i])  # exp(710) overflows
    return out
