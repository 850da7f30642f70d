"""Secrets of the instance: from the environment at the start, and not in any environment afterwards.

What a process was started with can be read in /proc as long as it lives, and is handed on to whatever it
starts. So the supervisor takes the secrets out of its environment, and hands them to its own processes alone,
through a file that exists in memory only.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path

NAMES = ("PEERAGE_SECRET_KEY", "PEERAGE_MAIL", "DATABASE_URL", "PGPASSWORD")
HANDED = "_PEERAGE_SECRETS"  # the number of the open file, for processes of ours
MOST = 1 << 16  # bytes
_known: dict[str, str] = {}
_open: list[int] = []


def secret(name: str) -> str | None:
    """A secret, if it was given."""
    _receive()
    return os.environ.get(name, _known.get(name))


def hide() -> None:
    """Take the secrets out of the environment of this process, as it is and as it was at the start."""
    given = {name: os.environ[name] for name in NAMES if name in os.environ}
    if not given or sys.platform != "linux":
        return
    file = os.memfd_create("peerage-secrets")
    os.write(file, json.dumps(given).encode())
    _open.append(file)
    _known.update(given)
    for name in given:
        del os.environ[name]
    _wipe(given)
    os.environ[HANDED] = str(file)


def handed() -> list[int]:
    """Open files that a process of ours has to inherit to know the secrets."""
    return list(_open)


def _receive() -> None:
    """What the supervisor has handed over; once."""
    number = os.environ.pop(HANDED, None) if not _open else None
    if number is not None:
        _known.update(json.loads(os.pread(int(number), MOST, 0)))
        os.close(int(number))


def _wipe(given: dict[str, str]) -> None:
    """Overwrite the values where /proc/PID/environ shows them."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])  # env_start and env_end
    block = b"\0" + ctypes.string_at(start, end - start)
    for name in given:
        found = block.find(b"\0" + name.encode() + b"=")
        if found >= 0:
            value = found + len(name) + 2
            ctypes.memset(start + value - 1, 0, block.index(b"\0", value) - value)
