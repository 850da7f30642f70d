"""Staff grades on another scale than the peers': noticed, and put right where it is plain how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage._options import named
from peerage.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.grading.points import Scale
    from peerage.grading.staff.anchors import Anchors

# What scales end at. Ten times another is plainly another: 7 of 10 and 70 of 100.
TOPS = (1, 4, 5, 6, 7, 10, 12, 15, 16, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 500, 1000)
FAR = 5.0  # tops this many times apart are not of one scale
STEPS = (10.0, 5.0, 2.0, 1.0, 0.5, 0.25, 0.2, 0.1)  # in which people grade
ENOUGH_TO_SEE = 5  # staff grades that show their step
FITS = 0.25  # of the scale: by no more do peers and staff differ on average where a factor of ten is plain


@dataclass(frozen=True, slots=True)
class ScaleConversion:
    """Peers' scores on the staff's scale: intercept + slope * score; and what was done, if anything."""

    intercept: float = 0.0
    slope: float = 1.0
    sentence: str = ""

    def __call__(self, scores: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.asarray(self.intercept + self.slope * scores, dtype=float)


def check_within_scale(anchors: Anchors, scale: Scale | None, feedback: Feedback) -> None:
    """Refuse staff grades that the stated scale does not have."""
    if scale is None:
        return
    levelled = float(np.abs(anchors.sources["offset"].to_numpy()).max()) + 1e-9  # level sources may go beyond
    beyond = np.flatnonzero(
        (anchors.grades < scale.low - levelled) | (anchors.grades > scale.high + levelled)
    )
    if len(beyond):
        worst = beyond[np.argmax(np.abs(anchors.grades[beyond] - (scale.low + scale.high) / 2))]
        item = feedback.item_labels[int(anchors.items[worst])]
        raise DataError(
            f"the staff grade {anchors.grades[worst]:g} of item {item!r} lies beyond the scale {scale.text}:"
            f" {named('scale')} is the scale of the staff grades; if graders used another one, say it with"
            f" {named('peer_scale', 'LOW:HIGH')}"
        )


def find_conversion(
    feedback: Feedback,
    scores: NDArray[np.float64],
    anchors: Anchors,
    scale: Scale | None,
    peer_scale: Scale | None,
) -> ScaleConversion:
    """How scores on the graders' scale get to the staff's: as stated, as is plain, or not at all."""
    marks = np.asarray(feedback.scores)
    least, most = float(np.nanmin(marks)), float(np.nanmax(marks))
    if peer_scale is not None:
        if least < peer_scale.low or most > peer_scale.high:
            raise DataError(
                f"graders' scores run from {least:g} to {most:g}, beyond the peer scale {peer_scale.text}"
            )
        return _stated_conversion(peer_scale, scale or peer_scale, anchors)
    low, high = float(anchors.grades.min()), float(anchors.grades.max())
    if scale is not None and scale.low >= 0 and _are_far(high, scale.high):
        raise DataError(
            f"staff grades run from {low:g} to {high:g}, a small part of the scale {scale.text}, which is to"
            f" be theirs: {_state_both()}"
        )
    if scale is not None and _fits_in(scale, np.array([least, most])) and not _are_far(most, scale.high):
        return ScaleConversion()
    if not _seem_apart(least, most, low, high):
        return ScaleConversion()
    factor = _power_of_ten(most, high)
    if factor is not None and (scale is None or _fits_in(scale, factor * np.array([least, most]))):
        top = max(_end_of_scale(high), factor * _end_of_scale(most))
        off = float(np.mean(factor * scores[anchors.items] - anchors.grades))
        if abs(off) <= FITS * top:
            return ScaleConversion(
                slope=factor,
                sentence=f" Staff grades run to {high:g} and graders' scores to {most:g}: the scores were"
                f" taken times {factor:g}.",
            )
    raise DataError(
        f"staff grades run from {low:g} to {high:g} and graders' scores from {least:g} to {most:g}:"
        f" these seem to be two scales; {_state_both()}"
    )


def _stated_conversion(peers: Scale, staff: Scale, anchors: Anchors) -> ScaleConversion:
    low, high = float(anchors.grades.min()), float(anchors.grades.max())
    if low < staff.low or high > staff.high:
        raise DataError(
            f"staff grades run from {low:g} to {high:g}, beyond the scale {staff.text} of the graders:"
            f" say the scale of staff with {named('scale', 'LOW:HIGH')}"
        )
    slope = (staff.high - staff.low) / (peers.high - peers.low)
    if slope == 1 and staff.low == peers.low:
        return ScaleConversion()
    sentence = f" Scores were moved from the graders' scale {peers.text} to {staff.text} first."
    return ScaleConversion(staff.low - slope * peers.low, slope, sentence)


def _state_both() -> str:
    scale, peer_scale = named("scale", "LOW:HIGH"), named("peer_scale", "LOW:HIGH")
    return f"say both scales, {scale} (of staff) and {peer_scale} (of the graders)"


def _fits_in(scale: Scale, numbers: NDArray[np.float64]) -> bool:
    return bool(scale.low <= numbers.min() and numbers.max() <= scale.high)


def _end_of_scale(most: float) -> float:
    """Where a scale with such a number in it ends."""
    return float(next((top for top in TOPS if most <= top), most))


def _are_far(most: float, other: float) -> bool:
    tops = _end_of_scale(most), _end_of_scale(other)
    return max(tops) >= FAR * min(tops)


def _seem_apart(least: float, most: float, low: float, high: float) -> bool:
    """Whether grades from `low` to `high` can hardly be of the scale of others from `least` to `most`."""
    if min(least, low) < 0:
        reach = 0.5 * (most - least)
        return low < least - reach or high > most + reach
    return high > _end_of_scale(most) or _are_far(most, high)


def _power_of_ten(most: float, high: float) -> float | None:
    """The power of ten between two scales, if it is one."""
    ratio = _end_of_scale(high) / _end_of_scale(most)
    return ratio if ratio in (10.0, 100.0) else None  # smaller ones may be staff who thought little of it


def grade_step(grades: NDArray[np.float64]) -> float | None:
    """The step in which staff grade, such as a half point; None where no plain one is seen.

    Grades in half points are all whole ones by luck with a chance of one half each: of few grades the step
    is taken for half of what it seems.

    >>> grade_step(np.array([7.0, 8.5, 6.0, 7.5, 9.0])), grade_step(np.array([7.0, 8.0, 6.0]))
    (0.5, 0.5)
    """
    for step in STEPS:
        if np.allclose(grades / step, np.rint(grades / step), rtol=0.0, atol=1e-6):
            return step if len(grades) >= ENOUGH_TO_SEE else step / 2.0
    return None
