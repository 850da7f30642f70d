"""How often somebody came: counted in the database, so that all web workers know."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from peerage_web.models import Visit
from peerage_web.services.errors import Busy

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
EVERYBODY = "everybody"


def count_visit(*, who: str, what: str, window: timedelta) -> int:
    """Count one more, and say how many there were in this window; exact, however many come at once."""
    mine = {"who": who, "what": what, "window": window_start(window)}
    with transaction.atomic():
        Visit.objects.bulk_create([Visit(**mine)], ignore_conflicts=True)
        Visit.objects.filter(**mine).update(count=F("count") + 1)  # the row is ours until the end
        return Visit.objects.get(**mine).count


def window_start(window: timedelta) -> datetime:
    """When the present window began: windows follow each other from midnight, for everybody alike."""
    seconds = window.total_seconds()
    return datetime.fromtimestamp(timezone.now().timestamp() // seconds * seconds, UTC)


def one_at_a_time(*, what: str) -> None:
    """Whoever else does this waits until our transaction has ended."""
    count_visit(who=EVERYBODY, what=what, window=DAY)


def refuse_too_many_uploads(*, visitor: str) -> None:
    """Count an upload; Busy where there were too many in this hour."""
    most = settings.LIMITS.uploads
    if count_visit(who=visitor, what="upload", window=HOUR) > most:
        raise Busy(f"{most} files an hour are all this service takes from one address. Try again later.")
