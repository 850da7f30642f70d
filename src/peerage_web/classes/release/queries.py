"""Released grades: the current release, a grade as the student sees it, and the page of staff."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.distribution import (
    Distribution,
    ReleaseQuestion,
    distribution_of,
    release_questions,
)
from peerage_web.classes.grading.final_grades import PARTS, FinalGrade, final_grades
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.grading.queries import approved_run, plan_of
from peerage_web.classes.names import by_name
from peerage_web.classes.release.models import Release, ReleasedGrade


def current_release(assignment: Assignment) -> Release | None:
    """What students see; None before the first, and where it was taken back."""
    return Release.objects.filter(assignment=assignment, ended_at=None).select_related("run").first()


def release_scheduled_by(assignment: Assignment) -> Person | None:
    """Who set the date on which grades go out, or had dates move the assignment on again."""
    entries = Event.objects.filter(assignment=assignment).filter(
        Q(verb="assignment-created")
        | Q(verb="date-changed", data__field="release_at")
        | Q(verb="assignment-changed", data__field="by_date")
    )
    last = entries.select_related("actor").first()
    return last.actor if last is not None else None


def current_grade(assignment: Assignment, member: Membership) -> ReleasedGrade | None:
    """A student's grades in it; None where they submitted nothing and nothing was asked of them."""
    grades = ReleasedGrade.objects.filter(release__assignment=assignment, release__ended_at=None)
    found = grades.filter(membership=member).select_related("release__run", "submission", "prepared")
    for grade in found.order_by():  # at most one; what is known already is not read again
        grade.membership, grade.release.assignment = member, assignment
        return grade
    return None


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


# what a release holds of a grade, and what a student sees of it: to whom all of these stay, nothing changed
KEPT = (
    "submission_id", "points", "points_low", "points_high", "letter", "by_hand", "late_penalty", "reviewing",
    "total",
)  # fmt: skip
SEEN = (
    "submission_id", "shown_points", "shown_range", "shown_letter", "shown_standing", "by_hand",
    "shown_penalty", "reviewing", "shown_total",
)  # fmt: skip
EDGE = 0.1  # of the length of a range, within which an estimate stands at its end
SURE = 0.95  # from here on a letter is told without its chance, as the library's own page for students does


@dataclass(frozen=True, slots=True)
class GradePart:
    """One part of the mark for reviewing, 0 to 100, and what it counts in per cent."""

    code: str
    value: float | None
    weight: float


@dataclass(frozen=True, slots=True)
class StudentGradeView:
    grade: ReleasedGrade
    scale: tuple[float, float]
    decimals: int  # of points on that scale
    point_decimals: int  # of the submission's own
    level: int  # of the band, in per cent
    was_ranked: bool  # the submission is in the run
    reviews: int  # in which it was ranked
    with_rubric: bool  # its points counted, too
    with_staff: bool  # the band also covers how far staff and peers may be apart
    letter_chance: int | None  # in per cent; None where the letter is certain enough, or it is not shown
    rule: str  # what made the points, a `PointsRule`
    standing: dict[str, Any] | None  # ranks, percentile and how many were ranked; None where it is not shown
    parts: tuple[GradePart, ...]
    asked: int
    given: int
    review_weight: int

    @property
    def range(self) -> tuple[float, float] | None:
        """Where the points are an estimate, and students see how sure it is."""
        return self.grade.shown_range if not self.grade.by_hand else None

    @property
    def is_ungraded(self) -> bool:
        """Whether a submission was submitted, and nobody ranked it or set its grade."""
        return not self.grade.by_hand and not self.was_ranked

    @property
    def is_estimate(self) -> bool:
        """Whether peers' rankings gave the points, and not staff."""
        return not self.grade.by_hand and self.grade.points_low is not None

    @property
    def edge(self) -> str:
        """Where the points stand at an end of their range: which, and whether the scale cuts it off there."""
        if self.range is None or self.grade.points is None:
            return ""
        (low, high), at = self.range, self.grade.points
        if low >= high:
            return ""
        share = (at - low) / (high - low)
        if share > 1 - EDGE:
            return "top" if high >= self.scale[1] else "upper"
        if share < EDGE:
            return "bottom" if low <= self.scale[0] else "lower"
        return ""

    @property
    def ends_with_scale(self) -> bool:
        """Whether the scale cuts the range off, though the points stand inside of it."""
        if self.range is None or self.edge in ("top", "bottom"):
            return False
        (low, high), (least, most) = self.range, self.scale
        return low < high and (low <= least or high >= most)

    @property
    def submission_weight(self) -> int:
        """Per cent of the mark that are not for reviewing."""
        return 100 - self.review_weight

    @property
    def picture(self) -> dict[str, float]:
        """Where point and band lie on the scale, in per cent of its length."""
        grade, (low, high) = self.grade, self.scale
        values = {"at": grade.points, "low": grade.points_low, "high": grade.points_high}
        share = {
            name: 100 * (value - low) / (high - low) for name, value in values.items() if value is not None
        }
        return {name: round(min(max(value, 0.0), 100.0), 2) for name, value in share.items()}


def student_grade_view(grade: ReleasedGrade, run: GradingRun, content: dict[str, Any]) -> StudentGradeView:
    """What this grade of this run says to its student; `content` was prepared (see `feedback.prepare`)."""
    # of a grade set by hand there is none, and before a deduction the letter was another one
    is_letter_of_run = not grade.by_hand and not grade.late_penalty
    chance = content["letter_chance"] if grade.shows_chance and is_letter_of_run else None
    return StudentGradeView(
        grade=grade,
        scale=run.scale,
        decimals=run.decimals,
        point_decimals=run.point_decimals,
        level=round(100 * float(run.options.get("interval") or 0.9)),
        was_ranked=content["standing"] is not None,
        reviews=content["reviews"],
        with_rubric=run.has_rubric,
        with_staff=content["with_staff"],
        letter_chance=round(100 * chance) if chance is not None and chance < SURE else None,
        rule=run.points_rule.value,
        standing=content["standing"] if grade.shows_standing else None,
        parts=_parts(grade.reviewing_parts),
        asked=int(grade.reviewing_parts.get("asked", 0)),
        given=int(grade.reviewing_parts.get("given", 0)),
        review_weight=int(run.plan.get("reviewing", 0)),
    )


def _parts(kept: dict[str, Any]) -> tuple[GradePart, ...]:
    """A part that cannot be told leaves its weight to the others (see `reviewing_mark`)."""
    weights, counted = kept.get("weights", {}), kept.get("counted", [])
    whole = sum(weights[code] for code in counted)
    return tuple(
        GradePart(code, kept.get(code), 100 * weights[code] / whole if code in counted else 0.0)
        for code in PARTS
        if weights.get(code)
    )


def snapshot(grade: FinalGrade, release: Release) -> ReleasedGrade:
    """A final grade as it is released, or would be in a release like this one; not saved."""
    return ReleasedGrade(
        release=release,
        membership=grade.membership,
        submission=grade.submission,
        points=grade.points,
        points_low=grade.low,
        points_high=grade.high,
        letter=grade.letter,
        by_hand=grade.by_hand,
        late_penalty=grade.late_penalty,
        reviewing=grade.reviewing,
        reviewing_parts=grade.reviewing_parts,
        total=grade.total,
    )


def differs(grade: ReleasedGrade, other: ReleasedGrade) -> bool:
    """Whether a student would see something else."""
    return any(getattr(grade, name) != getattr(other, name) for name in SEEN)


def next_release(run: GradingRun) -> Release:
    """What a release of this run would be now; not saved."""
    return Release(assignment=run.assignment, run=run, shown=plan_of(run.assignment).shown)


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
        """Whether a release now would change something for them, also what only staff and gradebooks see."""
        if self.then is None or self.now is None:
            return self.then is not None
        kept = any(getattr(self.now, name) != getattr(self.then, name) for name in KEPT)
        return kept or differs(self.now, self.then)


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """All lines, and where they are from."""

    run: GradingRun | None  # that would be released
    release: Release | None  # that students see
    lines: list[Line]
    spread: Distribution | None  # of the grades that a release now would show
    questions: list[ReleaseQuestion]  # to confirm before it

    @property
    def changed(self) -> list[Line]:
        """Whom a release now would show something else."""
        return [line for line in self.lines if line.changes]

    @property
    def seen(self) -> int:
        """How many have seen their grade in the present release."""
        return sum(line.now is not None and line.now.seen_at is not None for line in self.lines)

    @property
    def shown(self) -> list[str]:
        """What students see of a grade, or would see after a first release."""
        if self.release is not None:
            return list(self.release.shown)
        grades = (line.shown for line in self.lines)
        return next((list(grade.release.shown) for grade in grades if grade is not None), [])

    def line_of(self, member: Membership) -> Line:
        """One student's; empty for whom there is no grade."""
        theirs = (line for line in self.lines if line.membership.pk == member.pk)
        return next(theirs, Line(member, None, None))

    @property
    def decimals(self) -> int:
        return self.run.decimals if self.run is not None else 1

    @property
    def point_decimals(self) -> int:
        return self.run.point_decimals if self.run is not None else 1


def release_page(assignment: Assignment) -> ReleasePage:
    """Of an assignment; a fixed number of queries."""
    run, release = approved_run(assignment), current_release(assignment)
    now = {grade.membership_id: grade for grade in _grades_of(release)} if release is not None else {}
    people = {grade.membership_id: grade.membership for grade in now.values()}
    then: dict[int, ReleasedGrade] = {}
    spread, questions = None, list[ReleaseQuestion]()
    if run is not None:
        would_be = next_release(run)
        final = final_grades(run)
        people |= {grade.membership.pk: grade.membership for grade in final}
        then = {grade.membership.pk: snapshot(grade, would_be) for grade in final if not grade.is_empty}
        spread = distribution_of(run, then.values())
        questions = open_questions(run, spread)
    lines = [Line(person, now.get(person.pk), then.get(person.pk)) for person in by_name(people.values())]
    return ReleasePage(run, release, lines, spread, questions)


def open_questions(run: GradingRun, spread: Distribution) -> list[ReleaseQuestion]:
    """What nobody has confirmed yet; once grades by the same rule were released, nothing is asked again."""
    if run.confirmed_at is not None:
        return []
    earlier = Release.objects.filter(assignment=run.assignment_id).select_related("run")
    if any(release.run.points_rule == run.points_rule for release in earlier):
        return []
    return release_questions(run, spread, plan_of(run.assignment).points_rule)


def _grades_of(release: Release) -> list[ReleasedGrade]:
    return list(release.grades.select_related("membership__person"))
