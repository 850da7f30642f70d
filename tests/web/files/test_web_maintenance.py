"""Lost jobs are found, expired ones deleted, nothing piles up."""

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from tests.web.at_work import at_once, draft, held, in_background, is_reading, queued, wait_until, work_off

from peerage_web.files.models import Job
from peerage_web.files.services import jobs
from peerage_web.files.services.jobs import delete_job
from peerage_web.files.services.running import (
    GAP,
    LOST_AFTER,
    LostJobs,
    requeue,
    run_next,
    try_again_or_give_up,
)
from peerage_web.files.services.storage import delete_leftovers
from peerage_web.operations.maintenance import maintain_files, round_of_maintenance
from peerage_web.shared import heartbeats
from peerage_web.shared.models import RequestCount

pytestmark = pytest.mark.django_db(transaction=True)
State = Job.State


class Watching:
    """Somebody who looks for lost jobs every few seconds, by a clock that goes on when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lost = LostJobs(lambda: self.now)
        self.lost.recover()

    def for_seconds(self, seconds: float) -> int:
        """How many lost jobs it has found."""
        found = 0
        until = self.now + seconds
        while self.now < until:
            self.now += 5.0
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


def test_lost_job_is_tried_again_and_reported_when_lost_twice():
    job, twice = running(), running(attempt=2)

    assert Watching().for_seconds(LOST_AFTER + 5) == 2
    assert not job.results.exists()
    assert not twice.results.exists()

    work_off()
    for one in (job, twice):
        one.refresh_from_db()
    assert (job.state, job.attempt) == (State.DONE, 2)
    assert (twice.state, twice.problem["code"]) == (State.FAILED, "lost")
    assert "This is probably not caused by the file." in twice.problem["detail"]


@pytest.mark.parametrize("ahead", [0, -300, 300])
def test_job_that_gives_signs_of_life_is_left_alone(ahead):
    """Whatever time a heartbeat tells: what counts is that it changes."""
    job, watching = running(), Watching()

    for second in range(10):
        heard = timezone.now() + timedelta(seconds=ahead + second)
        Job.objects.filter(pk=job.pk).update(heartbeat_at=heard)
        assert watching.for_seconds(15) == 0

    job.refresh_from_db()
    assert job.state == State.RUNNING


def test_silence_while_nobody_could_be_heard_is_no_death():
    """The database was locked or away for whoever looks, so hearts could not be heard either."""
    job, watching = running(), Watching()

    for _ in range(10):
        assert watching.for_seconds(10) == 0
        watching.now += GAP + 1  # no look came through

    job.refresh_from_db()
    assert job.state == State.RUNNING


@pytest.mark.both
def test_two_who_look_after_jobs_at_once_make_no_doubles():
    job = running()
    several = [Watching() for _ in range(4)]

    found = at_once(lambda watching: watching.for_seconds(LOST_AFTER + 5), several)

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
    job, deleted = running(), running()
    delete_job(job=Job.objects.get(pk=deleted.pk))

    assert requeue(job)
    assert not requeue(deleted)

    job.refresh_from_db()
    assert (job.state, job.attempt) == (State.QUEUED, 0)


def test_expired_job_is_gone_at_once_and_then_deleted_and_old_counts_are_forgotten():
    job, kept = draft(), draft()
    Job.objects.filter(pk=job.pk).update(expires_at=timezone.now())
    RequestCount.objects.update(window=timezone.now() - timedelta(days=2))  # both uploads were counted
    assert list(jobs.live_jobs()) == [kept]

    assert maintain_files(LostJobs())

    assert list(Job.objects.all()) == [kept]
    assert not job.folder.exists()
    assert kept.folder.exists()
    assert RequestCount.objects.count() == 0


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

    assert {path.name for path in settings.JOBS.iterdir()} == {"new", str(job.pk)}
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

    for _ in range(2):
        round_of_maintenance("one", LostJobs())

    assert heartbeats.is_alive(settings.HEARTBEATS, "maintenance")
    assert list(settings.INCOMING.iterdir()) == [stuck]
    told = "a leftover in the folder incoming cannot be deleted (operation not permitted)"
    assert [record.getMessage() for record in caplog.records] == [told]  # once, not every five seconds
