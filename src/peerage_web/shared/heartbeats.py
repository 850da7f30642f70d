"""Heartbeats: a file per process, touched while it works. A folder that machines share shows them all."""

import os
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

BEAT = 2.0  # seconds between beats
SILENT = 15.0  # seconds without one, and a process counts as dead
FORGOTTEN = 24 * 3600.0  # seconds after which the file itself is removed


def keep_beating(folder: Path, kind: str, identity: str) -> None:
    """Beat from a thread as long as this process lives, whatever its work."""
    beat(folder, kind, identity)
    threading.Thread(target=_beat_on, args=(folder, kind, identity), name="heartbeat", daemon=True).start()


def beat(folder: Path, kind: str, identity: str) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / f"{kind}.{identity}").touch()


def is_alive(folder: Path, kind: str) -> bool:
    now = _now(folder)
    return any(_age(path, now) < SILENT for path in folder.glob(f"{kind}.*"))


def forget_old(folder: Path) -> None:
    """Remove the files of processes that are long gone."""
    now = _now(folder)
    for path in folder.glob("*.*"):
        if _age(path, now) > FORGOTTEN:
            path.unlink(missing_ok=True)


def forget_heartbeats_of(folder: Path, place: str) -> None:
    """Remove what an earlier service at the same place has left: those processes are gone."""
    for path in folder.glob(f"*.{place}*"):
        path.unlink(missing_ok=True)


def _now(folder: Path) -> float:
    """By the clock that stamps the files, which need not be this machine's."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            return os.fstat(file.fileno()).st_mtime
    except OSError:  # no such folder, or a full disk
        return time.time()


def _age(path: Path, now: float) -> float:
    try:
        return now - path.stat().st_mtime
    except FileNotFoundError:  # removed meanwhile
        return FORGOTTEN


def _beat_on(folder: Path, kind: str, identity: str) -> None:
    while True:
        time.sleep(BEAT)
        with suppress(OSError):  # a full disk is reported by others; the next beat may succeed
            beat(folder, kind, identity)
