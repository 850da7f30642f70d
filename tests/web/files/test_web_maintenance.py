"""Lost jobs are found, expired ones deleted, nothing piles up."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from tests.web.at_work import SLOW, draft, in_background, queued, slow_class, wait_until, work_off

from peerage_web.files import queries
from peerage_web.files.models import Job
from peerage_web.files.services.jobs import delete_job
from peerage_web.files.services.maintenance import delete_leftovers, maintain
from peerage_web.files.services.recovery import hand_back, recover_lost_jobs
from peerage_web.files.services.running import run_job
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
    job = queued(slow_class(), SLOW)

    with in_background(run_job, identity=job.pk):
        wait_until(job, lambda job: job.steps_done > 1)
        Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=5))
        assert recover_lost_jobs() == 1

    job.refresh_from_db()
    assert (job.state, job.attempt, ready()) == (State.QUEUED, 1, 1)
    assert [path.name for path in job.folder.iterdir()] == ["input"]


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


def test_old_visits_and_tasks_are_forgotten():
    running(silent=1)
    count_request(client="somebody", kind="upload", window=HOUR)
    long_ago = timezone.now() - timedelta(days=2)
    RequestCount.objects.update(window=long_ago)
    DBTaskResult.objects.update(started_at=long_ago)

    maintain()

    assert (RequestCount.objects.count(), DBTaskResult.objects.count()) == (0, 0)
