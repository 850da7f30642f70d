"""A folder that only its current process can use, as the folder of a job is for a child of the service."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def inside_unreachable(folder: Path) -> Iterator[None]:
    """Work inside this folder as a user to whom no absolute path leads there."""
    here, me = os.getcwd(), os.geteuid()
    os.chdir(folder)
    if me == 0:  # whom no mode of a folder stops
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, -1)
    mode = folder.parent.stat().st_mode
    folder.parent.chmod(0)
    try:
        if me == 0:
            os.seteuid(NOBODY)
        yield
    finally:
        os.seteuid(me)
        folder.parent.chmod(mode)
        os.chdir(here)
