"""Appeals as pages list them."""

from __future__ import annotations

from django.db.models import Case, QuerySet, Value, When

from peerage_web.classes.models import Appeal, Assignment, Event, Membership, Review, RunReviewer


def appeals_of(assignment: Assignment) -> QuerySet[Appeal]:
    """Those that wait, oldest first; then those that ended, newest first."""
    found = Appeal.objects.filter(assignment=assignment).select_related("membership__person", "answered_by")
    waits = Case(When(state=Appeal.State.OPEN, then=Value(0)), default=Value(1))
    return found.annotate(waits=waits).order_by("waits", "-ended_at", "opened_at", "pk")


def own_appeals(assignment: Assignment, member: Membership) -> QuerySet[Appeal]:
    """A student's, newest first."""
    return Appeal.objects.filter(assignment=assignment, membership=member).order_by("-opened_at", "-pk")


def open_appeals(assignment: Assignment) -> int:
    """How many wait for an answer."""
    return Appeal.objects.filter(assignment=assignment, state=Appeal.State.OPEN).count()


def trail_of(appeal: Appeal) -> QuerySet[Event]:
    """Everything in the record that belongs to it, for staff; oldest first."""
    events = Event.objects.filter(assignment=appeal.assignment_id, data__appeal=appeal.key)
    return events.select_related("actor", "subject__person").order_by("at", "pk")


def reviewers_of(appeal: Appeal) -> list[RunReviewer]:
    """Who ranked the work, and what the run that is appealed against says of them."""
    reviewers = Review.objects.filter(work=appeal.work_id, state=Review.State.OPEN).values("reviewer")
    found = RunReviewer.objects.filter(run=appeal.release.run_id, membership__in=reviewers, given__gt=0)
    return list(found.select_related("membership__person").order_by("membership__name", "pk"))
