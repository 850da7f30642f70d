"""Mail: written with what caused it, sent by maintenance, tried again where the server is away.

Reminders and the digest of staff can be turned off, by a link in each of them and without a sign-in.
"""

import logging
import re
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.db.models import Case, When
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation

from peerage_web.accounts.models import Mail, Person

log = logging.getLogger(__name__)
BATCH = 20  # in one round of maintenance
PATIENCE = 5.0  # seconds of a round
MOST_ATTEMPTS = 8
WAIT = timedelta(minutes=2)  # doubled with every attempt
SECRET = re.compile(r"/(link|reminders)/[A-Za-z0-9:_-]+")
CAN_WAIT = (
    "reminder",
    "grades",
    "digest",
    "announcement",
)  # kinds that nobody needs in order to sign in or to take part
CAN_BE_TURNED_OFF = ("reminder", "digest")
HOUR = timedelta(hours=1)


def queue_mail(
    *,
    person: Person,
    kind: str,
    context: Mapping[str, Any],
    language: str = "",
    about: str = "",
    once: str | None = None,
    not_before: datetime | None = None,
    to: str = "",
) -> bool:
    """Write a message from the template `mail/KIND.txt` (first line: the subject); False if `once` has it.

    Nothing is written to somebody whose address nobody has told us. `to` is another address of theirs.
    """
    if not person.shown_address:
        return False
    subject, text, language = write_mail(person=person, kind=kind, context=context, language=language)
    fields = {
        "person": person,
        "kind": kind,
        "to": to,
        "about": about,
        "subject": subject,
        "text": text,
        "language": language,
        "not_before": not_before or timezone.now(),
    }
    if once is None:
        Mail.objects.create(**fields)
        return True
    _mail, is_new = Mail.objects.get_or_create(once=once, defaults=fields)
    return is_new


def has_mail_server() -> bool:
    """Whether mail leaves this site; without a server it is written to files, and pages must not say more."""
    return settings.EMAIL_BACKEND != "peerage_web.accounts.mail_folder.EmailBackend"


def write_mail(
    *, person: Person, kind: str, context: Mapping[str, Any], language: str = ""
) -> tuple[str, str, str]:
    """Subject, text and language of a message, in the person's language or else in this one."""
    language = person.language or language or settings.LANGUAGE_CODE
    with translation.override(language):
        whole = render_to_string(
            f"mail/{kind}.txt",
            {
                "person": person,
                "instance": settings.BASE_URL,
                "pages": settings.BASE_URL + _way_in(person),
                **context,
            },
        )
    subject, _line, text = whole.strip().partition("\n")
    return " ".join(subject.split())[:200], text.strip() + "\n", language


_reader_signer = Signer(salt="peerage.readers")


def _way_in(person: Person) -> str:
    """What stands before the path of a page that needs a sign-in; most people sign in at the page itself.

    Others have no password here: this leads them to their course on the learning platform.
    """
    return f"/lti/back/{_reader_signer.sign(str(person.pk))}" if person.is_from_elsewhere else ""


def find_reader(*, text: str) -> Person | None:
    """To whom a link in mail was written; None for one that was made up."""
    return _person_of(_reader_signer, text)


def _person_of(signer: Signer, text: str) -> Person | None:
    try:
        number = int(signer.unsign(text))
    except (BadSignature, ValueError):
        return None
    return Person.objects.filter(pk=number, erased_at=None).first()


def send_waiting_mail() -> int:
    """Send what is due; how many went out.

    What somebody waits for goes before what can wait, of which an hour takes a bounded number: a mail
    server that is flooded refuses the invitations, too.
    """
    now = timezone.now()
    waiting = Mail.objects.filter(sent_at=None, given_up_at=None, not_before__lte=now)
    if _sent_within_the_hour(now) >= settings.REMINDERS_PER_HOUR:
        waiting = waiting.exclude(kind__in=CAN_WAIT)
    waiting = waiting.order_by(Case(When(kind__in=CAN_WAIT, then=1), default=0), "not_before", "pk")
    sent, deadline = 0, time.monotonic() + PATIENCE
    for number in list(waiting.values_list("pk", flat=True)[:BATCH]):
        if not _send(number) or time.monotonic() > deadline:
            break  # a server that is away or slow does not hold up the rest of maintenance
        sent += 1
    return sent


def _sent_within_the_hour(now: datetime) -> int:
    return Mail.objects.filter(kind__in=CAN_WAIT, sent_at__gt=now - HOUR).count()


def _send(number: int) -> bool:
    """One message. It is taken by moving its time on: who dies in between has not lost it."""
    now = timezone.now()
    with transaction.atomic():
        mail = (
            Mail.objects.select_for_update(of=("self",))
            .select_related("person")
            .filter(pk=number, sent_at=None, given_up_at=None, not_before__lte=now)
            .first()
        )
        if mail is None:
            return False
        mail.attempts += 1
        mail.not_before = now + WAIT * 2 ** (mail.attempts - 1)
        mail.save(update_fields=["attempts", "not_before"])
    try:
        EmailMessage(
            mail.subject,
            mail.text,
            settings.DEFAULT_FROM_EMAIL,
            [mail.to or mail.person.shown_address],
            headers=_headers(mail),
        ).send()
    except Exception as error:
        _remember_failure(mail, error)
        return False
    # links in it open accounts; nobody needs to find them in a database or a backup
    Mail.objects.filter(pk=number).update(
        sent_at=timezone.now(), problem="", text=SECRET.sub(r"/\1/…", mail.text)
    )
    return True


def _headers(mail: Mail) -> dict[str, str]:
    """How mail programs show a way out, where there is one."""
    if mail.kind not in CAN_BE_TURNED_OFF:
        return {}
    return {"List-Unsubscribe": f"<{settings.BASE_URL}{unsubscribe_path(mail.person)}>"}


def _remember_failure(mail: Mail, error: Exception) -> None:
    """Its kind and what the server said; given up after the last attempt, which is told."""
    over = mail.attempts >= MOST_ATTEMPTS
    Mail.objects.filter(pk=mail.pk).update(
        problem=f"{type(error).__name__}: {error}"[:300], given_up_at=timezone.now() if over else None
    )
    log.warning("mail %s could not be sent (attempt %s): %s", mail.pk, mail.attempts, type(error).__name__)


# -- reminders ------------------------------------------------------------------------------------------

_reminder_signer = Signer(salt="peerage.reminders")


def unsubscribe_path(person: Person) -> str:
    """The path that leads this person out of reminders; it can do nothing else."""
    return reverse("reminders-off", args=[_reminder_signer.sign(str(person.pk))])


def find_unsubscriber(*, text: str) -> Person | None:
    """Whose link it is; None for one that was made up."""
    return _person_of(_reminder_signer, text)


def turn_reminders(*, person: Person, on: bool) -> None:
    """Send reminders to this person, or none."""
    Person.objects.filter(pk=person.pk).update(wants_reminders=on)
    person.wants_reminders = on
