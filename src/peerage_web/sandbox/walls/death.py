"""A child ends with the process it came from, however that ends."""

from __future__ import annotations

import os
import signal
import sys

from peerage_web.sandbox.walls.system import prctl

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def die_with(parent: int) -> None:
    """Be killed when the parent is gone; the kernel forgets it when the user of a process changes."""
    if sys.platform == "linux":
        prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we could ask
        os._exit(1)
