"""API tokens and webhooks of a course: listing, adding, testing and removing them."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import ApiToken, Person
from peerage_web.accounts.services.tokens import Scope, add_token, end_token
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.webhooks.events import queue
from peerage_web.classes.webhooks.models import Delivery, Webhook
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused
from peerage_web.shared.outgoing import UnsafeAddressError, checked_url

MOST_TOKENS = 20
MOST_WEBHOOKS = 10


def add_course_token(*, course: Course, by: Person, name: str, days: int, may_write: bool) -> str:
    """Make a token that opens this course; the one time that it can be read."""
    with exclusively(f"tokens and webhooks of course {course.pk}"):
        valid = ApiToken.objects.filter(course=course, revoked_at=None, expires_at__gt=timezone.now())
        if valid.count() >= MOST_TOKENS:
            raise Refused(
                _("A course can have at most %(most)d tokens. Revoke one first.") % {"most": MOST_TOKENS}
            )
        text = add_token(name=name, days=days, scope=Scope(course.pk, by, may_write))
        record("token-made", by=by, course=course, title=name.strip(), count=days)
    return text


def revoke_course_token(*, token: ApiToken, by: Person) -> None:
    with transaction.atomic():
        if token.revoked_at is None:
            end_token(token=token)
            record("token-revoked", by=by, course=token.course, title=token.name)


def add_webhook(*, course: Course, by: Person, url: str) -> Webhook:
    """Tell this address what happens in the course, from now on."""
    try:
        checked_url(url, private=settings.WEBHOOKS_PRIVATE)
    except UnsafeAddressError as error:
        raise Refused(_("Peerage cannot send anything to this address: %(why)s.") % {"why": error}) from None
    with exclusively(f"tokens and webhooks of course {course.pk}"):
        ours = Webhook.objects.filter(course=course, ended_at=None)
        if ours.filter(url=url).exists():
            raise Refused(_("This course already has a webhook to this address."))
        if ours.count() >= MOST_WEBHOOKS:
            text = _("A course can have at most %(most)d webhooks. Remove one first.")
            raise Refused(text % {"most": MOST_WEBHOOKS})
        webhook = Webhook.objects.create(course=course, url=url, made_by=by)
        record("webhook-added", by=by, course=course, title=url)
    return webhook


def end_webhook(*, webhook: Webhook, by: Person) -> None:
    """Tell it nothing any more, and nothing that still waits."""
    with transaction.atomic():
        if Webhook.objects.filter(pk=webhook.pk, ended_at=None).update(ended_at=timezone.now()):
            Delivery.objects.filter(webhook=webhook, next_at__isnull=False).update(
                next_at=None, answer="ended"
            )
            record("webhook-ended", by=by, course=webhook.course, title=webhook.url)


def try_webhook(*, webhook: Webhook) -> None:
    """Send a message that says nothing, to see whether it arrives."""
    if webhook.ended_at is not None:
        raise Refused(_("This webhook has been removed."))
    queue(webhook.course, "test", {}, hooks=[webhook])


def send_again(*, webhook: Webhook, delivery: str) -> None:
    """A message that was given up, once more and under the same id."""
    try:
        number = UUID(delivery)
    except ValueError:
        raise Refused(_("There is no such message.")) from None
    waiting = Delivery.objects.filter(pk=number, webhook=webhook, webhook__ended_at=None, taken_at=None)
    if not waiting.update(next_at=timezone.now(), attempts=0):
        raise Refused(_("This message was already delivered, or the webhook has been removed."))


# -- Tokens and webhooks of a course, for their page ---------------------------------------------------


SHOWN = 50


@dataclass(frozen=True, slots=True)
class ShownToken:
    """A token, and what its author is in the course now: so much it may do."""

    token: ApiToken
    role: str
    is_valid: bool


def tokens_of(course: Course) -> list[ShownToken]:
    """Every token that was made here, newest first."""
    tokens = list(ApiToken.objects.filter(course=course).select_related("made_by").order_by("-created_at"))
    creators = Membership.objects.filter(course=course, person__in=[token.made_by_id for token in tokens])
    roles = {member.person_id: str(Role(member.role).label) for member in creators}
    now = timezone.now()
    return [
        ShownToken(
            token,
            roles.get(token.made_by_id or 0, ""),
            token.revoked_at is None and (token.expires_at is None or token.expires_at > now),
        )
        for token in tokens
    ]


def webhooks_of(course: Course) -> Any:
    """Those that are told something, with how many messages wait and were given up."""
    waiting = Count("deliveries", filter=Q(deliveries__next_at__isnull=False))
    given_up = Count("deliveries", filter=Q(deliveries__next_at=None, deliveries__taken_at=None))
    ours = Webhook.objects.filter(course=course, ended_at=None).select_related("made_by")
    return ours.annotate(waiting=waiting, given_up=given_up).order_by("made_at", "pk")


def last_deliveries(webhook: Webhook) -> list[Delivery]:
    return list(Delivery.objects.filter(webhook=webhook).order_by("-made_at", "-pk")[:SHOWN])
