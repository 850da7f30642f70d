"""Tokens and webhooks of a course, for their page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone

from peerage_web.accounts.models import ApiToken
from peerage_web.classes.models import Course, Delivery, Membership, Webhook
from peerage_web.classes.words import Role

SHOWN = 50


@dataclass(frozen=True, slots=True)
class ShownToken:
    """A token, and what its maker is in the course now: so much it may do."""

    token: ApiToken
    role: str
    is_valid: bool


def tokens_of(course: Course) -> list[ShownToken]:
    """Every token that was made here, newest first."""
    tokens = list(ApiToken.objects.filter(course=course).select_related("made_by").order_by("-created_at"))
    makers = Membership.objects.filter(course=course, person__in=[one.made_by_id for one in tokens])
    roles = {one.person_id: str(Role(one.role).label) for one in makers}
    now = timezone.now()
    return [
        ShownToken(
            one,
            roles.get(one.made_by_id or 0, ""),
            one.revoked_at is None and (one.expires_at is None or one.expires_at > now),
        )
        for one in tokens
    ]


def webhooks_of(course: Course) -> Any:
    """Those that are told something, with how many messages wait and were given up."""
    waiting = Count("deliveries", filter=Q(deliveries__next_at__isnull=False))
    given_up = Count("deliveries", filter=Q(deliveries__next_at=None, deliveries__taken_at=None))
    ours = Webhook.objects.filter(course=course, ended_at=None).select_related("made_by")
    return ours.annotate(waiting=waiting, given_up=given_up).order_by("made_at", "pk")


def last_deliveries(webhook: Webhook) -> list[Delivery]:
    """The newest first."""
    return list(Delivery.objects.filter(webhook=webhook).order_by("-made_at", "-pk")[:SHOWN])
