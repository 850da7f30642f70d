"""Who is asking, without knowing who it is: a hash of the address under a key that changes every day."""

from __future__ import annotations

import hashlib
import hmac

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone


def visitor_of(request: HttpRequest) -> str:
    """The same visitor has the same mark for a day; nobody can tell the address from it."""
    key = f"{settings.SECRET_KEY}:{timezone.now():%Y-%m-%d}".encode()
    return hmac.new(key, address_of(request).encode(), hashlib.sha256).hexdigest()


def address_of(request: HttpRequest) -> str:
    """Where the request came from."""
    if settings.PROXY:
        # our proxy appends the address it saw; what stands before it the visitor may have made up
        forwarded: str = request.headers.get("X-Forwarded-For", "")
        if last := forwarded.rpartition(",")[2].strip():
            return last
    return str(request.META.get("REMOTE_ADDR", ""))
