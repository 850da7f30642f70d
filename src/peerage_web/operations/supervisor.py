"""Keeps the processes of the service alive until it is told to stop, then stops them in good order."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Sequence
from types import FrameType

from peerage_web.operations.child import Child

log = logging.getLogger(__name__)
LOOK = 0.1  # seconds between looks at the processes
PATIENCE = 10.0  # seconds that requests and a running job have to finish after a signal to stop


class Supervisor:
    """Starts and restarts its children; a signal ends all of them."""

    def __init__(self, children: Sequence[Child], on_death: Callable[[Child], None]) -> None:
        self.children = children
        self.on_death = on_death
        self.signals = 0

    def run(self) -> None:
        """Until Ctrl-C, SIGTERM or a closed terminal; a second signal ends at once what is still busy."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._heard)
        while not self.signals:
            for child in self.children:
                if child.has_died():
                    self.on_death(child)
                child.start_if_due()
            time.sleep(LOOK)
        self._stop()

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self.signals += 1

    def _stop(self) -> None:
        for child in self.children:
            child.send(signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.signals < 2:
            if not [child for child in self.children if not child.wait(0)]:
                return
            time.sleep(LOOK)
        for child in self.children:
            child.send(signal.SIGKILL)
        for child in self.children:
            child.wait(PATIENCE)
