"""Where compiled kernels are kept.

Numba keeps them beside the code, or else in the user's home, and refuses to load a kernel where it can write
to neither. Two places more are looked at here: beside the code where it cannot be written but was compiled
for this machine when it was installed, and a private folder among the temporary files.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from numba import __version__, config
from numba.core import caching

HERE = Path(__file__).parent
# older Numba spells it with an underscore
_caching: Any = caching
_InTree: Any = getattr(caching, "InTreeCacheLocator", None) or _caching._InTreeCacheLocator


class Installed(_InTree):  # type: ignore[misc]
    """Beside the code, to read only: compiled when Peerage was installed, for a machine like this."""

    def ensure_cache_path(self) -> None:
        """Numba would try to write; here it is enough to find it."""
        ours = {HERE, HERE.with_name("peerage_web")}
        if ours.isdisjoint(Path(self._py_file).parents) or not mark().is_file():
            raise OSError("nothing was compiled here for this machine")


def look_in_more_places() -> None:
    """Tell Numba of what was compiled beforehand: before it looks into the user's home."""
    known = caching.CacheImpl._locator_classes
    if Installed not in known:
        known.insert(known.index(_InTree) + 1, Installed)


def keep_among_temporary_files() -> bool:
    """Whether there is a folder that only this user can write, for where there is no other place."""
    whose = os.getuid() if hasattr(os, "getuid") else "own"
    try:
        folder = Path(tempfile.gettempdir()) / f"peerage-kernels-{whose}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode) or not _is_private(found):
        return False  # what others can write, nobody should run
    numba_config: Any = config
    numba_config.CACHE_DIR = str(folder)
    return True


def _is_private(found: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)


def mark() -> Path:
    """The file that says: everything was compiled beside the code, for this kind of machine."""
    return HERE / "__pycache__" / f"compiled-{machine()}"


@cache
def machine() -> str:
    """Another one where compiled code is of no use: another processor, Numba or Python."""
    from llvmlite import binding

    processor = (binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())
    return hashlib.sha256(repr((processor, __version__, sys.version)).encode()).hexdigest()[:16]
