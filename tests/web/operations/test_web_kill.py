"""Whatever is killed in the middle of a job: the job ends, once, and nobody has to come and look."""

import os
import signal
from pathlib import Path

import pytest
from tests.web.at_work import SMALL
from tests.web.service import until

pytestmark = pytest.mark.full
ENDED = ("done", "failed")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "feedback.csv"
    path.write_bytes(SMALL)
    return path


@pytest.fixture
def running(own, file):
    """A job that has begun, and whose runs stand still where they open the file."""
    job = own.put_held_job(file)
    until(lambda: reads(own, job, attempt=1))
    return job


def reads(service, job, *, attempt):
    """Whether this attempt has come as far as it can."""
    found = service.job(job, "queued", "running", *ENDED)
    assert found["state"] not in ENDED
    return found["state"] == "running" and found["attempt"] == attempt and found["step"].startswith("reading")


def kill_task_worker(service, job):
    """The one that has the job."""
    name = service.job(job, "running")["worker"]
    pids = service.processes()["task_worker"]
    [worker] = [pid for pid in pids if name in Path(f"/proc/{pid}/cmdline").read_text()]
    os.kill(worker, signal.SIGKILL)


def ended(job: dict[str, object]) -> tuple[object, ...]:
    return job["state"], job["attempt"], job["results"]


@pytest.mark.both
def test_job_survives_its_task_worker(own, running, file):
    own.let_go(running, file)  # for the second try; the first is held for ever

    kill_task_worker(own, running)

    assert ended(own.job(running, *ENDED)) == ("done", 2, ["attempt-2"])


def test_job_that_kills_its_worker_twice_is_reported(own, running):
    kill_task_worker(own, running)
    until(lambda: reads(own, running, attempt=2))
    kill_task_worker(own, running)

    job = own.job(running, *ENDED)

    assert ended(job) == ("failed", 2, [])
    assert job["problem"]["code"] == "lost"


@pytest.mark.both
def test_job_survives_the_supervisor_and_no_process_does(own, running, file):
    own.let_go(running, file)

    own.send(signal.SIGKILL)
    until(lambda: own.processes() == {})
    own.start()

    assert ended(own.job(running, *ENDED)) == ("done", 2, ["attempt-2"])


def test_stop_on_purpose_does_not_count_as_a_try(own, running, file):
    own.let_go(running, file)

    own.process.send_signal(signal.SIGTERM)
    code = own.send(signal.SIGINT)  # the second signal: do not wait for the job
    before = own.job(running, "queued", *ENDED)
    own.start()

    after = own.job(running, *ENDED)
    assert (code, before["state"], ended(after)) == (0, "queued", ("done", 1, ["attempt-1"]))
