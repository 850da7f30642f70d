"""The supervisor's children, and the jobs that dead workers leave behind."""

from __future__ import annotations

import sys

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from peerage_web.files.models import Job
from peerage_web.files.services.drafts import create_job
from peerage_web.files.services.jobs import start_job
from peerage_web.files.services.recovery import recover_jobs_of, return_jobs_of
from peerage_web.operations.listener import address, listen
from peerage_web.operations.process import LONGEST_PAUSE, Process
from peerage_web.sandbox.contract import Options


def die(child: Process) -> float:
    """Start it, let it end, and say how long it has to wait."""
    child.due = 0.0
    child.start_if_due()
    child.process.wait()
    assert child.has_died()
    return child.due - child._started


def test_pause_before_a_restart_grows(monkeypatch):
    child = Process("test", lambda: [sys.executable, "-c", ""])
    monkeypatch.setattr("time.monotonic", lambda: 1000.0)

    pauses = [die(child) for _ in range(9)]

    assert pauses == [0.5, 1, 2, 4, 8, 16, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]


def test_child_that_cannot_be_started_is_tried_again(caplog):
    child = Process("test", lambda: ["/no/such/program"])

    child.start_if_due()

    assert (child.process, child.deaths) == (None, 1)
    assert caplog.messages == [
        "the test process could not be started (No such file or directory); it is started again in 0.5 s"
    ]


def test_child_waits_until_its_pause_is_over():
    child = Process("test", lambda: [sys.executable, "-c", ""])
    die(child)

    child.start_if_due()

    assert child.process is None


def test_address_for_a_browser():
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]

        shown = [address(listener, host) for host in ("127.0.0.1", "0.0.0.0", "::1")]

    assert shown == [f"http://127.0.0.1:{port}/", f"http://localhost:{port}/", f"http://[::1]:{port}/"]


@pytest.fixture
def held(posters, transactional_db):
    """A job that a worker has taken."""
    job = create_job(upload=SimpleUploadedFile("feedback.csv", posters), visitor="somebody")
    start_job(job=job, options=Options())
    Job.objects.update(state=Job.State.RUNNING, attempt=1, worker="here.1")
    return job


def states(job: Job) -> tuple[object, ...]:
    job.refresh_from_db()
    return job.state, job.attempt, job.worker


def test_job_of_a_dead_worker_is_tried_again(held):
    recover_jobs_of(workers="here")

    assert states(held) == ("queued", 1, "")


def test_job_of_a_stopped_worker_waits_again(held):
    return_jobs_of(workers="here.1")

    assert states(held) == ("queued", 0, "")


def test_job_of_another_place_is_left_alone(held):
    recover_jobs_of(workers="there")

    assert states(held) == ("running", 1, "here.1")


def test_finished_job_of_a_dead_worker_is_left_alone(held):
    Job.objects.update(state=Job.State.DONE)

    recover_jobs_of(workers="here")

    assert states(held) == ("done", 1, "here.1")
