"""What every student gets by a run: the grade of the submission, the mark for reviewing, and both together.

Everything here is adding up what the library said, what staff set by hand, and the weights of the plan.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import fmean
from typing import Any

from peerage.grading.letters import COMPLETE, INCOMPLETE, parse_letters
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, Extension, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.models import (
    GradingPlan,
    GradingRun,
    Override,
    PointsRule,
    RunGrade,
    RunReviewer,
)
from peerage_web.classes.names import by_name
from peerage_web.classes.release.models import Helpfulness
from peerage_web.classes.submissions.models import Submission, SubmissionVersion

LOWEST_RATING, HIGHEST_RATING = 1, 5
DAY = timedelta(days=1)
PARTS = ("quality", "completeness", "helpfulness")


@dataclass(frozen=True, slots=True)
class FinalGrade:
    """One student. A part is None where there is nothing to say it from."""

    membership: Membership
    submission: Submission | None = None  # submitted by them or their team
    points: float | None = None  # of the submission, on the scale of the run; None where a run makes none
    low: float | None = None  # the band; none where staff gave or set the grade
    high: float | None = None
    letter: str = ""
    by_hand: bool = False
    late_penalty: float = 0.0  # points taken off for a late submission; those above are after it
    reviewing: float | None = None  # 0 to 100
    reviewing_parts: dict[str, Any] = field(default_factory=dict)  # parts, weights, asked, given
    total: float | None = None  # on the scale of the run
    grade: RunGrade | None = None  # what the run says of the submission
    reviewer: RunReviewer | None = None
    override: Override | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell the student: no submission, no grade, no reviews asked for."""
        return self.submission is None and self.points is None and not self.letter and self.reviewing is None

    @property
    def is_staff_grade(self) -> bool:
        """Whether the run held the submission to a grade that staff gave."""
        return not self.by_hand and self.grade is not None and self.grade.staff is not None


def final_grades(run: GradingRun, by_hand: Iterable[Override] = ()) -> list[FinalGrade]:
    """Every student of the course by name, also those who did nothing.

    `by_hand` are grades that staff might set: what all of it would be with them.
    """
    assignment = run.assignment
    submissions = submissions_of_members(assignment)
    graded = {grade.submission_id: grade for grade in run.grades.all()}
    reviewers = {reviewer.membership_id: reviewer for reviewer in run.reviewers.all()}
    ratings = ratings_of(assignment)
    overrides = overrides_of(assignment) | {
        (override.submission_id, override.membership_id): override for override in by_hand
    }
    students = Membership.objects.filter(course=assignment.course_id, role=Role.STUDENT)
    grades = []
    penalties = late_penalties(run, submissions)
    for member in by_name(students.select_related("person")):
        submission, reviewer = submissions.get(member.pk), reviewers.get(member.pk)
        grade = graded.get(submission.pk) if submission is not None else None
        set_grade = None
        if submission is not None:
            set_grade = overrides.get((submission.pk, member.pk)) or overrides.get((submission.pk, None))
        penalty = penalties.get(submission.pk, 0.0) if submission is not None else 0.0
        rated = ratings.get(member.pk, [])
        grades.append(_final(run, member, submission, grade, set_grade, reviewer, rated, penalty))
    return grades


def late_penalties(run: GradingRun, submissions: dict[int, Submission]) -> dict[int, float]:
    """Submission to the points that the run's rule takes off, before the scale ends; none without a rule.

    A day counts once it has begun, from the due date of its authors: of a team, the latest extension.
    """
    per_day = float(run.plan.get("late_penalty") or 0)
    due = run.assignment.due_at
    if not per_day or due is None:
        return {}
    extended: dict[int, datetime] = {}
    granted = Extension.objects.filter(assignment=run.assignment, due_at__isnull=False)
    longer = dict(granted.values_list("membership", "due_at"))
    for member, submission in submissions.items():
        extended[submission.pk] = max(extended.get(submission.pk, due), longer.get(member) or due)
    most = run.plan.get("late_penalty_most")
    newest = SubmissionVersion.objects.filter(submission__in=extended, submitted_at__isnull=False)
    penalties = {}
    for version in newest.order_by("number"):  # the last of a submission is the one that counts
        late = (version.submitted_at or due) - extended[version.submission_id]
        days = max(0, -(-late // DAY)) if version.is_late else 0
        penalties[version.submission_id] = min(days * per_day, most if most is not None else math.inf)
    return {submission: penalty for submission, penalty in penalties.items() if penalty}


def _final(
    run: GradingRun,
    member: Membership,
    submission: Submission | None,
    grade: RunGrade | None,
    by_hand: Override | None,
    reviewer: RunReviewer | None,
    ratings: list[int],
    penalty: float,
) -> FinalGrade:
    points, low, high, letter, deducted = None, None, None, "", 0.0
    if by_hand is not None:
        points, letter = by_hand.points, by_hand.letter or _letter_of(run, by_hand.points)
    elif grade is not None:
        points, letter = grade.points, grade.letter
        if grade.staff is None:  # else it is exactly what staff gave, and no band would say more
            low, high = grade.points_low, grade.points_high
        if penalty and points is not None:
            lowest = run.scale[0]
            before, points = points, max(lowest, points - penalty)
            deducted = _rounded(before - points) or 0.0
            letter = _letter_of(run, points)
            low, high = (None if end is None else max(lowest, end - penalty) for end in (low, high))
    elif submission is None and run.points_rule == PointsRule.COMPLETE:
        letter = INCOMPLETE
    elif submission is None and run.has_points and run.plan.get("missing_get") == GradingPlan.Missing.LOWEST:
        points = run.scale[0]
        letter = _letter_of(run, points)
    reviewing, parts = reviewing_mark(reviewer, ratings, run.plan)
    return FinalGrade(
        membership=member,
        submission=submission,
        points=points,
        low=low,
        high=high,
        letter=letter,
        by_hand=by_hand is not None,
        late_penalty=deducted,
        reviewing=reviewing,
        reviewing_parts=parts,
        total=total_of(run, worth_of(run, points, letter), reviewing),
        grade=grade,
        reviewer=reviewer,
        override=by_hand,
    )


def _letter_of(run: GradingRun, points: float | None) -> str:
    """By the cut-points of the run; quotas say nothing about points that staff set by hand."""
    text = run.options.get("letters")
    letters = parse_letters(text) if text else None
    if points is None or letters is None or letters.cuts is None:
        return ""
    return letters.names[int(letters.by_points([points])[0])]  # type: ignore[arg-type]


def worth_of(run: GradingRun, points: float | None, letter: str) -> float | None:
    """A grade as gradebooks count it: its points, or for complete all of them and for incomplete none.

    Letters by quota and a standing are worth no points, whatever the place.
    """
    if points is not None or run.points_rule != PointsRule.COMPLETE:
        return points
    low, high = run.scale
    return {COMPLETE: high, INCOMPLETE: low}.get(letter)


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
    figures = {
        **{name: _rounded(value) for name, value in parts.items()},
        "weights": weights,
        "counted": sorted(counted),
        "asked": reviewer.asked,
        "given": reviewer.given,
        "ratings": len(ratings),
    }
    return _rounded(mark), figures


def total_of(run: GradingRun, points: float | None, reviewing: float | None) -> float | None:
    """Both by their weights, on the scale of the points; where there are no points there is none to tell.

    Whoever was asked for no review has the grade of the submission.
    """
    if points is None:
        return None
    share = int(run.plan.get("reviewing", 0)) / 100
    if reviewing is None or not share:
        return _rounded(points)
    low, high = run.scale
    of_reviewing = low + (high - low) * reviewing / 100
    return _rounded((1 - share) * points + share * of_reviewing)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


# -- what it is made of ---------------------------------------------------------------------------------


def submissions_of_members(assignment: Assignment) -> dict[int, Submission]:
    """Member to the submission that they or their team submitted, excluded or not."""
    submissions = Submission.objects.filter(assignment=assignment, versions__submitted_at__isnull=False)
    by_team, by_author = {}, {}
    for submission in submissions.select_related("team").order_by("pk").distinct():
        if submission.team_id is not None:
            by_team[submission.team_id] = submission
        elif submission.author_id is not None:
            by_author[submission.author_id] = submission
    places = TeamMember.objects.filter(assignment=assignment).values_list("membership", "team")
    return by_author | {member: by_team[team] for member, team in places if team in by_team}


def ratings_of(assignment: Assignment) -> dict[int, list[int]]:
    """Reviewer to how helpful authors found what they wrote, 1 to 5."""
    ratings: dict[int, list[int]] = defaultdict(list)
    rows = Helpfulness.objects.filter(review__assignment=assignment, review__state=Review.State.OPEN)
    for reviewer, rating in rows.order_by("pk").values_list("review__reviewer", "rating"):
        ratings[reviewer].append(rating)
    return ratings


def overrides_of(assignment: Assignment) -> dict[tuple[int, int | None], Override]:
    """Grades that staff set by hand and did not remove, by submission and member (None: all who made it)."""
    rows = Override.objects.filter(submission__assignment=assignment, withdrawn_at=None).select_related("by")
    return {(row.submission_id, row.membership_id): row for row in rows}
