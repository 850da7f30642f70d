"""What is in the outbox: counts for lists, and what did not arrive."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, QuerySet

from peerage_web.classes.models import Course, Membership, ReleasedGrade
from peerage_web.classes.words import Role
from peerage_web.lti.models import LtiLineItem, LtiRegistration, LtiScore

State = LtiScore.State


def registrations_with_counts() -> QuerySet[LtiRegistration]:
    """Every platform, with its courses and how its scores stand."""
    scores = "deployments__contexts__line_items__scores"
    counted = {
        name: Count(scores, filter=Q(**{f"{scores}__state": state}), distinct=True)
        for name, state in (("waiting", State.WAITING), ("sent", State.SENT), ("refused", State.REFUSED))
    }
    connected = Q(deployments__contexts__course__isnull=False)
    courses = Count("deployments__contexts", filter=connected, distinct=True)
    return LtiRegistration.objects.annotate(courses=courses, **counted)


def troubled_scores() -> QuerySet[LtiScore]:
    """Refused, or tried in vain so far; the newest first."""
    found = LtiScore.objects.filter(Q(state=State.REFUSED) | Q(state=State.WAITING, attempts__gt=0))
    related = ("line_item__assignment__course", "line_item__context__deployment__registration")
    return found.exclude(problem="").select_related(*related, "place").order_by("-pk")


def columns_of(course: Course) -> list[dict[str, Any]]:
    """Every column of a course, with how its scores stand."""
    items = LtiLineItem.objects.filter(context__course=course).select_related(
        "assignment", "context", "release"
    )
    counts = {
        name: Count("scores", filter=Q(scores__state=state))
        for name, state in (
            ("waiting", State.WAITING),
            ("held", State.HELD),
            ("sent", State.SENT),
            ("refused", State.REFUSED),
            ("kept", State.KEPT),
        )
    }
    return [
        {"item": one, "kind": one.kind} for one in items.annotate(**counts).order_by("assignment", "kind")
    ]


def scores_of(course: Course, *states: str) -> QuerySet[LtiScore]:
    """Scores of a course in these states, with whose they are."""
    found = LtiScore.objects.filter(line_item__context__course=course, state__in=states)
    return found.select_related("place__membership__person", "line_item__assignment").order_by("-pk")


def unknown_to_platform(course: Course) -> int:
    """Students with a released grade whom the platform does not know."""
    graded = ReleasedGrade.objects.filter(
        release__assignment__course=course,
        release__ended_at=None,
        release__assignment__lti_line_items__isnull=False,
        membership__role=Role.STUDENT,
        membership__lti_places__isnull=True,
    )
    return Membership.objects.filter(released_grades__in=graded).distinct().count()
