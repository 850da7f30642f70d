"""Calls into the kernel for which Python has no function: system calls by number, and `prctl`."""

import ctypes
import errno
import os
import signal
import sys
from contextlib import suppress
from functools import cache
from typing import Any

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_DUMPABLE = 4  # PR_SET_DUMPABLE
MISSING = (errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)  # what a kernel says of what it does not have


@cache
def libc() -> Any:
    """The C library, with errors kept."""
    return ctypes.CDLL(None, use_errno=True)


def check_result(result: int, what: str) -> int:
    """The result of a call, or the error it left."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, *values: int) -> int:
    """One of the many things that a process can say about itself."""
    arguments = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    return check_result(libc().prctl(option, *arguments), f"prctl {option}")


def syscall(number: int, *args: Any) -> int:
    """A system call by its number; whole numbers are passed in full width."""
    arguments = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return check_result(int(libc().syscall(ctypes.c_long(number), *arguments)), f"system call {number}")


def die_with(parent: int) -> None:
    """Be killed when the parent is gone; the kernel forgets it when the user of a process changes."""
    if sys.platform == "linux":
        prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we could ask
        os._exit(1)


def deny_dumps() -> None:
    """Keep secrets: others of this user cannot read this process's memory or what it was started with.

    No core, no debugger, and /proc/PID/environ and /proc/PID/mem for root alone.
    """
    _set_dumpable(0)


def allow_dumps() -> None:
    """As processes are from the start. A child is, or the one who follows it could not see what it writes."""
    _set_dumpable(1)


def _set_dumpable(value: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):
            prctl(_DUMPABLE, value)
