"""A real `peerage serve` for tests: its own port, folder and database."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tests.web.held import let_go

# seconds after which a test gives up waiting; what is waited for takes a few, or minutes beside other work
BOUND = 900.0
START = 1800.0  # the same for a start, at which everything may have to be compiled
CONSOLE = Path(__file__).parent / "console.py"
# a service ends with the tests that have started it, however they end
DIE_WITH_TESTS = """
import os, sys
from peerage_web.sandbox.walls.system import die_with
die_with(int(sys.argv[1]))
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


class Service:
    """A service that can be started, asked, killed, and started again on the same port."""

    def __init__(self, folder: Path, **settings: str) -> None:
        folder.mkdir(parents=True)
        self.folder, self.port = folder, 0
        self._seen: set[int] = set()
        self._asked: subprocess.Popen[str] | None = None
        self.environment = {**os.environ, "PEERAGE_DATA": str(folder / "data"), **settings}
        if "DATABASE_URL" in os.environ:
            self.environment["DATABASE_URL"] = _new_database(os.environ["DATABASE_URL"])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *options: str) -> None:
        """Start it and wait until it is ready."""
        self.begin(*options)
        until(lambda: self.ask("/readyz")[0] == 200, START)
        self.processes()

    def begin(self, *options: str) -> None:
        """Start it and wait until it answers at all."""
        wrapper = [sys.executable, "-c", DIE_WITH_TESTS, str(os.getpid())]
        command = [*wrapper, "-m", "peerage", "serve", "--port", str(self.port), "--workers", "1", *options]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command, env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        self.line = self.process.stdout.readline()
        self.port = int(re.fullmatch(r"Peerage is at http://.*:(\d+)/ .*\n", self.line)[1])

    def ask(self, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BOUND)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def send(self, number: signal.Signals) -> int:
        """Send a signal and wait for the end; the exit code."""
        self.process.send_signal(number)
        code = self.process.wait(BOUND)
        self.process.stdout.close()
        return code

    def stop(self) -> None:
        self._end_console()
        if self.process.poll() is None:
            self.send(signal.SIGTERM)

    def processes(self) -> dict[str, list[int]]:
        """The living processes by what they are: those that know the service's folder, and their children.

        A child that was seen once is remembered, so that one left behind is noticed.
        """
        mark = f"PEERAGE_DATA={self.environment['PEERAGE_DATA']}".encode()
        table = _all_processes()
        # what a process was started with is for root alone once it knows secrets; its children lead further
        ours = {pid for pid, (_, _, known) in table.items() if mark in known} | (self._seen & table.keys())
        ours |= {self.process.pid} & table.keys()
        if self._asked is not None:
            ours -= {self._asked.pid}  # looks at the service, and is no part of it
        while more := {pid for pid, (parent, _, _) in table.items() if parent in ours} - ours:
            ours |= more
        self._seen |= ours
        found: dict[str, list[int]] = {}
        for pid in sorted(ours):
            found.setdefault(_kind(table[pid][1]), []).append(pid)
        return found

    def put_held_job(self, file: Path) -> str:
        """A job in the queue whose runs wait when they open their file (see held.py); its id."""
        return self._console("hold", str(file))

    def put_people(self, *addresses: str) -> dict[str, str]:
        """People by address, and the cookie of a session of each; who is in no course may create one."""
        return self._console("people", *addresses)

    def play(self, what: str, assignment: str) -> None:
        """All students of the assignment at this address submit or rank."""
        self._console("play", what, assignment)

    def put_rankings(self, *options: str) -> list[dict[str, object]]:
        """Students with submissions to rank; the addresses (see ranking_room.py)."""
        return self._console("ranking", *options)

    def let_go(self, job: str, file: Path) -> None:
        """The job's next run finds its file."""
        let_go(self.folder / "data" / "jobs" / job / "input" / file.name)

    def job(self, identity: str, *states: str) -> dict[str, object]:
        """The job, once it is in one of these states."""
        return self._console("wait", identity, str(BOUND), *states)

    def _console(self, *words: str) -> Any:
        """What console.py answers; it is started with the first question."""
        if self._asked is None:
            self._asked = subprocess.Popen(
                [sys.executable, str(CONSOLE)],
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        self._asked.stdin.write(json.dumps(words) + "\n")
        self._asked.stdin.flush()
        answer = json.loads(self._asked.stdout.readline())
        assert "problem" not in answer, answer["problem"]
        return answer["found"]

    def _end_console(self) -> None:
        if self._asked is not None:
            self._asked.communicate()
            self._asked = None


def until(found: Callable[[], object], seconds: float = BOUND) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def _all_processes() -> dict[int, tuple[int, str, list[bytes]]]:
    """Parent, command and environment of every living process."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            known = (place / "environ").read_bytes().split(b"\0")
        except OSError:  # gone meanwhile
            continue
        if state != "Z":
            found[int(place.name)] = int(parent), command, known
    return found


def _kind(command: str) -> str:
    kinds = {f"peerage_web.operations.{name}": name for name in ("web", "task_worker", "maintenance")}
    kinds |= {"peerage_web.sandbox.server": "sandbox", " serve ": "supervisor"}
    return next((kind for part, kind in kinds.items() if part in command), "other")


def _new_database(url: str) -> str:
    """An empty database beside the one that the tests use."""
    import psycopg

    name = f"service_{token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
