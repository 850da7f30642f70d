"""Seccomp: which system calls a process may still make.

A list of what is denied, not of what is allowed: a libc or a library that we have not met may need a call
that we have not thought of, and files are kept by Landlock anyway. Denied calls fail with EPERM; a program
for another processor or another numbering is ended.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterator
from itertools import chain

from peerage_web.sandbox.walls.syscalls import DENIED, PROCESSORS
from peerage_web.sandbox.walls.system import MISSING, prctl, syscall

_GET_ACTION = 2  # SECCOMP_GET_ACTION_AVAIL
_SET_FILTER, _FILTER = 22, 2  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # places in struct seccomp_data
_X32 = 0x40000000  # the second numbering of x86-64

_THREAD = 0x00010000  # CLONE_THREAD
_NEW_SPACES = 0x7E020080  # every CLONE_NEW…
# death with the server, dumps, its own memory map, and who may trace it, are decided
_DECIDED = (1, 4, 35, 0x59616D61)

Instruction = bytes
INSTRUCTION = 8  # bytes of one


def is_offered() -> bool:
    """Whether the kernel takes filters, and we know the numbers of this processor."""
    known = PROCESSORS.get(platform.machine())
    if known is None or sys.maxsize < 1 << 32:
        return False
    try:
        syscall(known[1]["seccomp"], _GET_ACTION, 0, ctypes.byref(ctypes.c_uint32(_ERRNO)))
    except OSError as error:
        if error.errno in MISSING:
            return False
        raise
    return True


def restrict() -> None:
    """From now on, for this thread and all it starts. Needs no-new-privileges."""
    program = b"".join(instructions(platform.machine(), os.getpid()))
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // INSTRUCTION, ctypes.addressof(code))
    kept = ctypes.create_string_buffer(header, len(header))
    prctl(_SET_FILTER, _FILTER, ctypes.addressof(kept))


def instructions(machine: str, pid: int) -> Iterator[Instruction]:
    """The filter for a process with this number, as the kernel reads it."""
    architecture, numbers = PROCESSORS[machine]
    yield _do(_LOAD, _ARCHITECTURE)
    yield _do(_EQUAL, architecture, 1, 0)
    yield _do(_RETURN, _KILL)
    yield _do(_LOAD, _NUMBER)
    if machine == "x86_64":
        yield _do(_AT_LEAST, _X32, 0, 1)
        yield _do(_RETURN, _KILL)
    own, or_self = _first_is([pid]), _first_is([0, pid])
    conditions = {
        "kill": own,
        "tgkill": own,
        "prlimit64": or_self,
        "sched_setaffinity": or_self,
        "clone": [
            _do(_LOAD, _FIRST_ARGUMENT),
            _do(_ANY_BIT, _NEW_SPACES, 2, 0),
            _do(_ANY_BIT, _THREAD, 0, 1),
            _do(_RETURN, _ALLOW),
            _deny(),
        ],
        "clone3": [_deny(errno.ENOSYS)],  # its flags are in memory, where a filter cannot look
        "prctl": [*_first_is_none_of(_DECIDED)],
    }
    for name, then in chain(conditions.items(), ((name, [_deny()]) for name in DENIED)):
        if name in numbers:
            yield _do(_EQUAL, numbers[name], 0, len(then))
            yield from then
    yield _do(_RETURN, _ALLOW)


def _first_is(values: list[int]) -> list[Instruction]:
    tests = [_do(_EQUAL, value, len(values) - place, 0) for place, value in enumerate(values)]
    return [_do(_LOAD, _FIRST_ARGUMENT), *tests, _deny(), _do(_RETURN, _ALLOW)]


def _first_is_none_of(values: tuple[int, ...]) -> list[Instruction]:
    tests = [_do(_EQUAL, value, len(values) - place, 0) for place, value in enumerate(values)]
    return [_do(_LOAD, _FIRST_ARGUMENT), *tests, _do(_RETURN, _ALLOW), _deny()]


def _deny(number: int = errno.EPERM) -> Instruction:
    return _do(_RETURN, _ERRNO | number)


def _do(code: int, value: int, if_so: int = 0, if_not: int = 0) -> Instruction:
    return struct.pack("@HBBI", code, if_so, if_not, value)
