"""A job from upload to deletion."""

import errno
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from tests.web.at_work import at_once, draft, held, in_background, is_reading, queued, wait_until, work_off
from tests.web.held import hold, let_go

from peerage_web.files.models import Job
from peerage_web.files.services.drafts import add_file, create_example_job, preview_job
from peerage_web.files.services.jobs import cancel_job, delete_job, start_job
from peerage_web.files.services.running import run_next
from peerage_web.sandbox import parent, processes
from peerage_web.sandbox.contract import errors
from peerage_web.sandbox.contract.errors import DiskFullError
from peerage_web.sandbox.contract.jobs import JobOptions, safe_name
from peerage_web.shared.errors import Full, Refused

pytestmark = pytest.mark.django_db(transaction=True)
State = Job.State
STAFF = Path(__file__).parents[3] / "examples" / "posters" / "staff.csv"


def test_grades_are_those_of_the_command_line(tmp_path):
    job = create_example_job(visitor="somebody")
    add_file(job=job, kind="anchors", upload=SimpleUploadedFile("staff.csv", STAFF.read_bytes()))
    start_job(job=job, options=JobOptions.from_dict(job.options))
    work_off()
    options = ["--roster", "roster.csv", "--anchors", "staff.csv", "--scale", "0:10"]
    options += ["--letters", "A>=8.5,B>=7,C>=6,D", "--out", str(tmp_path)]

    subprocess.run(
        [sys.executable, "-m", "peerage", "grade", "feedback.csv", *options],
        cwd=job.folder / "input",
        check=True,
        capture_output=True,
    )

    job.refresh_from_db()
    assert (job.state, job.step, job.summary["items"]) == (State.DONE, "", 42)
    assert job.steps_done > 5
    assert job.started_at <= job.heartbeat_at <= job.finished_at
    for name in ("grades.csv", "graders.csv", "results.json", "report.html"):
        assert (job.results / name).read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.both
def test_characters_that_a_database_refuses_do_not_stop_a_job():
    data = io.BytesIO()
    pl.DataFrame({"grader": ["a\0"] * 2, "item": ["x\0"] * 2, "rank": ["\0", "1"]}).write_parquet(data)
    job = queued(data.getvalue(), JobOptions(title="\0\ud800"))

    work_off()

    job.refresh_from_db()
    assert (job.state, job.options["title"]) == (State.FAILED, "\ufffd\ufffd")
    assert job.problem["code"] == "data"
    assert [path.name for path in job.folder.iterdir()] == ["input"]


@pytest.mark.both
def test_job_is_claimed_once_and_not_cancelled_afterwards():
    job = queued()
    at_once(lambda _number: run_next(worker="test"), range(4))

    job.refresh_from_db()
    assert (job.state, job.attempt) == (State.DONE, 1)
    cancel_job(job=job)
    assert (job.state, job.cancel_requested) == (State.DONE, False)


def test_job_that_waits_is_cancelled_at_once():
    for make in (draft, queued):
        job = make()
        cancel_job(job=job)
        work_off()

        job.refresh_from_db()
        assert (job.state, job.attempt) == (State.CANCELLED, 0)


def test_running_job_is_cancelled():
    job = held()

    with in_background(work_off):
        wait_until(job, is_reading)
        cancel_job(job=job)

    job.refresh_from_db()
    assert (job.state, job.cancel_requested) == (State.CANCELLED, True)
    assert not job.results.exists()


def test_running_job_is_deleted_with_all_it_writes():
    job = held()

    with in_background(work_off):
        wait_until(job, is_reading)
        delete_job(job=job)

    assert not job.folder.exists()
    assert not Job.objects.exists()


def test_files_of_a_draft_can_be_changed():
    job = draft()
    add_file(job=job, kind="roster", upload=SimpleUploadedFile("feedback.csv", b"student,item\nada,x\n"))
    add_file(job=job, kind="roster", upload=SimpleUploadedFile("people.csv", b"student,item\nada,y\n"))

    assert (job.roster_name, job.anchors_name) == ("people.csv", "")
    assert sorted(path.name for path in (job.folder / "input").iterdir()) == ["feedback.csv", "people.csv"]


def test_job_is_started_once_and_its_files_stay_as_they_are():
    job = draft()
    add_file(job=job, kind="roster", upload=SimpleUploadedFile("people.csv", b"student,item\nada,x\n"))
    late = Job.objects.get(pk=job.pk)  # a request that came before the start, and is slower
    start_job(job=job, options=JobOptions())

    with pytest.raises(Refused, match="being graded already"):
        start_job(job=job, options=JobOptions())
    for upload in (None, SimpleUploadedFile("people.csv", b"other")):
        with pytest.raises(Refused, match="being graded already"):
            add_file(job=late, kind="roster", upload=upload)

    inside = job.folder / "input"
    assert sorted(path.name for path in inside.iterdir()) == ["feedback.csv", "people.csv"]
    assert (inside / "people.csv").read_bytes() == b"student,item\nada,x\n"
    assert Job.objects.get(pk=job.pk).roster_name == "people.csv"


NAMES = {
    "../../etc/passwd": "passwd",
    "C:\\Users\\ada\\marks.csv": "marks.csv",
    ".hidden.csv": "hidden.csv",
    "-": "feedback.csv",
    "\x00\n\u202e": "feedback.csv",
    "\ud800.csv": "_.csv",
    "ä" * 300 + ".xlsx": "ä" * 87 + ".xlsx",
    "": "feedback.csv",
}


def test_names_are_made_safe():
    assert {given: safe_name(given) for given in NAMES} == NAMES
    assert max(len(kept.encode()) for kept in NAMES.values()) <= 180


# -- killed from outside, and a disk that is full ----------------------------------------------------------


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
        full = OSError(number, "No space left on device", "secret.csv")
        error = errors.error_from_json(errors.error_to_json(full))
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


def test_no_job_is_begun_and_no_file_taken_without_room(settings):
    queued()
    settings.LEAST_FREE = 1 << 60

    assert not run_next(worker="test")
    with pytest.raises(Full, match="no storage space left right now"):
        draft()

    assert Job.objects.get().state == State.QUEUED
