"""Calls into the kernel for which Python has no function."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from typing import Any

MISSING = (errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)  # what a kernel says of what it does not have


@cache
def libc() -> Any:
    """The C library, with errors kept."""
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """The result of a call, or the error it left."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, *values: int) -> int:
    """One of the many things that a process can say about itself."""
    given = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    return checked(libc().prctl(option, *given), f"prctl {option}")


def syscall(number: int, *args: Any) -> int:
    """A system call by its number; whole numbers are passed in full width."""
    given = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return checked(int(libc().syscall(ctypes.c_long(number), *given)), f"system call {number}")
