"""The release that students see now, and who has seen a grade."""

from __future__ import annotations

from peerage_web.classes.models import Assignment, Membership, Release, ReleasedGrade
from peerage_web.classes.queries.grading.plans import plan_of


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
