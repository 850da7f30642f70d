"""The whole service: what is started, and what is put right when a part of it dies."""

from __future__ import annotations

import hashlib
import logging
import secrets
import socket
import sys
import uuid
from collections.abc import Sequence
from functools import partial

from peerage_web.operations.lifeline import Lifeline
from peerage_web.operations.process import Process
from peerage_web.operations.supervisor import Supervisor
from peerage_web.shared.heartbeats import forget_heartbeats_of

log = logging.getLogger(__name__)


class Service:
    """Web server, task workers and maintenance on one listening socket."""

    def __init__(self, listener: socket.socket, *, workers: int, task_workers: int = 1) -> None:
        self._listener, self._web_workers = listener, workers
        self._lifeline = Lifeline()
        self._place = place_of(listener)
        self._names: dict[int, str] = {}  # of the task workers, by their number
        lifeline = self._lifeline.theirs
        self._tasks = [
            Process(f"task {number}", partial(self._task_command, number), [lifeline])
            for number in range(task_workers)
        ]
        self._processes = [
            Process("web", self._web_command, [listener.fileno(), lifeline]),
            *self._tasks,
            Process("maintenance", self._maintenance_command, [lifeline]),
        ]

    def run(self) -> None:
        """Until a signal to stop; jobs that a former run on this address has lost are found at once."""
        from django.conf import settings

        forget_heartbeats_of(settings.HEARTBEATS, self._place)
        _tell_database("recover", self._place)
        Supervisor(self._processes, self._mourn).run()
        _tell_database("return", self._place)
        self._lifeline.close()

    def _mourn(self, process: Process) -> None:
        if process in self._tasks:
            _tell_database("recover", self._names[self._tasks.index(process)])

    def _web_command(self) -> Sequence[str]:
        listener, workers = str(self._listener.fileno()), str(self._web_workers)
        return self._command("web", "--listener", listener, "--workers", workers)

    def _task_command(self, number: int) -> Sequence[str]:
        # a name of its own for every worker: what a dead one held is never confused with a living one's
        self._names[number] = f"{self._place}.{secrets.token_hex(8)}"
        lane = ["--small-only"] if number > 0 else []  # one of several never waits behind a large job
        return self._command("task_worker", "--worker", self._names[number], *lane)

    def _maintenance_command(self) -> Sequence[str]:
        return self._command("maintenance", "--identity", self._place)

    def _command(self, module: str, *arguments: str) -> Sequence[str]:
        lifeline = ("--lifeline", str(self._lifeline.theirs))
        return [sys.executable, "-m", f"peerage_web.operations.{module}", *arguments, *lifeline]


def place_of(listener: socket.socket) -> str:
    """A name for this machine and address: no two services that live at the same time have the same."""
    whole = f"{socket.gethostname()}|{uuid.getnode()}|{listener.getsockname()[:2]}"
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def _tell_database(what: str, workers: str) -> None:
    """Put back what these workers held; where the database is away, maintenance finds it later."""
    from django.db import Error, connections

    from peerage_web.files.services.recovery import recover_jobs_of, return_jobs_of

    try:
        (recover_jobs_of if what == "recover" else return_jobs_of)(workers=workers)
    except Error:
        log.exception("jobs of a worker could not be put back; they are found when they have been silent")
    finally:
        connections.close_all()
