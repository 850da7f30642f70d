"""Namespaces: a network without a way out, and a count of threads of its own (where users may make them)."""

from __future__ import annotations

import resource
from contextlib import suppress

from peerage_web.sandbox.walls.system import checked, libc

_USER, _IPC, _NETWORK = 0x10000000, 0x08000000, 0x40000000
THREADS = 64  # of one child


def enter() -> bool:
    """Whether the kernel let us; many do not, and the other walls stand without."""
    with suppress(OSError):
        checked(libc().unshare(_USER | _IPC | _NETWORK), "unshare")
        # in a user namespace of its own, this counts what is in it, and not all that the user runs
        resource.setrlimit(resource.RLIMIT_NPROC, (THREADS, THREADS))
        return True
    return False
