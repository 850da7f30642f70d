"""The heart of a running job: signs of life for the database, and questions from it, in a thread of its own.

A database that is locked or away holds up this thread alone: the child is watched as before, and what could
not be written is written with the next beat.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from django.db import DatabaseError, InterfaceError, connection, connections
from django.db.models.functions import Now

from peerage_web.files.models import Job, storable
from peerage_web.files.services.leases import held

BEAT = 2.0  # seconds between signs of life
ASK = 1.0  # seconds between questions whether to stop


class Heart:
    """Beats while the work goes on: `with Heart(job) as heart`."""

    def __init__(self, job: Job) -> None:
        self._mine = held(job)
        self._wake, self._ended, self._unwanted = threading.Event(), threading.Event(), threading.Event()
        self._steps: tuple[str, int] = (job.step, 0)
        self._written: tuple[str, int] | None = None
        self._beaten = time.monotonic()
        self._thread = threading.Thread(target=self._live, name="heart", daemon=True)

    def __enter__(self) -> Heart:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._wake.set()
        self._thread.join()

    def step(self, name: str) -> None:
        """The job has begun a step."""
        self._steps = (storable(name[:200]), self._steps[1] + 1)
        self._wake.set()

    def should_stop(self) -> bool:
        """Whether the visitor has cancelled or deleted the job, or it belongs to another attempt."""
        return self._unwanted.is_set()

    def _live(self) -> None:
        try:
            while not self._ended.is_set():
                self._wake.wait(ASK)
                self._wake.clear()
                self._look()
        finally:
            connections.close_all()

    def _look(self) -> None:
        steps = self._steps
        due = time.monotonic() - self._beaten >= BEAT
        try:
            if due or steps != self._written:
                self._beat(steps)
            if not self._mine.filter(cancel_requested=False).exists():
                self._unwanted.set()
        except (DatabaseError, InterfaceError):
            connection.close()

    def _beat(self, steps: tuple[str, int]) -> None:
        changes: dict[str, Any] = {"step": steps[0], "steps_done": max(0, steps[1] - 1)}
        self._mine.update(heartbeat_at=Now(), **changes)
        self._written, self._beaten = steps, time.monotonic()
