"""Two accounts of one person become one: that of a learning platform, and one with an e-mail address.

Whoever asks has proved both, in one browser: the platform has signed them in, and they know the password of
the other. An address that a platform mentions joins nothing.
"""

import secrets

from django.db import transaction
from django.utils.translation import gettext as _

from peerage_web.accounts.models import ELSEWHERE, Identity, Person, SignIn
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.roster.services import change_role
from peerage_web.lti.models import LtiPicking, LtiPlace, LtiTicket
from peerage_web.lti.people import higher_role, look_again
from peerage_web.shared.errors import Refused


def join_accounts(*, from_platform: Person, account: Person) -> None:
    """The platform signs `account` in from now on, which has the places of both; the other is closed."""
    if not from_platform.is_from_elsewhere or account.is_from_elsewhere or not account.is_active:
        raise Refused(_("These two accounts cannot be joined."))
    if account.is_operator:  # whoever runs the platform could sign in as them
        raise Refused(_("An account that administers this site cannot be joined with one of a platform."))
    with transaction.atomic():
        list(Person.objects.select_for_update().filter(pk__in=(from_platform.pk, account.pk)).order_by("pk"))
        issuers = from_platform.identities.values("issuer")
        if Identity.objects.filter(person=account, issuer__in=issuers).exists():
            raise Refused(_("This e-mail account is already joined with an account of that platform."))
        for member in from_platform.memberships.select_related("course", "person"):
            _move(member, account)
        from_platform.identities.update(person=account)
        # what was asked before goes on: an instructor can now connect a course of the other account
        LtiPicking.objects.filter(person=from_platform, used_at=None).update(person=account)
        LtiTicket.objects.filter(person=from_platform).delete()
        SignIn.objects.filter(person=from_platform).delete()
        from_platform.is_active, from_platform.mail_to = False, ""
        from_platform.save(update_fields=["is_active", "mail_to"])


def _move(member: Membership, account: Person) -> None:
    """The place becomes the account's; where it has one in the course, the two become one."""
    other = (
        Membership.objects.filter(course=member.course_id, person=account).select_related("person").first()
    )
    if other is not None:
        member = _merge(member, other)
    if member.person_id != account.pk:
        member.person = account
        member.save(update_fields=["person"])
    record("accounts-joined", by=account, course=member.course, subject=member)


def _merge(ours: Membership, other: Membership) -> Membership:
    """The one of the two that has work, with the higher role of both; the other is dropped, and is empty."""
    account = other.person
    if _has_work(ours) and _has_work(other):
        raise Refused(
            _(
                "Both accounts have work in “%(course)s”, so they cannot be joined. Ask your instructor "
                "to decide which work counts."
            )
            % {"course": ours.course.name}
        )
    kept, left = (ours, other) if _has_work(ours) else (other, ours)
    role = higher_role(Role(ours.role), Role(other.role))
    number = kept.student_id or left.student_id
    left.student_id = ""
    if left is other:  # nobody is in a course twice
        left.person = Person.objects.create_user(f"{secrets.token_hex(12)}{ELSEWHERE}", is_active=False)
    left.save(update_fields=["student_id", "person"])
    change_role(member=left, by=account, role=Role.DROPPED, even_the_last=True)
    kept.student_id, kept.name = number, kept.name or left.name
    kept.save(update_fields=["student_id", "name"])
    change_role(member=kept, by=account, role=role)
    for place in LtiPlace.objects.filter(membership=left).select_related("context"):
        LtiPlace.objects.filter(pk=place.pk).update(membership=kept)
        look_again(place.context)
    return kept


def _has_work(member: Membership) -> bool:
    """Whether anything hangs on the place but what a platform calls it, and what the activity log says."""
    return any(
        relation.related_model._default_manager.filter(**{relation.field.name: member}).exists()
        for relation in Membership._meta.related_objects
        if relation.related_model not in (LtiPlace, Event)
    )
