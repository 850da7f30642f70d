"""Released grades: the current release, a grade as the student sees it, and the page of staff."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.final_grades import PARTS, FinalGrade, final_grades
from peerage_web.classes.grading.models import GradingRun, RunGrade
from peerage_web.classes.grading.queries import approved_run, plan_of
from peerage_web.classes.release.models import Release, ReleasedGrade


def current_release(assignment: Assignment) -> Release | None:
    """What students see; None before the first, and where it was taken back."""
    return Release.objects.filter(assignment=assignment, ended_at=None).select_related("run").first()


def current_grade(assignment: Assignment, member: Membership) -> ReleasedGrade | None:
    """A student's grades in it; None where they handed in nothing and nothing was asked of them."""
    grades = ReleasedGrade.objects.filter(release__assignment=assignment, release__ended_at=None)
    return grades.filter(membership=member).select_related("release__run", "work", "membership").first()


def has_seen_a_grade(assignment: Assignment, member: Membership) -> bool:
    """In this or an earlier release: from then on nothing can be rated without knowing it."""
    seen = ReleasedGrade.objects.filter(release__assignment=assignment, membership=member)
    return seen.filter(seen_at__isnull=False).exists()


def was_taken_back(assignment: Assignment, member: Membership) -> bool:
    """Whether the student had a grade here, and none is shown now."""
    theirs = ReleasedGrade.objects.filter(release__assignment=assignment, membership=member)
    return theirs.exists() and not theirs.filter(release__ended_at=None).exists()


def asks_for_ratings(assignment: Assignment) -> bool:
    """Whether comments are rated before a grade is shown; so it is unless staff decided otherwise."""
    return plan_of(assignment).rates_helpfulness


# -- A grade as a student reads it: the figures, and what they rest on. Staff see the same before release


# what students see of a grade: to whom all of these stay, nothing has changed
SEEN = ("work_id", "points", "points_low", "points_high", "letter", "by_hand", "reviewing", "total")
SURE = 0.95  # from here on a letter is told without its chance, as the library's own page for students does


@dataclass(frozen=True, slots=True)
class GradePart:
    """One part of the mark for reviewing, 0 to 100, and what it counts in per cent."""

    code: str
    value: float | None
    weight: float


@dataclass(frozen=True, slots=True)
class StudentGradeView:
    """Everything on the page but the comments."""

    grade: ReleasedGrade
    scale: tuple[float, float]
    level: int  # of the band, in per cent
    reviews: int  # in which the work was ranked
    with_staff: bool  # the band also covers how far staff and peers may be apart
    letter_chance: int | None  # in per cent; None where the letter is certain enough
    parts: tuple[GradePart, ...]
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


def student_grade_view(grade: ReleasedGrade, run: GradingRun) -> StudentGradeView:
    """What this grade of this run says to its student."""
    of_work = RunGrade.objects.filter(run=run, work=grade.work_id).first() if grade.work_id else None
    return StudentGradeView(
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


def _parts(kept: dict[str, Any]) -> tuple[GradePart, ...]:
    """A part that cannot be told leaves its weight to the others (see `reviewing_mark`)."""
    weights, counted = kept.get("weights", {}), kept.get("counted", [])
    whole = sum(weights[code] for code in counted)
    return tuple(
        GradePart(code, kept.get(code), 100 * weights[code] / whole if code in counted else 0.0)
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


# -- What the page of a release shows staff: what students see or would see, and what would change -----


@dataclass(frozen=True, slots=True)
class Line:
    """One student: what they see now, and what they would see if the approved run was released now."""

    membership: Membership
    now: ReleasedGrade | None
    then: ReleasedGrade | None

    @property
    def shown(self) -> ReleasedGrade | None:
        """What the page tells of them."""
        return self.then if self.then is not None else self.now

    @property
    def changes(self) -> bool:
        """Whether a release now would change what they see."""
        return self.then is not None and (self.now is None or differs(self.now, self.then))


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """All lines, and where they are from."""

    run: GradingRun | None  # that would be released
    release: Release | None  # that students see
    lines: list[Line]

    @property
    def changed(self) -> list[Line]:
        """Whom a release now would show something else."""
        return [one for one in self.lines if one.changes]

    @property
    def seen(self) -> int:
        """How many have seen their grade in the present release."""
        return sum(one.now is not None and one.now.seen_at is not None for one in self.lines)

    def line_of(self, member: Membership) -> Line:
        """One student's; empty for whom there is no grade."""
        found = next((one for one in self.lines if one.membership.pk == member.pk), None)
        return found if found is not None else Line(member, None, None)

    @property
    def digits(self) -> int:
        """After the point, for the scale of the run."""
        low, high = scale_of(self.run) if self.run is not None else (0.0, 100.0)
        return 1 if high - low >= 20 else 2


def release_page(assignment: Assignment) -> ReleasePage:
    """Of an assignment; a fixed number of queries."""
    run, release = approved_run(assignment), current_release(assignment)
    now = {one.membership_id: one for one in _grades_of(release)} if release is not None else {}
    then = {one.membership.pk: snapshot(one) for one in final_grades(run)} if run is not None else {}
    people = {one.membership_id: one.membership for one in [*now.values(), *then.values()]}
    order = sorted(people.values(), key=lambda one: (one.shown_name.casefold(), one.pk))
    return ReleasePage(run, release, [Line(one, now.get(one.pk), then.get(one.pk)) for one in order])


def _grades_of(release: Release) -> list[ReleasedGrade]:
    return list(release.grades.select_related("membership__person"))
