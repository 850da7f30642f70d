"""No process outlives its supervisor: all hold one end of a pipe whose other end only the supervisor has."""

import os
import threading

GONE = 70  # exit code of a process that has lost its supervisor


class ParentWatch:
    """The supervisor's side. However it ends, the system closes its end, and the others notice at once."""

    def __init__(self) -> None:
        self.inherited, self._ours = os.pipe()

    def close(self) -> None:
        os.close(self._ours)
        os.close(self.inherited)


def end_with_parent(pipe: int) -> None:
    """End this process the moment the supervisor is gone."""
    threading.Thread(target=_wait_for_end, args=(pipe,), name="parent watch", daemon=True).start()


def _wait_for_end(pipe: int) -> None:
    # nobody writes, so reading ends with the supervisor; no clean-up, as what was interrupted is found later
    os.read(pipe, 1)
    os._exit(GONE)
