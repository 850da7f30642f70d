"""Whatever is killed in the middle of a job: the job ends, once, and nobody has to come and look."""

from __future__ import annotations

import os
import signal

import pytest
from tests.web.service import Service, until

from peerage.simulation import simulate

ENDED = ("done", "failed")


@pytest.fixture(scope="module")
def long_job(tmp_path_factory):
    """A class that takes some seconds to grade."""
    folder = tmp_path_factory.mktemp("class")
    simulate(items=2000, graders=3000, seed=1).write(folder)
    return folder / "feedback.csv"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A service that these tests may kill; each leaves it running."""
    made = Service(tmp_path_factory.mktemp("kill") / "own")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def running(own, long_job):
    """A job that has begun."""
    identity = own.put_job(long_job, compare=["bt+g", "mals+g"])
    assert own.job(identity, "running", *ENDED)["state"] == "running"
    return identity


def ended(job: dict[str, object]) -> tuple[object, ...]:
    return job["state"], job["attempt"], job["results"]


def test_job_survives_its_task_worker(own, running):
    [worker] = own.processes()["task_worker"]

    os.kill(worker, signal.SIGKILL)

    assert ended(own.job(running, *ENDED)) == ("done", 2, ["attempt-2"])


def test_job_that_kills_its_worker_twice_is_reported(own, running):
    for _ in range(2):
        own.job(running, "running", *ENDED)
        [worker] = own.processes()["task_worker"]
        os.kill(worker, signal.SIGKILL)
        until(lambda gone=worker: own.processes().get("task_worker", [gone]) != [gone])

    job = own.job(running, *ENDED)

    assert ended(job) == ("failed", 2, [])
    assert job["problem"]["code"] == "lost"


def test_job_survives_the_supervisor(own, running):
    own.send(signal.SIGKILL)

    own.start()

    assert ended(own.job(running, *ENDED)) == ("done", 2, ["attempt-2"])


def test_stop_on_purpose_does_not_count_as_a_try(own, running):
    own.process.send_signal(signal.SIGTERM)
    code = own.send(signal.SIGINT)  # the second signal: do not wait for the job
    before = own.job(running, "queued", *ENDED)

    own.start()

    after = own.job(running, *ENDED)
    assert (code, before["state"], ended(after)) == (0, "queued", ("done", 1, ["attempt-1"]))
