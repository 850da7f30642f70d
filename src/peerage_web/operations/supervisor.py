"""The service: its processes, kept alive until it is told to stop, and what is put right when one dies."""

import hashlib
import logging
import secrets
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import FrameType

from peerage_web.configuration.secrets import inherited_files
from peerage_web.operations.parent_watch import ParentWatch
from peerage_web.shared.heartbeats import forget_heartbeats_of

log = logging.getLogger(__name__)
FIRST_PAUSE = 0.5  # seconds before a dead process is started again; doubled with every death in a row
LONGEST_PAUSE = 30.0
SETTLED = 60.0  # seconds after which a process that dies counts as dying for the first time


@dataclass
class Process:
    """How to start it, whether it lives, and when to try again."""

    name: str
    command: Callable[[], Sequence[str]]  # asked anew for every start
    handed: Sequence[int] = ()  # open files that it inherits
    deaths: int = 0
    due: float = 0.0
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _started: float = 0.0

    def start_if_due(self) -> None:
        """Start it, unless it lives or has to wait after a death."""
        if self.process is not None or time.monotonic() < self.due:
            return
        self._started = time.monotonic()
        try:
            # a session of its own: Ctrl-C reaches the supervisor alone, which stops all in good order
            self.process = subprocess.Popen(
                self.command(),
                pass_fds=[*self.handed, *inherited_files()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:  # no memory, or too many processes: that may pass
            self._pause(f"could not be started ({error.strerror})")

    def has_died(self) -> bool:
        """Whether it has ended since it was started; notes when to start it again."""
        if self.process is None or self.process.poll() is None:
            return False
        code, self.process = self.process.returncode, None
        self._pause(f"ended ({_reason(code)})")
        return True

    def _pause(self, what: str) -> None:
        now = time.monotonic()
        self.deaths = 1 if now - self._started > SETTLED else self.deaths + 1
        pause = min(FIRST_PAUSE * 2 ** (self.deaths - 1), LONGEST_PAUSE)
        self.due = now + pause
        log.error("the %s process %s; it is started again in %g s", self.name, what, pause)

    def send(self, number: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(number)

    def wait(self, seconds: float) -> bool:
        """Whether it has ended within so many seconds."""
        if self.process is None:
            return True
        try:
            self.process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return False
        self.process = None
        return True


def _reason(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


POLL = 0.1  # seconds between rounds over the processes
STOP_SECONDS = 10.0  # seconds that requests and a running job have to finish after a signal to stop


class Supervisor:
    """Starts and restarts its processes; a signal ends all of them."""

    def __init__(self, processes: Sequence[Process], on_death: Callable[[Process], None]) -> None:
        self.processes = processes
        self.on_death = on_death
        self.signals = 0

    def run(self) -> None:
        """Until Ctrl-C, SIGTERM or a closed terminal; a second signal ends at once what is still busy."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._count_signal)
        while not self.signals:
            for process in self.processes:
                if process.has_died():
                    self.on_death(process)
                process.start_if_due()
            time.sleep(POLL)
        self._stop()

    def _count_signal(self, number: int, frame: FrameType | None) -> None:
        self.signals += 1

    def _stop(self) -> None:
        for process in self.processes:
            process.send(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline and self.signals < 2:
            if not [process for process in self.processes if not process.wait(0)]:
                return
            time.sleep(POLL)
        for process in self.processes:
            process.send(signal.SIGKILL)
        for process in self.processes:
            process.wait(STOP_SECONDS)


class Service:
    """Web server, task workers and maintenance on one listening socket."""

    def __init__(self, listener: socket.socket, *, workers: int, task_workers: int = 1) -> None:
        self._listener, self._web_workers = listener, workers
        self._watch = ParentWatch()
        self._identity = service_identity(listener)
        self._names: dict[int, str] = {}  # of the task workers, by their number
        watch = self._watch.inherited
        self._tasks = [
            Process(f"task {number}", partial(self._task_command, number), [watch])
            for number in range(task_workers)
        ]
        self._processes = [
            Process("web", self._web_command, [listener.fileno(), watch]),
            *self._tasks,
            Process("maintenance", self._maintenance_command, [watch]),
        ]

    def run(self) -> None:
        """Until a signal to stop; jobs that a former run on this address has lost are found at once."""
        from django.conf import settings

        forget_heartbeats_of(settings.HEARTBEATS, self._identity)
        _put_jobs_back("recover", self._identity)
        Supervisor(self._processes, self._recover_jobs).run()
        _put_jobs_back("return", self._identity)
        self._watch.close()

    def _recover_jobs(self, process: Process) -> None:
        if process in self._tasks:
            _put_jobs_back("recover", self._names[self._tasks.index(process)])

    def _web_command(self) -> Sequence[str]:
        listener, workers = str(self._listener.fileno()), str(self._web_workers)
        return self._command("web", "--listener", listener, "--workers", workers)

    def _task_command(self, number: int) -> Sequence[str]:
        # a name of its own for every worker: what a dead one held is never confused with a living one's
        self._names[number] = f"{self._identity}.{secrets.token_hex(8)}"
        lane = ["--small-only"] if number > 0 else []  # one of several never waits behind a large job
        return self._command("task_worker", "--worker", self._names[number], *lane)

    def _maintenance_command(self) -> Sequence[str]:
        return self._command("maintenance", "--identity", self._identity)

    def _command(self, module: str, *arguments: str) -> Sequence[str]:
        watch = ("--parent-watch", str(self._watch.inherited))
        return [sys.executable, "-m", f"peerage_web.operations.{module}", *arguments, *watch]


def service_identity(listener: socket.socket) -> str:
    """A name for this machine and address: no two services that live at the same time have the same."""
    whole = f"{socket.gethostname()}|{uuid.getnode()}|{listener.getsockname()[:2]}"
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def _put_jobs_back(what: str, workers: str) -> None:
    """Put back what these workers held; where the database is away, maintenance finds it later."""
    from django.db import Error, connections

    from peerage_web.files.services.running import recover_jobs_of, return_jobs_of

    try:
        (recover_jobs_of if what == "recover" else return_jobs_of)(workers=workers)
    except Error:
        log.exception("jobs of a worker could not be put back; they are found when they have been silent")
    finally:
        connections.close_all()
