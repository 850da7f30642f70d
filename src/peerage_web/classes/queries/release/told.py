"""A grade as a student reads it: the figures, and what they rest on. Staff see the same before release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from peerage_web.classes.models import GradingRun, Release, ReleasedGrade, RunGrade
from peerage_web.classes.queries.grading.final import PARTS, FinalGrade

# what students see of a grade: to whom all of these stay, nothing has changed
SEEN = ("work_id", "points", "points_low", "points_high", "letter", "by_hand", "reviewing", "total")
SURE = 0.95  # from here on a letter is told without its chance, as the library's own page for students does


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the mark for reviewing, 0 to 100, and what it counts in per cent."""

    code: str
    value: float | None
    weight: float


@dataclass(frozen=True, slots=True)
class Told:
    """Everything on the page but the comments."""

    grade: ReleasedGrade
    scale: tuple[float, float]
    level: int  # of the band, in per cent
    reviews: int  # in which the work was ranked
    with_staff: bool  # the band also covers how far staff and peers may be apart
    letter_chance: int | None  # in per cent; None where the letter is certain enough
    parts: tuple[Part, ...]
    asked: int
    given: int
    review_weight: int

    @property
    def digits(self) -> int:
        """After the point, for this scale."""
        return 1 if self.scale[1] - self.scale[0] >= 20 else 2

    @property
    def has_band(self) -> bool:
        """Whether the points are an estimate with a range."""
        one = self.grade
        return one.points is not None and not one.by_hand and one.points_low is not None

    @property
    def work_weight(self) -> int:
        """Per cent of the mark that are not for reviewing."""
        return 100 - self.review_weight

    @property
    def picture(self) -> dict[str, float]:
        """Where point and band lie on the scale, in per cent of its length."""
        one, (low, high) = self.grade, self.scale
        values = {"at": one.points, "low": one.points_low, "high": one.points_high}
        share = {
            name: 100 * (value - low) / (high - low) for name, value in values.items() if value is not None
        }
        return {name: round(min(max(value, 0.0), 100.0), 2) for name, value in share.items()}


def told(grade: ReleasedGrade, run: GradingRun) -> Told:
    """What this grade of this run says to its student."""
    of_work = RunGrade.objects.filter(run=run, work=grade.work_id).first() if grade.work_id else None
    return Told(
        grade=grade,
        scale=scale_of(run),
        level=round(100 * float(run.options.get("interval") or 0.9)),
        reviews=of_work.reviews if of_work is not None else 0,
        with_staff=RunGrade.objects.filter(run=run, staff__isnull=False).exists(),
        letter_chance=_chance(grade, of_work),
        parts=_parts(grade.reviewing_parts),
        asked=int(grade.reviewing_parts.get("asked", 0)),
        given=int(grade.reviewing_parts.get("given", 0)),
        review_weight=int(run.plan.get("reviewing", 0)),
    )


def scale_of(run: GradingRun) -> tuple[float, float]:
    """From the lowest to the highest points."""
    low, _colon, high = str(run.options.get("scale") or "0:100").partition(":")
    return float(low), float(high)


def _chance(grade: ReleasedGrade, of_work: RunGrade | None) -> int | None:
    if grade.by_hand or of_work is None or of_work.letter_chance is None or not grade.letter:
        return None
    return round(100 * of_work.letter_chance) if of_work.letter_chance < SURE else None


def _parts(kept: dict[str, Any]) -> tuple[Part, ...]:
    """A part that cannot be told leaves its weight to the others (see `reviewing_mark`)."""
    weights, counted = kept.get("weights", {}), kept.get("counted", [])
    whole = sum(weights[code] for code in counted)
    return tuple(
        Part(code, kept.get(code), 100 * weights[code] / whole if code in counted else 0.0)
        for code in PARTS
        if weights.get(code)
    )


def snapshot(one: FinalGrade, release: Release | None = None) -> ReleasedGrade:
    """A final grade as it is released, or would be; not saved."""
    return ReleasedGrade(
        release=release,
        membership=one.membership,
        work=one.work,
        points=one.points,
        points_low=one.low,
        points_high=one.high,
        letter=one.letter,
        by_hand=one.by_hand,
        reviewing=one.reviewing,
        reviewing_parts=one.reviewing_parts,
        total=one.total,
    )


def differs(one: ReleasedGrade, other: ReleasedGrade) -> bool:
    """Whether a student would see something else."""
    return any(getattr(one, name) != getattr(other, name) for name in SEEN)
