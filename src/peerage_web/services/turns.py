"""How many files one web worker works on at once while visitors wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings

from peerage_web.services.errors import Full

WAIT = 8.0  # seconds


@contextmanager
def a_turn() -> Iterator[None]:
    """Wait for one of the few places; Full where none gets free in time."""
    places = _places(settings.LIMITS.looks)
    if not places.acquire(timeout=WAIT):
        raise Full("Many files are being looked at right now. Try again in a moment.")
    try:
        yield
    finally:
        places.release()


@cache
def _places(number: int) -> threading.Semaphore:
    return threading.BoundedSemaphore(number)
