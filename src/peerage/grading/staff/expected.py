"""What is usual of staff grades, before any is seen: how far they spread, and about where.

Three staff grades that happen to lie close together, or close to the line, do not show that all do: without
knowing what is usual, letters' chances come out too high just there. On the graders' own scale staff grades
spread about as what peers agree on, a little more because one grade is unsteady, and are on average not far
from it. On a scale that is stated or plain, grades have a standard deviation of about a fifth of the scale (a
tenth to three tenths in the sets with known truth) and a mean of about 60 % of it (40 to 80 %). All this is
held loosely, and gives way to many staff grades.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from peerage.grading.staff.scales import plain_scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.points import Scale

    Floats = NDArray[np.float64]

WIDER = 1.2  # staff grades spread so much wider than what peers agree on
NEAR_PEERS, NEAR_MIDDLE = 0.6, 1.0  # how far the mean is, in standard deviations of staff grades
OF_SCALE, MIDDLE = 0.2, 0.6  # standard deviation and mean of marks, as shares of their scale


@dataclass(frozen=True, slots=True)
class Expected:
    """The standard deviation of staff grades, and their mean where a score is `centre`.

    The mean is mostly within `near` standard deviations of staff grades.
    """

    size: float
    mean: float
    centre: float
    near: float
    source: Literal["peers", "scale"]

    def about(self, score: float, grade: float) -> Expected:
        """The same, counted from this score and this grade."""
        return replace(self, mean=self.mean - grade, centre=self.centre - score)


def by_peers(scores: Floats, variance: Floats) -> Expected:
    """Of a task whose scores, known with these variances, are on the staff's scale."""
    agreed = float(np.sqrt(scores.var() + variance.mean()))
    return Expected(
        WIDER * max(agreed, 1e-12), float(scores.mean()), float(scores.mean()), NEAR_PEERS, "peers"
    )


def by_scale(scores: Floats, grades: Floats, scale: Scale | None) -> Expected | None:
    """Of a task whose scores have no unit; None where the scale is neither stated nor plain."""
    ends = (scale.low, scale.high) if scale is not None else plain_scale(grades)
    if ends is None:
        return None
    low, high = ends
    size, mean = OF_SCALE * (high - low), low + MIDDLE * (high - low)
    return Expected(size, mean, float(scores.mean()), NEAR_MIDDLE, "scale")
