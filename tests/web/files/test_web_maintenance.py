"""Lost jobs are found, expired ones deleted, nothing piles up."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connections
from django.utils import timezone
from tests.web.at_work import draft, held, in_background, is_reading, queued, wait_until, work_off

from peerage_web.files import queries
from peerage_web.files.models import Job
from peerage_web.files.services.jobs import delete_job
from peerage_web.files.services.leases import hand_back, try_again_or_give_up
from peerage_web.files.services.maintenance import delete_leftovers, maintain
from peerage_web.files.services.recovery import GAP, LOST_AFTER, LostJobs
from peerage_web.files.services.running import run_next
from peerage_web.operations.maintenance import round_of_maintenance
from peerage_web.shared import heartbeats
from peerage_web.shared.models import RequestCount
from peerage_web.shared.services.rate_limits import HOUR, count_request

pytestmark = pytest.mark.django_db(transaction=True)
State = Job.State


class Clock:
    """Goes on when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Watching:
    """Somebody who looks for lost jobs every few seconds."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.lost = LostJobs(self.clock)
        self.lost.recover()

    def for_seconds(self, seconds: float, every: float = 5.0) -> int:
        """How many lost jobs it has found."""
        found = 0
        until = self.clock.now + seconds
        while self.clock.now < until:
            self.clock.now += every
            found += self.lost.recover()
        return found


def running(attempt: int = 1) -> Job:
    """A job whose worker took it, and was not heard of again."""
    job = queued()
    now = timezone.now()
    Job.objects.filter(pk=job.pk).update(
        state=State.RUNNING, attempt=attempt, heartbeat_at=now, started_at=now, worker="gone"
    )
    job.refresh_from_db()
    (job.results).mkdir()
    return job


def beat(job: Job, ahead: float = 0.0) -> None:
    heard = timezone.now() + timedelta(seconds=ahead)
    Job.objects.filter(pk=job.pk).update(heartbeat_at=heard)


def test_lost_job_is_tried_again_and_done():
    job = running()

    assert Watching().for_seconds(LOST_AFTER + 5) == 1
    assert not job.results.exists()

    work_off()
    job.refresh_from_db()
    assert (job.state, job.attempt) == (State.DONE, 2)


def test_job_lost_twice_is_reported():
    job = running(attempt=2)

    assert Watching().for_seconds(LOST_AFTER + 5) == 1

    job.refresh_from_db()
    assert (job.state, job.problem["code"]) == (State.FAILED, "lost")
    assert not job.results.exists()


def test_job_that_gives_signs_of_life_is_left_alone():
    job, watching = running(), Watching()

    for _ in range(10):
        beat(job)
        assert watching.for_seconds(15) == 0

    job.refresh_from_db()
    assert job.state == State.RUNNING


@pytest.mark.parametrize("ahead", [-300, 300])
def test_clock_that_is_wrong_is_no_death(ahead):
    """Whatever time a heartbeat tells: what counts is that it changes."""
    job, watching = running(), Watching()

    for second in range(10):
        beat(job, ahead + second)
        assert watching.for_seconds(15) == 0


def test_silence_while_nobody_could_be_heard_is_no_death():
    """The database was locked or away for whoever looks, so hearts could not be heard either."""
    job, watching = running(), Watching()

    for _ in range(10):
        assert watching.for_seconds(10) == 0
        watching.clock.now += GAP + 1  # no look came through

    job.refresh_from_db()
    assert job.state == State.RUNNING


def test_two_who_look_after_jobs_at_once_make_no_doubles():
    job = running()
    several = [Watching() for _ in range(4)]

    def recover(watching):
        try:
            return watching.for_seconds(LOST_AFTER + 5)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(recover, several))

    job.refresh_from_db()
    assert (job.state, job.attempt, sum(found)) == (State.QUEUED, 1, 1)


def test_worker_that_was_given_up_too_early_stops_and_leaves_nothing():
    job = held()

    with in_background(run_next, worker="test"):
        wait_until(job, is_reading)
        assert try_again_or_give_up(job)

    job.refresh_from_db()
    assert (job.state, job.attempt) == (State.QUEUED, 1)
    assert not job.results.exists()


def test_job_handed_back_has_lost_nothing():
    job = running()

    assert hand_back(job)

    job.refresh_from_db()
    assert (job.state, job.attempt) == (State.QUEUED, 0)


def test_job_that_was_deleted_cannot_be_handed_back():
    job = running()
    delete_job(job=Job.objects.get(pk=job.pk))

    assert not hand_back(job)


def test_expired_job_is_gone_at_once_and_then_deleted():
    job, kept = draft(), draft()
    Job.objects.filter(pk=job.pk).update(expires_at=timezone.now())

    assert list(queries.live_jobs()) == [kept]
    assert maintain(LostJobs())

    assert list(Job.objects.all()) == [kept]
    assert not job.folder.exists()
    assert kept.folder.exists()


def test_place_in_queue_counts_those_who_came_before():
    drafted_first, first, second = draft(), queued(), queued()

    assert [queries.place_in_queue(job) for job in (first, second)] == [0, 1]
    assert drafted_first.queued_at is None


def test_files_of_broken_uploads_are_deleted_after_an_hour(settings):
    job = draft()
    old, new = settings.JOBS / "old", settings.JOBS / "new"
    part = settings.INCOMING / "part.upload"
    for folder in (old, new):
        folder.mkdir()
    part.write_bytes(b"x")
    for path in (old, part, job.folder):
        os.utime(path, (time.time() - 4000,) * 2)

    delete_leftovers()

    assert sorted(path.name for path in settings.JOBS.iterdir()) == sorted(["new", str(job.pk)])
    assert list(settings.INCOMING.iterdir()) == []


def test_leftover_that_cannot_be_deleted_stops_nothing_else(settings, monkeypatch, caplog):
    stuck, other = settings.INCOMING / "a.upload", settings.INCOMING / "b.upload"
    for path in (stuck, other):
        path.write_bytes(b"x")
        os.utime(path, (time.time() - 4000,) * 2)
    unlink = Path.unlink

    def refuse(path, **named):
        if path == stuck:
            raise PermissionError(1, "Operation not permitted")
        unlink(path, **named)

    monkeypatch.setattr(Path, "unlink", refuse)
    settings.HEARTBEATS = settings.DATA / "heartbeats"

    for _ in range(2):
        round_of_maintenance("one", LostJobs())

    assert heartbeats.is_alive(settings.HEARTBEATS, "maintenance")
    assert list(settings.INCOMING.iterdir()) == [stuck]
    told = "a leftover in the folder incoming cannot be deleted (operation not permitted)"
    assert [record.getMessage() for record in caplog.records] == [told]  # once, not every five seconds


def test_old_counts_are_forgotten():
    count_request(client="somebody", kind="upload", window=HOUR)
    long_ago = timezone.now() - timedelta(days=2)
    RequestCount.objects.update(window=long_ago)

    assert maintain(LostJobs())

    assert RequestCount.objects.count() == 0
