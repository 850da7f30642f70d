"""Sandbox slots: how many children one web worker has at once for visitors who wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.conf import settings

from peerage_web import sandbox
from peerage_web.shared.errors import Full

WAIT = 8.0  # seconds


@contextmanager
def sandbox_slot() -> Iterator[None]:
    """Wait for one of the few slots; Full where none gets free in time."""
    slots = _slots(settings.LIMITS.sandbox_slots)
    if not slots.acquire(timeout=WAIT):
        raise Full("Many files are being looked at right now. Try again in a moment.")
    try:
        yield
    finally:
        slots.release()


@cache
def _slots(number: int) -> threading.Semaphore:
    return threading.BoundedSemaphore(number)


def ask(work: Callable[..., Any], *args: Any, seconds: float | None = None) -> Any:
    """What `work` answers in the sandbox, within the limits; raises Busy where too many ask at once."""
    limits = settings.LIMITS
    with sandbox_slot():
        return sandbox.run(work, *args, seconds=seconds or limits.direct_seconds, memory=limits.memory)
