"""What task workers do for classes: allocations that make themselves, late works, runs that are done."""

from __future__ import annotations

import logging
import time

from django.conf import settings
from django.db import DatabaseError, InterfaceError

from peerage_web.classes.services.allocation import allocate_waiting
from peerage_web.classes.services.grading.drawing import draw_waiting
from peerage_web.classes.services.mending import join_waiting

log = logging.getLogger(__name__)
INTERVAL = 5.0  # seconds between two looks of one worker
_last = 0.0


def work_off() -> None:
    """Do what waits, and not more often than every few seconds; what fails is there at the next look."""
    global _last
    now = time.monotonic()
    if not settings.CLASSES or now - _last < INTERVAL:
        return
    _last = now
    for part in (allocate_waiting, join_waiting, draw_waiting):
        try:
            part()
        except (DatabaseError, InterfaceError):  # it is away, for which the worker waits
            raise
        except Exception:  # a fault of ours in one class does not keep files from being graded
            log.exception("what waits in classes could not be done")
