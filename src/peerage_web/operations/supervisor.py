"""Keeps the processes of the service alive until it is told to stop, then stops them in good order."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Sequence
from types import FrameType

from peerage_web.operations.process import Process

log = logging.getLogger(__name__)
POLL = 0.1  # seconds between rounds over the processes
PATIENCE = 10.0  # seconds that requests and a running job have to finish after a signal to stop


class Supervisor:
    """Starts and restarts its processes; a signal ends all of them."""

    def __init__(self, processes: Sequence[Process], on_death: Callable[[Process], None]) -> None:
        self.processes = processes
        self.on_death = on_death
        self.signals = 0

    def run(self) -> None:
        """Until Ctrl-C, SIGTERM or a closed terminal; a second signal ends at once what is still busy."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._heard)
        while not self.signals:
            for process in self.processes:
                if process.has_died():
                    self.on_death(process)
                process.start_if_due()
            time.sleep(POLL)
        self._stop()

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self.signals += 1

    def _stop(self) -> None:
        for process in self.processes:
            process.send(signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.signals < 2:
            if not [process for process in self.processes if not process.wait(0)]:
                return
            time.sleep(POLL)
        for process in self.processes:
            process.send(signal.SIGKILL)
        for process in self.processes:
            process.wait(PATIENCE)
