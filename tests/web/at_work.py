"""Workers and jobs for the tests of services."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, connections
from tests.web.held import hold

from peerage_web.files.models import Job
from peerage_web.files.services.drafts import create_job
from peerage_web.files.services.jobs import start_job
from peerage_web.files.services.running import run_next
from peerage_web.sandbox.contract.jobs import JobOptions
from peerage_web.shared.errors import Refused

PATIENCE = 300.0  # seconds after which a test gives up; what is waited for takes a few
SMALL = b"grader,item,rank\nada,x,1\nada,y,2\nbob,x,1\nbob,y,2\ncyd,y,1\ncyd,x,2\n"


def draft(data: bytes = SMALL, name: str = "feedback.csv", visitor: str = "somebody") -> Job:
    return create_job(upload=SimpleUploadedFile(name, data), visitor=visitor)


def queued(data: bytes = SMALL, options: JobOptions | None = None, visitor: str = "somebody") -> Job:
    job = draft(data, visitor=visitor)
    start_job(job=job, options=options or JobOptions())
    return job


def held(data: bytes = SMALL, options: JobOptions | None = None) -> Job:
    """A job in the queue whose run waits when it opens its file, for as long as the test needs."""
    job = draft(data)
    hold(job.folder / "input" / job.file_name)
    start_job(job=job, options=options or JobOptions())
    return job


def is_reading(job: Job) -> bool:
    """Whether its run has come to the file at which it is held."""
    return job.state == Job.State.RUNNING and job.step.startswith("reading")


def work_off() -> None:
    """What the task worker does, until nothing waits."""
    while run_next(worker="test"):
        pass


@contextmanager
def in_background(function: Callable[..., Any], **named: Any) -> Any:
    """Run something in a thread with a connection of its own; wait for it at the end."""

    def run() -> None:
        try:
            function(**named)
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield thread
    finally:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def at_once(function: Callable[[Any], Any], given: Iterable[Any]) -> list[Any]:
    """What it answers to each, in threads that begin together and have connections of their own.

    A refusal is an answer.
    """
    given = list(given)
    start = threading.Barrier(len(given))

    def run(one: Any) -> Any:
        try:
            start.wait(PATIENCE)  # before they connect: a process has few connections
            return function(one)
        except Refused as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(given)) as threads:
        return list(threads.map(run, given))


def beginning_meanwhile(work: Callable[[], Any]) -> Future[Any]:
    """Begun in a thread while this one is in a transaction, and gone as far as our locks let it.

    SQLite does not say who waits; there a transaction that writes is alone from its beginning.
    """

    def run() -> Any:
        try:
            return work()
        finally:
            connections.close_all()

    thread = ThreadPoolExecutor(1)
    begun = thread.submit(run)
    thread.shutdown(wait=False)
    while connection.vendor == "postgresql" and not begun.done() and not _waits_for_a_lock():
        time.sleep(0.02)
    return begun


def _waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone() is not None


def wait_until(job: Job, condition: Callable[[Job], Any], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        job.refresh_from_db()
        if condition(job):
            return
        time.sleep(0.05)
    raise AssertionError(f"still {job.state} ({job.step}) after {seconds} s")
