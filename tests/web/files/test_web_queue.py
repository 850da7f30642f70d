"""Whose turn it is: turns by visitor, small jobs before large ones, and nobody waits for ever."""

from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.at_work import SMALL, draft, queued

from peerage_web.files.models import Job
from peerage_web.files.services import jobs
from peerage_web.files.services.jobs import claim_next, grading_seconds, preview_seconds, waiting_jobs
from peerage_web.sandbox.contract.jobs import JobOptions

pytestmark = [pytest.mark.django_db, pytest.mark.both]
State = Job.State


def waiting(visitor: str, *, cost: float = 1.0, since: float = 0.0) -> Job:
    """A job that has waited for some seconds."""
    job = queued(visitor=visitor)
    Job.objects.filter(pk=job.pk).update(cost=cost, queued_at=timezone.now() - timedelta(seconds=since))
    return job


def claimed(**lane: bool) -> Job | None:
    return claim_next(worker="test", **lane)


def test_claimed_job_is_the_workers_alone():
    draft()
    assert claimed() is None  # nothing waits
    job = waiting("ada")

    found = claimed()

    assert (found.pk, found.state, found.attempt, found.worker) == (job.pk, State.RUNNING, 1, "test")
    assert found.heartbeat_at is not None
    assert claimed() is None


def test_small_jobs_go_before_large_ones_and_among_equals_who_came_first():
    """A large job waits its length longer, and no more."""
    second, first = waiting("ada", since=10), waiting("bob", since=20)
    large, overdue = waiting("cem", cost=200, since=60), waiting("dia", cost=200, since=230)

    assert waiting_jobs() == [overdue, first, second, large]


def test_who_has_many_jobs_takes_turns_with_who_has_one():
    many = [waiting("ada", since=300) for _ in range(3)]
    turn = {"state": State.DONE, "started_at": timezone.now() - timedelta(seconds=2), "attempt": 1}
    Job.objects.filter(pk=draft(visitor="ada").pk).update(**turn)
    one = waiting("bob", since=5)

    assert waiting_jobs()[0] == one
    assert set(waiting_jobs()[1:]) == set(many)


def test_visitor_leaves_one_worker_to_the_others_unless_there_is_one_alone(settings):
    settings.TASK_WORKERS = 3
    for _ in range(3):
        waiting("ada", since=100)
    assert [claimed() is not None for _ in range(3)] == [True, True, False]
    other = waiting("bob")
    assert claimed() == other

    Job.objects.filter(state=State.RUNNING).delete()
    settings.TASK_WORKERS = 1
    assert claimed() is not None


def test_worker_for_small_jobs_takes_no_large_one():
    large = waiting("ada", cost=jobs.SMALL + 1, since=1000)

    assert claimed(small_only=True) is None
    small = waiting("bob", cost=jobs.SMALL)
    assert claimed(small_only=True) == small
    assert claimed() == large


def test_job_that_waits_for_room_is_left_until_its_time():
    job = waiting("ada")
    Job.objects.update(not_before=timezone.now() + timedelta(minutes=5))

    assert claimed() is None
    Job.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    assert claimed() == job


def test_cost_is_told_from_the_size_before_the_work_begins():
    job = queued(SMALL)
    large = Job(file_name="feedback.csv", file_bytes=12_000_000)
    packed = Job(file_name="Feedback.XLSX", file_bytes=12_000_000)

    job.refresh_from_db()
    assert job.cost == grading_seconds(job, JobOptions()) < jobs.SMALL
    assert 100 < grading_seconds(large, JobOptions()) < 300
    assert grading_seconds(large, JobOptions(compare=("all",))) > 1000
    assert preview_seconds(job) < 1 < preview_seconds(large) < preview_seconds(packed)

    now = timezone.now()
    graded = Job(file_name="a.csv", file_bytes=100, started_at=now, finished_at=now + timedelta(seconds=70))
    assert jobs.explaining_seconds(graded) == 70  # what grading took
