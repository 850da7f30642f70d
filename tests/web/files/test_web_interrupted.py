"""Children and servers that are killed from outside: tried once more, and told as it was."""

from __future__ import annotations

import errno
import os
import signal

import pytest
from django.utils import timezone
from tests.web.at_work import held, in_background, is_reading, queued, wait_until, work_off
from tests.web.held import hold, let_go

from peerage_web.files.models import Job
from peerage_web.files.services.drafts import preview_job
from peerage_web.files.services.running import run_next
from peerage_web.sandbox import parent, processes
from peerage_web.sandbox.contract import errors
from peerage_web.sandbox.contract.errors import DiskFullError
from peerage_web.sandbox.contract.jobs import JobOptions

pytestmark = pytest.mark.django_db(transaction=True)
State = Job.State


def kill_child() -> None:
    """The one child of this process's server."""
    server = processes.own_server().server.process.pid
    with open(f"/proc/{server}/task/{server}/children") as children:
        for pid in children.read().split():
            os.kill(int(pid), signal.SIGKILL)


def kill_server() -> None:
    processes.own_server().server.process.kill()


@pytest.mark.parametrize("kill", [kill_child, pytest.param(kill_server, marks=pytest.mark.full)])
def test_job_whose_child_is_killed_is_tried_again(kill):
    job = held()

    with in_background(run_next, worker="test"):
        wait_until(job, is_reading)
        let_go(job.folder / "input" / job.file_name)  # the next run finds its file
        kill()
    job.refresh_from_db()
    assert (job.state, job.attempt, job.problem) == (State.QUEUED, 1, None)
    assert not job.results.exists()

    work_off()
    job.refresh_from_db()
    assert (job.state, job.attempt) == (State.DONE, 2)


@pytest.mark.full
def test_job_whose_child_is_killed_twice_is_reported_as_it_was():
    job = held()

    for _ in range(2):
        with in_background(run_next, worker="test"):
            wait_until(job, is_reading)
            kill_child()
        job.refresh_from_db()

    assert (job.state, job.attempt, job.problem["code"]) == (State.FAILED, 2, "lost")
    assert "memory" not in job.problem["detail"]
    assert "CSV" not in job.problem["detail"]
    assert "This is probably not caused by the file." in job.problem["detail"]


@pytest.mark.full
@pytest.mark.parametrize("kill", [kill_child, kill_server])
def test_look_whose_child_is_killed_is_tried_again(kill, monkeypatch):
    job = queued()
    file = job.folder / "input" / job.file_name
    hold(file)
    run, found = parent.run, []

    def watched(*args, **named):
        def on_step(step):
            if not found:
                found.append(step)
                let_go(file)
                kill()

        return run(*args, on_step=on_step, **named)

    monkeypatch.setattr(parent, "run", watched)

    assert preview_job(job=job, options=JobOptions())["problem"] is None
    assert len(found) == 1


def test_full_disk_is_told_apart():
    for number in (errno.ENOSPC, errno.EDQUOT):
        error = errors.error_from_json(
            errors.error_to_json(OSError(number, "No space left on device", "secret.csv"))
        )
        assert isinstance(error, DiskFullError)
        assert "secret" not in str(error)


def test_job_that_finds_the_disk_full_waits_and_loses_no_try(monkeypatch):
    job = queued()

    def full(*args, **named):
        raise DiskFullError("the disk of this service is full")

    monkeypatch.setattr(parent, "run", full)
    run_next(worker="test")
    job.refresh_from_db()
    assert (job.state, job.attempt, job.problem) == (State.QUEUED, 0, None)
    assert job.step == "waiting for room on the disk"
    assert job.not_before > timezone.now()

    monkeypatch.undo()
    Job.objects.update(not_before=timezone.now())
    work_off()
    job.refresh_from_db()
    assert (job.state, job.attempt, job.not_before) == (State.DONE, 1, None)


def test_no_job_is_begun_without_room(settings):
    job = queued()
    settings.LEAST_FREE = 1 << 60

    assert not run_next(worker="test")

    job.refresh_from_db()
    assert job.state == State.QUEUED
