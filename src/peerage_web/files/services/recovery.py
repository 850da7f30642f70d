"""Jobs whose worker is gone: tried once more, then reported; or put back where it was stopped on purpose."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F

from peerage_web.files.models import Job
from peerage_web.files.services.leases import hand_back, try_again_or_give_up

State = Job.State
LOST_AFTER = 20.0  # seconds without a sign of life, seen by who could have heard one
GAP = 12.0  # seconds between two looks after which what was seen before counts no more


class LostJobs:
    """Finds jobs whose heart has stopped, by looking again and again.

    No machine's clock is asked, so none can be wrong. Each look writes to the same rows as a heart does:
    where the database is locked or away, hearts cannot be heard, the look fails or takes long, and the
    watching begins anew.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked = -GAP
        self._seen: dict[tuple[UUID, int, datetime | None], float] = {}

    def recover(self) -> int:
        """Look; jobs silent for too long are tried once more, then reported. How many there were."""
        return sum(try_again_or_give_up(job) for job in self._silent())

    def _silent(self) -> list[Job]:
        began = self._clock()
        jobs = _running()
        now = self._clock()
        if now - self._looked > GAP:
            self._seen.clear()
        self._looked = now
        marks = [(job.pk, job.attempt, job.heartbeat_at) for job in jobs]
        self._seen = {mark: self._seen.get(mark, now) for mark in marks}
        silent = zip(marks, jobs, strict=True)
        return [job for mark, job in silent if began - self._seen[mark] >= LOST_AFTER]


def _running() -> list[Job]:
    with transaction.atomic():
        running = Job.objects.filter(state=State.RUNNING)
        running.update(steps_done=F("steps_done"))  # waits where a heart would have to wait
        return list(running)


def recover_jobs_of(*, workers: str) -> None:
    """Jobs of workers that died: tried once more, then reported. `workers` is how their names begin."""
    for job in _held_by(workers):
        try_again_or_give_up(job)


def return_jobs_of(*, workers: str) -> None:
    """Jobs of workers that were stopped on purpose: they wait again, and it does not count as a try."""
    for job in _held_by(workers):
        hand_back(job)


def _held_by(workers: str) -> list[Job]:
    return list(Job.objects.filter(state=State.RUNNING, worker__startswith=workers))
