"""Rate limits: requests are counted in the database, so that all web workers know."""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.shared.errors import Busy
from peerage_web.shared.models import RequestCount

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
KEPT = timedelta(days=1)


def count_request(*, client: str, kind: str, window: timedelta) -> int:
    """Count one more, and say how many there were in this window; exact, however many come at once."""
    key = {"client": client, "kind": kind, "window": window_start(window)}
    with transaction.atomic():
        RequestCount.objects.bulk_create([RequestCount(**key)], ignore_conflicts=True)
        RequestCount.objects.filter(**key).update(count=F("count") + 1)  # the row is ours until the end
        return RequestCount.objects.get(**key).count


def window_start(window: timedelta) -> datetime:
    """When the present window began: windows follow each other from midnight, for everybody alike."""
    seconds = window.total_seconds()
    return datetime.fromtimestamp(timezone.now().timestamp() // seconds * seconds, UTC)


def refuse_too_many_uploads(*, visitor: str) -> None:
    """Count an upload; Busy where there were too many in this hour."""
    most = settings.LIMITS.uploads
    if count_request(client=visitor, kind="upload", window=HOUR) > most:
        text = _("This site accepts at most %(most)d files per hour from one visitor. Try again later.")
        raise Busy(text % {"most": most})


def refuse_too_many_looks(*, visitor: str) -> None:
    """Count a look at a file, an explanation or another direct answer; Busy where there were too many."""
    most = settings.LIMITS.previews
    if count_request(client=visitor, kind="look", window=MINUTE) > most:
        text = _(
            "This site answers at most %(most)d requests per minute from one visitor. Try again in a minute."
        )
        raise Busy(text % {"most": most})


def forget_old_counts() -> None:
    """Windows that are over do not matter any more."""
    RequestCount.objects.filter(window__lt=timezone.now() - KEPT).delete()
