"""No process outlives its supervisor: all hold one end of a pipe whose other end only the supervisor has."""

from __future__ import annotations

import os
import threading

GONE = 70  # exit code of a process that has lost its supervisor


class Lifeline:
    """The supervisor's side. However it ends, the system closes its end, and the others notice at once."""

    def __init__(self) -> None:
        self.theirs, self._ours = os.pipe()

    def close(self) -> None:
        """Let go."""
        os.close(self._ours)
        os.close(self.theirs)


def hold_on(end: int) -> None:
    """End this process the moment the supervisor is gone."""
    threading.Thread(target=_watch, args=(end,), name="lifeline", daemon=True).start()


def _watch(end: int) -> None:
    # nobody writes, so reading ends with the supervisor; no clean-up, as what was interrupted is found later
    os.read(end, 1)
    os._exit(GONE)
