"""A process that the supervisor keeps alive."""

from __future__ import annotations

import logging
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from peerage_web.configuration import secrets

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
                pass_fds=[*self.handed, *secrets.handed()],
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
        """A signal, if it lives."""
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
