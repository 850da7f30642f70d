"""A process that keeps secrets: others of its user cannot read its memory or what it was started with."""

from __future__ import annotations

import sys
from contextlib import suppress

from peerage_web.sandbox.walls.system import prctl

_DUMPABLE = 4  # PR_SET_DUMPABLE


def deny_dumps() -> None:
    """No core, no debugger, and /proc/PID/environ and /proc/PID/mem for root alone."""
    _set(0)


def allow_dumps() -> None:
    """As processes are from the start. A child is, or the one who follows it could not see what it writes."""
    _set(1)


def _set(value: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):
            prctl(_DUMPABLE, value)
