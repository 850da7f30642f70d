"""The supervisor's children, and the jobs that dead workers leave behind."""

import os
import signal
import sys

import pytest
from tests.web.at_work import queued

from peerage_web.files.models import Job
from peerage_web.files.services.running import recover_jobs_of, return_jobs_of
from peerage_web.operations.startup import address, listen
from peerage_web.operations.supervisor import LONGEST_PAUSE, Process, Supervisor

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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
    child.start_if_due()

    assert child.process is None  # it waits until its pause is over
    assert pauses == [0.5, 1, 2, 4, 8, 16, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]


def test_child_that_cannot_be_started_is_tried_again(caplog):
    child = Process("test", lambda: ["/no/such/program"])

    child.start_if_due()

    assert (child.process, child.deaths) == (None, 1)
    assert caplog.messages == [
        "the test process could not be started (No such file or directory); it is started again in 0.5 s"
    ]


@pytest.fixture
def handlers():
    """Those of the tests are put back."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_signal_ends_the_children(handlers, number):
    commands = []

    def told_to_stop_meanwhile() -> list[str]:
        os.kill(os.getpid(), number)
        commands.append([sys.executable, "-c", "import time; time.sleep(3600)"])
        return commands[-1]

    child = Process("test", told_to_stop_meanwhile)

    Supervisor([child], on_death=lambda process: None).run()

    assert (len(commands), child.process) == (1, None)


def test_address_for_a_browser():
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]

        shown = [address(listener, host) for host in ("127.0.0.1", "0.0.0.0", "::1")]

    assert shown == [f"http://127.0.0.1:{port}/", f"http://localhost:{port}/", f"http://[::1]:{port}/"]


@pytest.fixture
def taken(db):
    """Jobs; the one here is a worker's."""
    queued()
    Job.objects.update(state=Job.State.RUNNING, attempt=1, worker="here.1")
    return Job.objects.values_list("state", "attempt", "worker")


def test_job_of_a_dead_worker_is_tried_again(taken):
    recover_jobs_of(workers="there")
    assert taken.get() == ("running", 1, "here.1")  # that of another place is left alone

    recover_jobs_of(workers="here")
    assert taken.get() == ("queued", 1, "")

    Job.objects.update(state=Job.State.DONE, worker="here.1")
    recover_jobs_of(workers="here")
    assert taken.get() == ("done", 1, "here.1")  # so is what is finished


def test_job_of_a_stopped_worker_waits_again(taken):
    return_jobs_of(workers="here.1")

    assert taken.get() == ("queued", 0, "")
