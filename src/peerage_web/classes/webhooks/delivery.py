"""Sending what webhooks are told: signed, each message under one id, tried again where nobody answers.

A message is taken by moving its time on, as mail is: who dies in between has not lost it. It may so arrive
twice, always under the same id; and a later one may arrive before it.
"""

import base64
import hashlib
import hmac
import json
import logging
import threading
import time
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from peerage import __version__
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.webhooks.models import Delivery, Webhook
from peerage_web.shared import outgoing

log = logging.getLogger(__name__)
BATCH = 20  # in one round of maintenance
PATIENCE = 30.0  # seconds of a round
MOST_ATTEMPTS = 9  # the last about two days after the first
WAIT = timedelta(minutes=1)  # three times as long with every attempt
KEPT = timedelta(days=90)  # of messages that are over
GONE = 410  # what a receiver says that wants nothing any more


_sender: threading.Thread | None = None


def send_in_background() -> threading.Thread | None:
    """Send what is due beside other maintenance, whose sign of life must not hang on how slow receivers are.

    One thread at a time; the thread, if there is something to send.
    """
    global _sender
    if _sender is not None and _sender.is_alive():
        return _sender
    if not Delivery.objects.filter(next_at__lte=timezone.now()).exists():
        return None
    _sender = threading.Thread(target=_send_and_let_go, name="webhooks", daemon=True)
    _sender.start()
    return _sender


def _send_and_let_go() -> None:
    try:
        send_waiting_deliveries()
    except Exception:  # what is not sent is there in the next round
        log.exception("messages of webhooks could not be sent")
    finally:
        connection.close()


def send_waiting_deliveries() -> int:
    """Send what is due; how many were taken. One receiver that is slow waits longer each time, not others."""
    due = Delivery.objects.filter(next_at__lte=timezone.now()).order_by("next_at", "made_at", "pk")
    taken, deadline = 0, time.monotonic() + PATIENCE
    for number in list(due.values_list("pk", flat=True)[:BATCH]):
        try:
            taken += deliver(number=number)
        except (OperationalError, InterfaceError):  # the database is away
            raise
        except Exception:  # its time was moved on before it was tried: it waits longer, as if not taken
            log.exception("webhook message %s could not be sent", number)
        if time.monotonic() > deadline:
            break
    return taken


def deliver(*, number: Any) -> bool:
    """Send one message if it is due; whether it was taken."""
    now = timezone.now()
    with transaction.atomic():
        waiting = Delivery.objects.select_for_update(of=("self",)).select_related("webhook__course")
        delivery = waiting.filter(pk=number, next_at__lte=now).first()
        if delivery is None:
            return False
        if delivery.webhook.ended_at is not None:
            Delivery.objects.filter(pk=delivery.pk).update(next_at=None, answer="ended")
            return False
        delivery.attempts += 1
        last = delivery.attempts >= MOST_ATTEMPTS
        delivery.next_at = now + WAIT * 3 ** (delivery.attempts - 1)
        delivery.save(update_fields=["attempts", "next_at"])
    answer, status = _sent(delivery)
    taken = 200 <= status < 300
    over = taken or last or status == GONE
    fields: dict[str, Any] = {"answer": answer, "taken_at": timezone.now() if taken else None}
    Delivery.objects.filter(pk=delivery.pk).update(**fields, **({"next_at": None} if over else {}))
    if status == GONE:
        _end(delivery.webhook)
    if not taken:
        log.warning(
            "webhook message %s was not taken (attempt %s): %s", delivery.pk, delivery.attempts, answer
        )
    return taken


def _sent(delivery: Delivery) -> tuple[str, int]:
    """What is kept of the answer, and its status (0: there was none)."""
    body = message_body(delivery.body)
    headers = headers_of(delivery, body, int(time.time()))
    try:
        status = outgoing.post(delivery.webhook.url, body, headers, private=settings.WEBHOOKS_PRIVATE)
    except (outgoing.UnsafeAddressError, outgoing.NotReachedError) as error:
        return str(error)[:300], 0
    return str(status), status


def message_body(content: dict[str, Any]) -> bytes:
    """The bytes that are sent and signed: the same at every attempt."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def headers_of(delivery: Delivery, body: bytes, now: int) -> dict[str, str]:
    """The id by which repeats are known, when it was sent, and the signature of both with the body."""
    name = f"msg_{delivery.pk.hex}"
    return {
        "Content-Type": "application/json",
        "User-Agent": f"Peerage/{__version__}",
        "webhook-id": name,
        "webhook-timestamp": str(now),
        "webhook-signature": f"v1,{signature(delivery.webhook.secret, name, now, body)}",
    }


def signature(secret: str, name: str, now: int, body: bytes) -> str:
    """HMAC-SHA256 over id, time and body, in Base64."""
    key = base64.urlsafe_b64decode(secret)
    signed = hmac.new(key, f"{name}.{now}.".encode() + body, hashlib.sha256)
    return base64.b64encode(signed.digest()).decode()


def shown_secret(webhook: Webhook) -> str:
    """As libraries for Standard Webhooks take it."""
    return "whsec_" + base64.b64encode(base64.urlsafe_b64decode(webhook.secret)).decode()


def _end(webhook: Webhook) -> None:
    """The receiver said that it is gone."""
    with transaction.atomic():
        if Webhook.objects.filter(pk=webhook.pk, ended_at=None).update(ended_at=timezone.now()):
            record("webhook-gone", by=None, course=webhook.course, title=webhook.url)


def forget_old_deliveries() -> None:
    """Messages that are over, after a time."""
    Delivery.objects.filter(next_at=None, made_at__lt=timezone.now() - KEPT).delete()
