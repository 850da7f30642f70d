"""Who asked for what, for operators who look into abuse: shortened addresses, for a stated number of days.

A file per day in the data folder, apart from the log, which is often kept for longer than anybody thinks of.
"""

import json
import os
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from peerage_web.configuration.logs import request_id, without_secrets
from peerage_web.shared.visitors import address_of, visitor_of

MOST = 100 << 20  # bytes of one day
KEPT_BITS = {4: 24, 6: 48}  # of an address, by its version
UNTRACED = ("/static/", "/healthz", "/readyz")
MARK = 12  # characters of a visitor's mark: enough to tell them apart for a day


def trace(request: HttpRequest, status: int) -> None:
    """Write down one request, unless this instance keeps no traces. Never a reason to fail."""
    if settings.TRACE_DAYS == 0 or request.path.startswith(UNTRACED):
        return
    now = timezone.now()
    line = {
        "time": now.isoformat(timespec="seconds"),
        "from": shorten_address(address_of(request)),
        "visitor": visitor_of(request)[:MARK],
        "method": request.method,
        "path": without_secrets(request.path),
        "status": status,
        "request": request_id.get(),
    }
    try:
        _append(now, json.dumps(line, ensure_ascii=False) + "\n")
    except OSError:  # a full disk is told elsewhere
        return


def _append(now: datetime, line: str) -> None:
    settings.TRACES.mkdir(mode=0o700, exist_ok=True)
    file = os.open(settings.TRACES / f"{now:%Y-%m-%d}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        if os.fstat(file).st_size < MOST:
            os.write(file, line.encode("utf-8", "backslashreplace"))  # in one piece, whoever else writes
    finally:
        os.close(file)


def shorten_address(address: str) -> str:
    """The network of an address, as much of it as tells a provider and not a person."""
    try:
        full = ip_address(address)
    except ValueError:
        return "unknown"
    mapped = getattr(full, "ipv4_mapped", None)
    full = mapped or full
    return str(ip_network((full, KEPT_BITS[full.version]), strict=False))


def forget_old_traces() -> None:
    """Delete the files of days that are over for longer than stated."""
    oldest = timezone.now() - timedelta(days=settings.TRACE_DAYS)
    for path in settings.TRACES.glob("*.jsonl"):
        if path.stem < f"{oldest:%Y-%m-%d}" or settings.TRACE_DAYS == 0:
            path.unlink(missing_ok=True)
