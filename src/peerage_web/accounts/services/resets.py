"""Asking for a link that sets another password."""

from __future__ import annotations

from datetime import timedelta

from django.utils.translation import gettext as _

from peerage_web.accounts.models import OneTimeLink, Person
from peerage_web.accounts.models.people import plain_address
from peerage_web.accounts.services.links import make_link
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.shared.errors import Busy
from peerage_web.shared.services.rate_limits import count_request

HOUR = timedelta(hours=1)
PER_VISITOR, PER_PERSON = 10, 3  # in an hour


def ask_for_reset(*, email: str, visitor: str) -> None:
    """Send a link to the account with this address, if there is one; Busy where somebody asks too often."""
    if count_request(client=visitor, kind="reset", window=HOUR) > PER_VISITOR:
        raise Busy(_("Too many links were asked for from here. Try again in an hour."))
    person = Person.objects.filter(email=plain_address(email), is_active=True).first()
    if person is None:
        return
    # nobody's mailbox is filled by somebody else; the page says the same either way
    if count_request(client=f"person {person.pk}", kind="reset", window=HOUR) > PER_PERSON:
        return
    new = not person.has_usable_password()
    kind = OneTimeLink.Kind.INVITATION if new else OneTimeLink.Kind.RESET
    queue_mail(person=person, kind="reset", context={"link": make_link(kind=kind, person=person)})
