"""What has to be there before the processes start: folders, tables, static files."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DATABASE = "database"  # the file that says which kind it is, for commands that do not know


def prepare() -> None:
    """Make everything; a second start at the same time waits for the first."""
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connections

    keep_compiled_code(settings.DATA)
    for folder in (settings.JOBS, settings.INCOMING, settings.ROSTERS, settings.WORKS, settings.HEARTBEATS):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _alone(settings.DATA / "start.lock"):
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        (settings.DATA / DATABASE).write_text(connections["default"].vendor + "\n", encoding="ascii")
    connections.close_all()


def keep_compiled_code(data: Path) -> None:
    """Compiled code is kept with the data where it is not beside the code, and cannot be written there."""
    from peerage._numba import HERE, compiled_marker

    if not os.access(HERE, os.W_OK) and not compiled_marker().is_file():
        os.environ.setdefault("NUMBA_CACHE_DIR", str(data / "compiled"))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    lock = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
