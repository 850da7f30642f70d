"""What every student gets by a run: the grade of the work, the mark for reviewing, and both together.

Everything here is adding up what the library said, what staff set by hand, and the weights of the plan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from peerage.grading.letters import parse_letters
from peerage.grading.points import parse_scale
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.models import GradingRun, Override, RunGrade, RunReviewer
from peerage_web.classes.release.models import Helpfulness
from peerage_web.classes.submissions.models import Work

LOWEST_RATING, HIGHEST_RATING = 1, 5
PARTS = ("quality", "completeness", "helpfulness")


@dataclass(frozen=True, slots=True)
class FinalGrade:
    """One student. A part is None where there is nothing to say it from."""

    membership: Membership
    work: Work | None = None  # handed in by them or their team
    points: float | None = None  # of the work, on the scale of the run
    low: float | None = None  # the band; none where staff gave or set the grade
    high: float | None = None
    letter: str = ""
    by_hand: bool = False
    reviewing: float | None = None  # 0 to 100
    reviewing_parts: dict[str, Any] = field(default_factory=dict)  # parts, weights, asked, given
    total: float | None = None  # on the scale of the run
    grade: RunGrade | None = None  # what the run says of the work
    reviewer: RunReviewer | None = None
    override: Override | None = None

    @property
    def is_staff_grade(self) -> bool:
        """Whether the run held the work to a grade that staff gave."""
        return not self.by_hand and self.grade is not None and self.grade.staff is not None


def final_grades(run: GradingRun, by_hand: Iterable[Override] = ()) -> list[FinalGrade]:
    """Every student of the course who handed in or was asked to review, in the order of the roster.

    `by_hand` are grades that staff might set: what all of it would be with them.
    """
    assignment = run.assignment
    works = works_of_members(assignment)
    graded = {one.work_id: one for one in run.grades.all()}
    reviewers = {one.membership_id: one for one in run.reviewers.all()}
    ratings = ratings_of(assignment)
    overrides = overrides_of(assignment) | {(one.work_id, one.membership_id): one for one in by_hand}
    rule = LetterRule(run, [one.points for one in graded.values()])
    students = Membership.objects.filter(course=assignment.course_id, role=Role.STUDENT)
    found = []
    for member in students.select_related("person"):
        work, reviewer = works.get(member.pk), reviewers.get(member.pk)
        if work is None and (reviewer is None or not reviewer.asked):
            continue
        grade = graded.get(work.pk) if work is not None else None
        set_grade = None
        if work is not None:
            set_grade = overrides.get((work.pk, member.pk)) or overrides.get((work.pk, None))
        found.append(_final(run, member, work, grade, set_grade, reviewer, ratings.get(member.pk, []), rule))
    return found


def _final(
    run: GradingRun,
    member: Membership,
    work: Work | None,
    grade: RunGrade | None,
    by_hand: Override | None,
    reviewer: RunReviewer | None,
    ratings: list[int],
    rule: LetterRule,
) -> FinalGrade:
    points, low, high, letter = None, None, None, ""
    if by_hand is not None:
        points, letter = by_hand.points, rule.of(by_hand.points, grade.points if grade is not None else None)
    elif grade is not None:
        points, letter = grade.points, grade.letter
        if grade.staff is None:  # else it is exactly what staff gave, and no band would say more
            low, high = grade.points_low, grade.points_high
    reviewing, parts = reviewing_mark(reviewer, ratings, run.plan)
    return FinalGrade(
        membership=member,
        work=work,
        points=points,
        low=low,
        high=high,
        letter=letter,
        by_hand=by_hand is not None,
        reviewing=reviewing,
        reviewing_parts=parts,
        total=total_of(run, points, reviewing),
        grade=grade,
        reviewer=reviewer,
        override=by_hand,
    )


class LetterRule:
    """The run's letters, for points that staff set by hand."""

    def __init__(self, run: GradingRun, points: list[float]) -> None:
        text = run.options.get("letters")
        self._letters = parse_letters(text) if text else None
        self._points = points

    def of(self, points: float, before: float | None) -> str:
        """By cut-points the letter of these points; by quotas that of the place they take in the class.

        `before` is what the work had: it does not stand in its own way.
        """
        if self._letters is None:
            return ""
        if self._letters.cuts is not None:
            return self._letters.names[int(self._letters.by_points([points])[0])]  # type: ignore[arg-type]
        others = list(self._points)
        if before is not None:
            others.remove(before)
        place = sum(one > points for one in others)
        return self._letters.names[int(self._letters.by_position(len(others) + 1)[place])]


def reviewing_mark(
    reviewer: RunReviewer | None, ratings: list[int], plan: dict[str, Any]
) -> tuple[float | None, dict[str, Any]]:
    """The mark from 0 to 100, and what it is made of.

    A part that cannot be told (too little to measure quality by, nobody rated) leaves its weight to the
    others, in proportion. Whoever was asked for nothing has no mark.
    """
    if reviewer is None or not reviewer.asked:
        return None, {}
    helpful = 100 * (fmean(ratings) - LOWEST_RATING) / (HIGHEST_RATING - LOWEST_RATING) if ratings else None
    parts = {"quality": reviewer.quality, "completeness": reviewer.completeness, "helpfulness": helpful}
    weights = {name: int(plan.get(name, 0)) for name in PARTS}
    counted = {name: weights[name] for name in PARTS if parts[name] is not None and weights[name]}
    whole = sum(counted.values())
    mark = sum(weight * (parts[name] or 0.0) for name, weight in counted.items()) / whole if whole else None
    told = {
        **{name: _rounded(value) for name, value in parts.items()},
        "weights": weights,
        "counted": sorted(counted),
        "asked": reviewer.asked,
        "given": reviewer.given,
        "ratings": len(ratings),
    }
    return _rounded(mark), told


def total_of(run: GradingRun, points: float | None, reviewing: float | None) -> float | None:
    """Both by their weights, on the scale of the points; without a work there is none to tell.

    Whoever was asked for no review has the grade of the work.
    """
    if points is None:
        return None
    share = int(run.plan.get("reviewing", 0)) / 100
    if reviewing is None or not share:
        return _rounded(points)
    scale = parse_scale(run.options["scale"])
    of_reviewing = scale.low + (scale.high - scale.low) * reviewing / 100
    return _rounded((1 - share) * points + share * of_reviewing)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


# -- what it is made of ---------------------------------------------------------------------------------


def works_of_members(assignment: Assignment) -> dict[int, Work]:
    """Member to the work that they or their team handed in, taken out or not."""
    works = Work.objects.filter(assignment=assignment, submissions__handed_in_at__isnull=False)
    by_team, found = {}, {}
    for work in works.select_related("team").order_by("pk").distinct():
        if work.team_id is not None:
            by_team[work.team_id] = work
        elif work.author_id is not None:
            found[work.author_id] = work
    places = TeamMember.objects.filter(assignment=assignment).values_list("membership", "team")
    return found | {member: by_team[team] for member, team in places if team in by_team}


def ratings_of(assignment: Assignment) -> dict[int, list[int]]:
    """Reviewer to how helpful authors found what they wrote, 1 to 5."""
    found: dict[int, list[int]] = defaultdict(list)
    rows = Helpfulness.objects.filter(review__assignment=assignment, review__state=Review.State.OPEN)
    for reviewer, rating in rows.order_by("pk").values_list("review__reviewer", "rating"):
        found[reviewer].append(rating)
    return found


def overrides_of(assignment: Assignment) -> dict[tuple[int, int | None], Override]:
    """Grades that staff set by hand and did not take back, by work and member (None: all who made it)."""
    rows = Override.objects.filter(work__assignment=assignment, withdrawn_at=None).select_related("by")
    return {(one.work_id, one.membership_id): one for one in rows}
