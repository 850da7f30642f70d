"""A real `peerage serve`, and what its processes take."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.hostile.visitor import Visitor

START = 1800.0  # seconds for the first start, at which everything may have to be compiled


class Instance:
    """A service on a port of its own."""

    def __init__(self, data: Path, *, workers: int = 2, **settings: str) -> None:
        self.data, self.workers, self.port = data, workers, 0
        self.environment = {**os.environ, "PEERAGE_DATA": str(data), **settings}
        data.parent.mkdir(parents=True, exist_ok=True)
        self.log = data.parent / f"{data.name}.{id(self):x}.log"

    def start(self) -> None:
        """Start it and wait until it is ready."""
        command = [sys.executable, "-m", "peerage", "serve", "--port", str(self.port)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--workers", str(self.workers)],
                env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True,
            )  # fmt: skip
        said = self.process.stdout.readline()
        found = re.search(r":(\d+)/", said)
        if found is None:
            sys.exit(f"the service did not start: {self.log.read_text()[-2000:]}")
        self.port = int(found[1])
        deadline = time.monotonic() + START
        while not self.is_ready():
            if time.monotonic() > deadline:
                sys.exit("the service did not get ready")
            time.sleep(0.2)

    def is_ready(self) -> bool:
        """As /readyz says."""
        try:
            return Visitor(self.port).get("/readyz").status == 200
        except OSError:
            return False

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End it."""
        self.process.send_signal(number)
        self.process.wait(60)
        self.process.stdout.close()

    def processes(self) -> dict[int, str]:
        """The living processes by number: what each is."""
        table: dict[int, tuple[int, str]] = {}
        for pid, stat in _process_table().items():
            with suppress(OSError):
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
                table[pid] = int(stat[1]), command.replace(b"\0", b" ").decode(errors="replace")
        found = {self.process.pid: "supervisor"}
        while more := {pid for pid, (parent, _) in table.items() if parent in found} - found.keys():
            found |= {pid: _kind(table[pid][1], found[table[pid][0]]) for pid in more}
        return found

    def memory(self) -> int:
        """Bytes that all processes have together; what they share counts once."""
        total = 0
        for pid in self.processes():
            with suppress(OSError, AttributeError):
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                total += int(re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)[1]) << 10
        return total

    def disk(self) -> int:
        """Bytes of everything in the data folder."""
        total = 0
        for place, _, names in os.walk(self.data):
            for name in names:
                with suppress(OSError):
                    total += os.lstat(os.path.join(place, name)).st_size
        return total


def _process_table() -> dict[int, list[str]]:
    """Every living process of the machine: the fields of its `stat` from the third (state, parent, …) on."""
    table = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            stat = (place / "stat").read_text().rpartition(")")[2].split()
            if stat[0] != "Z":
                table[int(place.name)] = stat
    return table


def processor_seconds(roots: list[int]) -> float:
    """What these processes and all below them have used; of those that ended, their parents keep account."""
    table, found = _process_table(), set(roots)
    while more := {pid for pid, stat in table.items() if int(stat[1]) in found} - found:
        found |= more
    ticks = sum(int(value) for pid in found if pid in table for value in table[pid][11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def _kind(command: str, parent: str) -> str:
    """Children of a server look like the server; children of Gunicorn's master like the master."""
    for part in ("web", "task_worker", "maintenance"):
        if f"peerage_web.operations.{part}" in command:
            return "web worker" if parent == "web" else part
    if "peerage_web.sandbox.server" in command:
        return "child" if parent.startswith("server") else f"server of {parent}"
    return "other"


@contextmanager
def watched(instance: Instance, every: float = 0.5) -> Iterator[dict[str, int]]:
    """The most memory and disk that it takes meanwhile."""
    most, stop = {"memory": 0, "disk": 0}, threading.Event()

    def look() -> None:
        while not stop.wait(every):
            most["memory"] = max(most["memory"], instance.memory())
            most["disk"] = max(most["disk"], instance.disk())

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        stop.set()
        thread.join(30)
