"""Landlock: of all files, a process sees its folder and the libraries it runs on (Linux 5.13 and later)."""

import ctypes
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from peerage_web.sandbox.walls.system import MISSING, syscall

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every processor
_VERSION = 1  # LANDLOCK_CREATE_RULESET_VERSION
_BENEATH = 1  # LANDLOCK_RULE_PATH_BENEATH

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE = 1 << 4 | 1 << 5  # folders and files
_MAKE_FOLDER, _MAKE_FILE = 1 << 7, 1 << 8
_MAKE_OTHER = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12  # devices, sockets, pipes, symbolic links
_MOVE, _TRUNCATE, _DEVICE = 1 << 13, 1 << 14, 1 << 15  # since versions 2, 3 and 5
_FIRST = _EXECUTE | _WRITE | _READ | _LIST | _REMOVE | _MAKE_FOLDER | _MAKE_FILE | _MAKE_OTHER
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICE
_TCP = 0b11  # bind and connect, since version 4
_SCOPES = 0b11  # abstract sockets and signals, since version 6

_LOOK = _READ | _LIST
# no links and pipes: the service follows what it finds in a job's folder
_OWN = _LOOK | _WRITE | _REMOVE | _MAKE_FOLDER | _MAKE_FILE | _MOVE | _TRUNCATE


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def supported_version() -> int:
    """Which Landlock the kernel has; 0 for none."""
    try:
        return syscall(_CREATE, None, 0, _VERSION)
    except OSError as error:
        if error.errno in MISSING:
            return 0
        raise


def restrict(own: Path | None, readable: Iterable[Path], devices: Iterable[Path], version: int) -> None:
    """From now on this thread and all it starts see nothing else. Needs no-new-privileges."""
    handled = _handled(version)
    rules = _Ruleset(handled, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    ruleset = syscall(_CREATE, ctypes.byref(rules), ctypes.sizeof(rules), 0)
    try:
        for path in readable:
            _allow(ruleset, path, _LOOK & handled)
        for path in devices:
            _allow(ruleset, path, (_READ | _WRITE) & handled)
        if own is not None:
            _allow(ruleset, own, _OWN & handled)
        syscall(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _handled(version: int) -> int:
    later = ((2, _MOVE), (3, _TRUNCATE), (5, _DEVICE))
    return _FIRST | sum(right for since, right in later if version >= since)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # what is not there, or not for us, needs no rule
        return
    try:
        is_folder = stat.S_ISDIR(os.fstat(place).st_mode)
        rule = _Beneath(rights if is_folder else rights & _OF_FILES, place)
        syscall(_ADD, ruleset, _BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(place)
