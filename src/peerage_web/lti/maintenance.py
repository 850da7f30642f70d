"""What LTI does by itself, once in a while."""

import logging
import threading
import time
from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from peerage_web.lti.keys import rotate_keys
from peerage_web.lti.models import LtiInvitation, LtiLogin, LtiPicking, LtiTicket
from peerage_web.lti.outbox import fill_outbox
from peerage_web.lti.score_delivery import due_scores, send_scores

TIDY = 600.0  # seconds between two tidyings
_tidied = -TIDY
_sender: threading.Thread | None = None
log = logging.getLogger(__name__)


def maintain() -> None:
    """Write scores for new releases and send them; now and then forget what is over, and look at the keys."""
    global _tidied
    if not settings.CLASSES:
        return
    fill_outbox()
    _send_apart()
    if time.monotonic() - _tidied > TIDY:
        _tidied = time.monotonic()
        rotate_keys()
        forget_old()


def _send_apart() -> None:
    """In a thread: a platform that answers slowly must not keep maintenance from giving signs of life."""
    global _sender
    if (_sender is None or not _sender.is_alive()) and due_scores().exists():
        _sender = threading.Thread(target=_send, name="lti scores", daemon=True)
        _sender.start()


def _send() -> None:
    try:
        send_scores()
    except Exception:
        log.exception("scores could not be sent")
    finally:
        connection.close()


def forget_old() -> None:
    """Launches on their way that did not arrive, and tickets."""
    past = timezone.now() - timedelta(hours=1)
    for kind in (LtiLogin, LtiTicket, LtiPicking):
        kind.objects.filter(expires_at__lt=past).delete()
    LtiInvitation.objects.filter(expires_at__lt=past - timedelta(days=30)).delete()
