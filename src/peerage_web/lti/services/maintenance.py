"""What LTI does by itself, once in a while."""

from __future__ import annotations

import time
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from peerage_web.lti.models import LtiInvitation, LtiLogin, LtiPicking, LtiTicket
from peerage_web.lti.services.keys import rotate_keys
from peerage_web.lti.services.outbox import fill_outbox
from peerage_web.lti.services.sending import send_scores

TIDY = 600.0  # seconds between two tidyings
_tidied = -TIDY


def maintain() -> None:
    """Write scores for new releases and send them; now and then forget what is over, and look at the keys."""
    global _tidied
    if not settings.CLASSES:
        return
    fill_outbox()
    send_scores()
    if time.monotonic() - _tidied > TIDY:
        _tidied = time.monotonic()
        rotate_keys()
        forget_old()


def forget_old() -> None:
    """Launches on their way that did not arrive, and tickets."""
    past = timezone.now() - timedelta(hours=1)
    for kind in (LtiLogin, LtiTicket, LtiPicking):
        kind.objects.filter(expires_at__lt=past).delete()
    LtiInvitation.objects.filter(expires_at__lt=past - timedelta(days=30)).delete()
