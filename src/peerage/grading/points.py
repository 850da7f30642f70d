"""Points: what makes them, if anything does, and how scores become them.

Orders say who stands above whom, not how good a submission is. So points need a rule that somebody chose:
staff grades, a curve, or the graders' own scores where they gave some. Without one there is a standing, the
rank and the percentile with their intervals, and no points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from peerage._options import named
from peerage.errors import DataError, NoPointsError, PointsChoice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.grading.letters import Letters
    from peerage.models.base import Estimator, ScoreScale

    Floats = NDArray[np.float64]

PointsRule = Literal["staff grades", "curve", "scores", "none"]

# What scales end at.
EVERYDAY = (1, 4, 5, 10, 12, 15, 20, 25, 30, 50, 100, 200, 500, 1000)  # a best of 6.8 is rather one of 10
USED = 0.2  # graders who use less of the scale than this were surely grading on another
TOO_MANY = 1 / 3  # of a task: a curve that cuts off more does not fit its scale
QUOTAS = "A:20%,B:30%,C:50%"  # an example
FIRST_STAFF_GRADES = 5  # three are enough for a map; five say more, and are still quickly done
NO_POINTS = (
    "There are no points: the reviews say who stands above whom, not how good an item is. The rank and the"
    " percentile, each with its interval, are the standing in this class."
)
NO_SCALE = "There are no points, because no scale was stated: scores are on the graders' own scale."


@dataclass(frozen=True, slots=True)
class Scale:
    """The least and the most that points can be."""

    low: float
    high: float

    @property
    def text(self) -> str:
        """As it is written on the command line."""
        return f"{self.low:g}:{self.high:g}"

    def clip(self, points: NDArray[np.floating[Any]]) -> Floats:
        return np.asarray(np.clip(points, self.low, self.high), dtype=float)

    def beyond(self, points: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
        """1 above the top of the scale, -1 below its bottom, 0 on it, but for rounding."""
        same = 1e-9 * (self.high - self.low)
        above, below = points > self.high + same, points < self.low - same
        return above.astype(np.int64) - below.astype(np.int64)


def parse_scale(scale: str | Sequence[float], name: str = "scale") -> Scale:
    """A scale from `LOW:HIGH`, or from the two numbers.

    >>> parse_scale("0:100").high, parse_scale((0, 10)).text
    (100.0, '0:10')
    """
    low, high = _two_numbers(scale)
    if not low < high:
        raise DataError(f"{named(name)} {scale!r} is not LOW:HIGH, as in 0:100")
    return Scale(low, high)


@dataclass(frozen=True, slots=True)
class Curve:
    """The mean of a class's points and their standard deviation, which divides by the number of items."""

    mean: float
    sd: float

    @property
    def text(self) -> str:
        """As it is written on the command line."""
        return f"{self.mean:g}:{self.sd:g}"

    def check_within(self, scale: Scale) -> None:
        """Refuse a mean that the scale does not have, or only at its end."""
        if not scale.low < self.mean < scale.high:
            raise DataError(
                f"the mean {self.mean:g} of the curve {self.text} lies outside the scale {scale.text}:"
                " give curve and scale in the same points"
            )


def parse_curve(curve: str | Sequence[float]) -> Curve:
    """A curve from `MEAN:SD`, or from the two numbers.

    >>> parse_curve("75:10").sd
    10.0
    """
    mean, sd = _two_numbers(curve)
    if math.isnan(mean):
        raise DataError(
            f"{named('curve')} {curve!r} is not MEAN:SD, the class mean and standard deviation, as in 75:10"
        )
    if sd <= 0:
        raise DataError(
            f"the standard deviation of the {named('curve')} {curve!r} must be above 0, as in 75:10"
        )
    return Curve(mean, sd)


def _two_numbers(value: str | Sequence[float]) -> tuple[float, float]:
    """Two finite numbers with a colon between them, or NaN twice."""
    try:
        first, second = (float(part) for part in (value.split(":") if isinstance(value, str) else value))
    except (TypeError, ValueError):
        return math.nan, math.nan
    return (first, second) if math.isfinite(first) and math.isfinite(second) else (math.nan, math.nan)


def common_scale(grades: Floats) -> tuple[float, float] | None:
    """From 0 to where a scale with such grades ends, if there is one that people use."""
    end = next((top for top in EVERYDAY if grades.max() <= top), None)
    return None if end is None or grades.min() < 0 else (0.0, float(end))


def decimals(spread: float) -> int:
    """Decimals that suit points spread this wide.

    >>> decimals(60.0), decimals(4.0), decimals(0.05)
    (1, 2, 3)
    """
    if spread >= 30:
        return 1
    return 2 + (math.ceil(math.log10(0.3 / spread)) if 0 < spread < 0.3 else 0)


# -- what makes the points ------------------------------------------------------------------------------


def points_rule(
    kind: ScoreScale,
    *,
    has_staff_grades: bool,
    scale: Scale | None,
    peer_scale: Scale | None,
    curve: Curve | None,
    letters: Letters | None,
) -> PointsRule:
    """What makes points of a method's scores; refused where points are wanted and nothing does.

    `kind` is the method's ``score_scale``.
    """
    if has_staff_grades and curve is not None:
        raise DataError(
            f"staff grades and the curve {curve.text} both say what points are: leave out {named('anchors')}"
            f" or {named('curve')}"
        )
    if has_staff_grades:
        return "staff grades"
    if kind != "grading" and peer_scale is not None:
        raise DataError(
            f"a peer scale ({peer_scale.text}) is for methods that use graders' scores, and this one uses"
            " their orders"
        )
    if curve is not None:
        return "curve"
    by_points = letters is not None and letters.cuts is not None
    if kind == "grading":
        if scale is None and by_points:
            raise DataError(
                f"cut-points need points to cut: say the scale with {named('scale', 'LOW:HIGH')}, give staff"
                f" grades with {named('anchors')}, or give quotas such as {QUOTAS}"
            )
        return "none" if scale is None else "scores"
    if scale is not None or by_points:
        of = f"of {scale.text}" if scale is not None else f"for {letters.text}" if letters is not None else ""
        raise no_points(
            "grades are made from orders here: these say who stands above whom, not how many points"
            f" {of} an item is worth",
            scale,
            letters,
        )
    return "none"


def no_points(why: str, scale: Scale | None = None, letters: Letters | None = None) -> NoPointsError:
    """The refusal of points that nothing makes, with the four ways to grade."""
    choices = _choices(scale, letters)
    lines = [f"{why}. Say what makes the grades:", *(f"  {_in_words(choice)}" for choice in choices)]
    return NoPointsError("\n".join(lines), choices=choices)


def _choices(scale: Scale | None, letters: Letters | None) -> tuple[PointsChoice, ...]:
    """The four ways to grade orders, with this scale and these letters as far as they fit."""
    cuts = np.asarray(() if letters is None or letters.cuts is None else letters.cuts, dtype=float)
    low, high = (0.0, 100.0) if scale is None else (scale.low, scale.high)
    if scale is None and len(cuts):
        low, high = common_scale(cuts) or (min(0.0, float(cuts.min()) - 1), float(cuts.max()) + 1)
    span = high - low
    curve = Curve(low + 0.75 * span, 0.1 * span)
    no_scale: dict[str, Any] = {} if scale is None else {"scale": None}
    no_letters: dict[str, Any] = {} if letters is None else {"letters": None}
    quotas = letters.text if letters is not None and letters.shares is not None else QUOTAS
    return (
        PointsChoice(
            "staff grades of three or more items (recommended)",
            {"anchors": "FILE"},
            first={**no_scale, **no_letters, "staff_budget": FIRST_STAFF_GRADES},
        ),
        PointsChoice(
            "a curve, such as a class mean of"
            f" {curve.mean:g} points and a standard deviation of {curve.sd:g}",
            {"scale": Scale(low, high).text, "curve": curve.text},
        ),
        PointsChoice("quotas of letters, and no points", {**no_scale, "letters": quotas}),
        PointsChoice("complete or incomplete, and no points", {**no_scale, **no_letters, "complete": True}),
    )


def _in_words(choice: PointsChoice) -> str:
    """A choice on one line, with its options as the reader would write them."""
    options = [named(name, value) for name, value in choice.options.items() if value is not None]
    left_out = [named(name) for name, value in choice.options.items() if value is None]
    without = f", without {' and '.join(left_out)}" if left_out else ""
    return f"{choice.words}: {', '.join(options)}{without}"


# -- how scores become points ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class PointsMap:
    """Points linear in the score, cut off at the ends of the scale; one line per item, the same in its task.

    Larger scores of a task never get fewer points.
    """

    intercept: Floats
    slope: Floats
    scale: Scale
    sentence: str

    def __call__(self, scores: NDArray[np.floating]) -> Floats:
        """Points of the items' scores: one class, or one class per row."""
        return self.scale.clip(self.uncut(scores))

    def uncut(self, scores: NDArray[np.floating]) -> Floats:
        return np.asarray(self.intercept + self.slope * scores, dtype=float)


def points_map(fitted: Estimator, scale: Scale, peer_scale: Scale | None, curve: Curve | None) -> PointsMap:
    """The map by a curve, or from scores on the graders' own scale."""
    if curve is not None:
        return _curve_map(fitted.feedback_, fitted.scores_, scale, curve)
    return _score_map(fitted.feedback_, scale, peer_scale)


def _score_map(feedback: Feedback, scale: Scale, peer_scale: Scale | None) -> PointsMap:
    source = peer_scale or scale
    marks = np.asarray(feedback.scores)
    least, most = float(np.nanmin(marks)), float(np.nanmax(marks))
    if least < source.low or most > source.high:
        raise DataError(
            f"graders' scores run from {least:g} to {most:g}, beyond the scale {source.text}:"
            f" say the scale they graded on with {named('peer_scale', 'LOW:HIGH')}"
        )
    if peer_scale is None and most - least < USED * (scale.high - scale.low):
        raise DataError(
            f"graders' scores run from {least:g} to {most:g}, a small part of the scale {scale.text}:"
            f" say the scale they graded on with {named('peer_scale', 'LOW:HIGH')}"
            f" ({scale.text} if it was that one)"
        )
    slope = (scale.high - scale.low) / (source.high - source.low)
    text = (
        "Points are the estimated scores on the graders' own scale"
        if slope == 1 and source.low == scale.low
        else f"Points are the estimated scores, moved from the graders' scale {source.text} to {scale.text}"
    )
    sentence = f"{text}: what the class would give on average, not what staff would."
    ones = np.ones(feedback.n_items)
    return PointsMap((scale.low - slope * source.low) * ones, slope * ones, scale, sentence)


def _curve_map(feedback: Feedback, scores: Floats, scale: Scale, curve: Curve) -> PointsMap:
    """Every task by itself: its reviewed items get this mean and standard deviation, before any is cut."""
    intercept, slope = np.empty((2, feedback.n_items))
    for task, (low, high) in enumerate(itertools.pairwise(feedback.task_starts)):
        of_task = f" of task {feedback.task_labels[task]!r}" if feedback.n_tasks > 1 else ""
        reviewed = scores[low:high][feedback.item_reviews[low:high] > 0]  # others have no score of their own
        centre, spread = (float(reviewed.mean()), float(reviewed.std())) if len(reviewed) else (0.0, 0.0)
        if spread <= 1e-9 * max(1.0, abs(centre)):
            raise DataError(
                f"the reviews put no item{of_task} above another, so a curve cannot tell them apart:"
                f" have staff grade, or use {named('complete', True)}"
            )
        slope[low:high] = curve.sd / spread
        intercept[low:high] = curve.mean - curve.sd / spread * centre
        points = curve.mean + curve.sd / spread * (reviewed - centre)
        beyond = int(np.count_nonzero(scale.beyond(points)))
        if beyond > TOO_MANY * len(reviewed):
            raise DataError(
                f"the curve {curve.text} is too wide for the scale {scale.text}: {beyond:,} of"
                f" {len(reviewed):,} items{of_task} would be cut off at its ends; give a smaller standard"
                " deviation"
            )
    each = "of each task " if feedback.n_tasks > 1 else ""
    sentence = (
        "Points are by a curve that the instructor chose: scores were moved and stretched so that the mean"
        f" {each}is {curve.mean:g} and the standard deviation (dividing by the number of items) {curve.sd:g},"
        f" on {scale.text}. They say where an item stands in this class, not how good it is."
    )
    return PointsMap(intercept, slope, scale, sentence)
