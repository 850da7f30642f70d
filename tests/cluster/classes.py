"""Small classes, and all numbers of a fit."""

from dataclasses import replace

import numpy as np
from tests.models.model_cases import some_class


def small_class(*, weighted: bool = False, ties: bool = False, **shape):
    """160 items, too many for a factorised Hessian, with scores beside the orders; weights of thirds."""
    feedback = some_class(items=160, graders=200, length=6, ties=ties, weights=weighted, **shape)
    return replace(feedback, weights=feedback.list_weights / 3) if weighted else feedback


def bits(fitted) -> bytes:
    """All numbers of a fit."""
    biases = b"" if fitted.biases_ is None else fitted.biases_.tobytes()
    value = np.float64(fitted.objective_).tobytes()
    return fitted.scores_.tobytes() + fitted.reliabilities_.tobytes() + biases + value
