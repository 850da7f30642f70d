"""Mail: written with what caused it, sent by maintenance, tried again where the server is away."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone, translation

from peerage_web.accounts.models import Mail, Person

log = logging.getLogger(__name__)
BATCH = 20  # in one round of maintenance
PATIENCE = 5.0  # seconds of a round
MOST_ATTEMPTS = 8
WAIT = timedelta(minutes=2)  # doubled with every attempt
SECRET = re.compile(r"/link/[A-Za-z0-9_-]+")


def queue_mail(
    *,
    person: Person,
    kind: str,
    context: Mapping[str, Any],
    language: str = "",
    about: str = "",
    once: str | None = None,
    not_before: datetime | None = None,
) -> bool:
    """Write a message from the template `mail/KIND.txt` (first line: the subject); False if `once` has it."""
    language = person.language or language or settings.LANGUAGE_CODE
    with translation.override(language):
        whole = render_to_string(
            f"mail/{kind}.txt", {"person": person, "instance": settings.BASE_URL, **context}
        )
    subject, _line, text = whole.strip().partition("\n")
    fields = {
        "person": person,
        "kind": kind,
        "about": about,
        "subject": " ".join(subject.split())[:200],
        "text": text.strip() + "\n",
        "language": language,
        "not_before": not_before or timezone.now(),
    }
    if once is None:
        Mail.objects.create(**fields)
        return True
    _mail, made = Mail.objects.get_or_create(once=once, defaults=fields)
    return made


def send_waiting_mail() -> int:
    """Send what is due; how many went out."""
    now = timezone.now()
    waiting = Mail.objects.filter(sent_at=None, given_up_at=None, not_before__lte=now)
    sent, deadline = 0, time.monotonic() + PATIENCE
    for number in list(waiting.values_list("pk", flat=True)[:BATCH]):
        if not _send(number) or time.monotonic() > deadline:
            break  # a server that is away or slow does not hold up the rest of maintenance
        sent += 1
    return sent


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
        EmailMessage(mail.subject, mail.text, settings.DEFAULT_FROM_EMAIL, [mail.person.email]).send()
    except Exception as error:
        _remember_failure(mail, error)
        return False
    # links in it open accounts; nobody needs to find them in a database or a backup
    Mail.objects.filter(pk=number).update(
        sent_at=timezone.now(), problem="", text=SECRET.sub("/link/…", mail.text)
    )
    return True


def _remember_failure(mail: Mail, error: Exception) -> None:
    """Its kind and what the server said; given up after the last attempt, which is told."""
    over = mail.attempts >= MOST_ATTEMPTS
    Mail.objects.filter(pk=mail.pk).update(
        problem=f"{type(error).__name__}: {error}"[:300], given_up_at=timezone.now() if over else None
    )
    log.warning("mail %s could not be sent (attempt %s): %s", mail.pk, mail.attempts, type(error).__name__)
