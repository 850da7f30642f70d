"""Links that work once: for a first account, an invitation, another password, a sign-in."""

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Identity, OneTimeLink, Person, normalize_address
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.accounts.services.users import set_password, valid_address
from peerage_web.shared.errors import Busy, Refused
from peerage_web.shared.services.rate_limits import count_request

Kind = OneTimeLink.Kind
LASTS = {
    Kind.FIRST: timedelta(days=1),
    Kind.INVITATION: timedelta(days=30),
    Kind.RESET: timedelta(hours=2),
    Kind.SIGN_IN: timedelta(days=1),
    Kind.EMAIL: timedelta(hours=2),
}


def make_link(
    *, kind: OneTimeLink.Kind, person: Person | None, by: Person | None = None, email: str = ""
) -> str:
    """The path of a new link; earlier ones of the same kind for the same person stop working."""
    text = secrets.token_urlsafe(32)
    with transaction.atomic():
        revoke_links(kind=kind, person=person)
        OneTimeLink.objects.create(
            kind=kind,
            hash=_hash(text),
            person=person,
            created_by=by,
            email=email,
            expires_at=timezone.now() + LASTS[kind],
        )
    return reverse("one-time-link", args=[text])


def revoke_links(*, person: Person | None, kind: OneTimeLink.Kind | None = None) -> None:
    links = _open_links().filter(person=person)
    if kind is not None:
        links = links.filter(kind=kind)
    links.update(revoked_at=timezone.now())


def find_link(*, text: str) -> OneTimeLink | None:
    """The link, if it can still be used; looking does not use it."""
    return _open_links().select_related("person").filter(hash=_hash(text)).first()


def use_link(*, text: str, password: str = "", name: str = "", email: str = "") -> Person:
    """Do what the link is for, once: who it is comes back, ready to be signed in.

    Refused where the link is used up, expired or taken back, or where the password breaks a rule (the link
    is then still good).
    """
    with transaction.atomic():
        # of two who send the form at the same time, one changes this row and the other finds none
        taken = _open_links().filter(hash=_hash(text)).update(used_at=timezone.now())
        if not taken:
            raise Refused(_("This link was already used, has expired or was revoked. Ask for a new one."))
        link = OneTimeLink.objects.select_related("person").get(hash=_hash(text))
        person = link.person if link.person is not None else _first_person(email)
        if not person.is_active:
            raise Refused(_("This account is closed."))
        if link.kind == Kind.EMAIL:
            _change_address(person, link.email)
        else:
            _change(person, OneTimeLink.Kind(link.kind), password, name)
    return person


def _first_person(email: str) -> Person:
    """Who sets up the instance; only as long as nobody has."""
    if Person.objects.filter(is_operator=True).exists():
        raise Refused(_("The first account already exists. Sign in with it."))
    person, _made = Person.objects.get_or_create(email=valid_address(email), defaults={"password": "!"})
    person.is_operator = person.may_create_courses = True
    return person


def _change(person: Person, kind: OneTimeLink.Kind, password: str, name: str) -> None:
    if name.strip():
        person.name = name.strip()[:200]
    if kind == Kind.SIGN_IN:
        person.save()
        return
    set_password(person=person, password=password)
    if kind != Kind.FIRST:  # the link reached them at this address
        Identity.objects.update_or_create(
            issuer=Identity.EMAIL,
            subject=person.email,
            defaults={"person": person, "used_at": timezone.now()},
        )


def needs_first_account() -> bool:
    """Whether nobody runs this instance yet."""
    return not Person.objects.filter(is_operator=True).exists()


def delete_expired_links() -> None:
    OneTimeLink.objects.filter(expires_at__lt=timezone.now() - timedelta(days=30)).delete()


def _open_links() -> QuerySet[OneTimeLink]:
    return OneTimeLink.objects.filter(
        used_at__isnull=True, revoked_at__isnull=True, expires_at__gt=timezone.now()
    )


def _hash(text: str) -> str:
    """Plain SHA-256, as for tokens: 256 random bits leave nothing to guess."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


HOUR = timedelta(hours=1)
PER_VISITOR, PER_PERSON = 10, 3  # in an hour


def request_password_reset(*, email: str, visitor: str) -> None:
    """Send a link to the account with this address, if there is one; Busy where somebody asks too often."""
    if count_request(client=visitor, kind="reset", window=HOUR) > PER_VISITOR:
        raise Busy(_("Too many links were requested from here. Try again in an hour."))
    person = Person.objects.filter(email=normalize_address(email), is_active=True).first()
    if person is None:
        return
    # nobody's mailbox is filled by somebody else; the page says the same either way
    if count_request(client=f"person {person.pk}", kind="reset", window=HOUR) > PER_PERSON:
        return
    new = not person.has_usable_password()
    kind = OneTimeLink.Kind.INVITATION if new else OneTimeLink.Kind.RESET
    queue_mail(person=person, kind="reset", context={"link": make_link(kind=kind, person=person)})


# -- another e-mail address ----------------------------------------------------------------------------------
#
# It is changed once a link that was sent to it is opened, by whoever is signed in to the account: a stranger
# who gets the link because of a typing mistake can do nothing with it. Former addresses stay known, so that
# a roster that still has one means the same person (`users.people_by_address`).


def request_new_address(*, person: Person, email: str) -> None:
    """Send a link to the new address; the answer does not tell whether somebody else has it."""
    address = valid_address(email)
    if address == person.email:
        raise Refused(_("This is already your e-mail address."))
    if count_request(client=f"person {person.pk}", kind="address", window=HOUR) > PER_PERSON:
        raise Busy(_("Too many links were requested from here. Try again in an hour."))
    other = Person.objects.filter(email=address).first()
    if other is not None:
        queue_mail(person=other, kind="new_address", context={"what": "taken"})
        return
    link = make_link(kind=Kind.EMAIL, person=person, email=address)
    queue_mail(person=person, kind="new_address", context={"what": "confirm", "link": link}, to=address)


def _change_address(person: Person, address: str) -> None:
    before = person.email
    if Person.objects.filter(email=address).exclude(pk=person.pk).exists():
        raise Refused(_("Another account uses this e-mail address now."))
    now = timezone.now()
    for known in (before, address):
        Identity.objects.update_or_create(
            issuer=Identity.EMAIL, subject=known, defaults={"person": person, "used_at": now}
        )
    revoke_links(person=person)  # those that were sent to the old address
    person.email = address
    person.save(update_fields=["email"])
    queue_mail(person=person, kind="new_address", context={"what": "changed", "address": address}, to=before)
