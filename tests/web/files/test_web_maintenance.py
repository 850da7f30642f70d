"""Lost jobs are found, expired ones deleted, nothing piles up."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connections, transaction
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from tests.web.at_work import draft, held, in_background, is_reading, queued, wait_until, work_off

from peerage_web.files import queries
from peerage_web.files.models import Job
from peerage_web.files.services.jobs import delete_job
from peerage_web.files.services.maintenance import delete_leftovers, maintain
from peerage_web.files.services.recovery import hand_back, recover_lost_jobs
from peerage_web.files.services.running import run_job
from peerage_web.operations.maintenance import round_of_maintenance
from peerage_web.shared import heartbeats
from peerage_web.shared.models import RequestCount
from peerage_web.shared.services.rate_limits import HOUR, count_request

pytestmark = pytest.mark.django_db(transaction=True)
State = Job.State


def running(*, silent: float, attempt: int = 1) -> Job:
    """A job whose worker took it and was heard of some seconds ago."""
    job = queued()
    now = timezone.now()
    DBTaskResult.objects.update(status="RUNNING", started_at=now, worker_ids=["gone"])
    heard = now - timedelta(seconds=silent)
    Job.objects.filter(pk=job.pk).update(
        state=State.RUNNING, attempt=attempt, heartbeat_at=heard, queued_at=heard
    )
    job.refresh_from_db()
    (job.results).mkdir()
    return job


def ready() -> int:
    return DBTaskResult.objects.ready().count()


def test_lost_job_is_tried_again_and_done():
    job = running(silent=60)

    assert recover_lost_jobs() == 1
    assert (ready(), job.results.exists()) == (1, False)

    work_off()
    job.refresh_from_db()
    assert (job.state, job.attempt) == (State.DONE, 2)


def test_job_lost_twice_is_reported():
    job = running(silent=60, attempt=2)

    assert recover_lost_jobs() == 1

    job.refresh_from_db()
    assert (job.state, job.problem["code"]) == (State.FAILED, "lost")
    assert (ready(), job.results.exists()) == (0, False)


def test_job_that_gives_signs_of_life_is_left_alone():
    job = running(silent=1)

    assert recover_lost_jobs() == 0

    job.refresh_from_db()
    assert job.state == State.RUNNING


def test_waiting_job_without_a_task_gets_one():
    job = queued()
    DBTaskResult.objects.update(status="RUNNING")  # by a worker that died before it claimed the job
    Job.objects.filter(pk=job.pk).update(queued_at=timezone.now() - timedelta(minutes=5))

    assert [recover_lost_jobs(), recover_lost_jobs()] == [1, 0]
    assert ready() == 1


def test_two_who_look_after_jobs_at_once_make_no_doubles():
    job = running(silent=60)

    def recover(_):
        try:
            recover_lost_jobs()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(recover, range(4)))

    job.refresh_from_db()
    assert (job.state, ready()) == (State.QUEUED, 1)


def test_worker_that_was_given_up_too_early_stops_and_leaves_nothing():
    job = held()

    with in_background(run_job, identity=job.pk):
        wait_until(job, is_reading)
        with transaction.atomic():  # or its next heartbeat might come in between
            Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=5))
            assert recover_lost_jobs() == 1

    job.refresh_from_db()
    assert (job.state, job.attempt, ready()) == (State.QUEUED, 1, 1)
    assert not job.results.exists()


def test_job_handed_back_has_lost_nothing():
    job = running(silent=1)

    assert hand_back(job)

    job.refresh_from_db()
    assert (job.state, job.attempt, ready()) == (State.QUEUED, 0, 1)


def test_job_that_was_deleted_cannot_be_handed_back():
    job = running(silent=1)
    delete_job(job=Job.objects.get(pk=job.pk))

    assert not hand_back(job)
    assert ready() == 0


def test_expired_job_is_gone_at_once_and_then_deleted():
    job, kept = draft(), draft()
    Job.objects.filter(pk=job.pk).update(expires_at=timezone.now())

    assert list(queries.live_jobs()) == [kept]
    maintain()

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
        round_of_maintenance("one")

    assert heartbeats.is_alive(settings.HEARTBEATS, "maintenance")
    assert list(settings.INCOMING.iterdir()) == [stuck]
    told = "a leftover in the folder incoming cannot be deleted (operation not permitted)"
    assert [record.getMessage() for record in caplog.records] == [told]  # once, not every five seconds


def test_old_counts_and_tasks_are_forgotten():
    running(silent=1)
    count_request(client="somebody", kind="upload", window=HOUR)
    long_ago = timezone.now() - timedelta(days=2)
    RequestCount.objects.update(window=long_ago)
    DBTaskResult.objects.update(started_at=long_ago)

    maintain()

    assert (RequestCount.objects.count(), DBTaskResult.objects.count()) == (0, 0)
