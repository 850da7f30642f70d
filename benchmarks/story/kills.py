"""kill -9 of every process at random moments while stories are played; at the end all is there once."""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
import time
from collections import Counter
from contextlib import suppress

from tests.web.service import Service

from benchmarks.story.checks import faults
from benchmarks.story.room import connect, make_room
from benchmarks.story.script import StuckError, play

KINDS = ("web", "task_worker", "sandbox", "maintenance", "supervisor", "other")
LONGEST = 8.0  # seconds between two kills
REST = 30.0  # seconds for a service without anybody to kill


class Killer(threading.Thread):
    """Kills one after the other; a supervisor is started again, as systemd would."""

    def __init__(self, service: Service, moments: int, seed: int) -> None:
        super().__init__(daemon=True)
        self._service, self._left = service, moments
        self._random = random.Random(seed)
        self.killed: Counter[str] = Counter()

    def run(self) -> None:
        """Until enough were killed."""
        for kind in itertools.cycle(KINDS):
            if not self._left:
                return
            time.sleep(self._random.uniform(0.0, LONGEST))
            self._kill(kind)

    def _kill(self, kind: str) -> None:
        deadline = time.monotonic() + REST
        while not (found := self._service.processes().get(kind)):
            if kind == "other" or time.monotonic() > deadline:
                return  # children that read files come and go
            time.sleep(0.1)
        with suppress(ProcessLookupError):
            os.kill(self._random.choice(found), signal.SIGKILL)
            self.killed[kind] += 1
            self._left -= 1
        if kind == "supervisor":
            self._service.process.wait()
            self._service.process.stdout.close()
            self._service.start()


def stories(service: Service, moments: int, seed: int) -> int:
    """Play stories until all kills are done; how many stories had a fault."""
    connect(service.environment)
    killer = Killer(service, moments, seed)
    killer.start()
    bad = count = 0
    while killer.is_alive() or not count:
        began, count = time.monotonic(), count + 1
        room = make_room(service.port)
        try:
            play(room)
            found = faults(room)
        except StuckError as error:
            found = [f"stuck: {error}"]
        bad += bool(found)
        for one in found:
            print(f"story {count}: {one}", flush=True)
        print(
            f"story {count}: {'nothing lost, nothing doubled' if not found else f'{len(found)} faults'}"
            f" ({time.monotonic() - began:.0f} s; killed so far: {dict(killer.killed)})",
            flush=True,
        )
    return bad
