"""How every hot loop is compiled: cached on disk, free of the interpreter's lock, typed for mypy.

Numba keeps compiled kernels beside the code, or else in the user's home, and refuses to load a kernel where
it can write to neither. Two places more are looked at here: beside the code where it cannot be written but
was compiled for this machine when it was installed, and a private folder among the temporary files.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar, cast

from numba import __version__, config, njit
from numba.core import caching
from numba.core.runtime.nrt import rtsys

from peerage._compiling import announce_compilation

HERE = Path(__file__).parent

P = ParamSpec("P")
R = TypeVar("R")
_SHORTCUT = ("load_overload", "_load_overload", "_guard_against_spurious_io_errors")
_FILES: dict[str, frozenset[str]] = {}  # by file with kernels: itself, and those whose kernels it calls


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of flat arrays and plain numbers."""
    compiled, is_kept = _compiled(function)
    if compiled is not function and is_kept:  # it is the function where NUMBA_DISABLE_JIT is set
        kept = _cache_of(compiled)
        kept._cache_file._source_stamp = _stamp(function)
        if all(hasattr(kept, name) for name in _SHORTCUT):  # else Numba has changed, and is only slower
            kept.load_overload = _straight_from(kept, function.__name__)
        kept.save_overload = _unless_forbidden(kept.save_overload)
    return cast("Callable[P, R]", compiled)


def _compiled(function: Any) -> tuple[Any, bool]:
    """The kernel, and whether its code is kept; without a place for it, every process compiles anew."""
    how: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return njit(cache=True, **how)(function), True
    except RuntimeError:  # neither beside the code nor at home
        is_kept = use_temporary_cache()
        return njit(cache=is_kept, **how)(function), is_kept


def _cache_of(compiled: Any) -> Any:
    """Where Numba keeps a kernel's compiled code and the stamp of its file.

    Where these inner parts are gone, code from before a change might run, so nothing runs at all.
    """
    kept = getattr(compiled, "_cache", None)
    if not hasattr(getattr(kept, "_cache_file", None), "_source_stamp"):
        msg = (
            f"Numba {__version__} keeps compiled code in another way than Peerage knows (there is no"
            " _cache._cache_file._source_stamp) and might run code from before a change: install another"
            " version of Numba, such as 0.68"
        )
        raise ImportError(msg)
    return kept


def _straight_from(kept: Any, name: str) -> Callable[[Any, Any], Any]:
    """What looks for compiled code, and gets Numba ready to compile only where there is none.

    Numba's own way loads everything it could compile before it looks, and a small class, of which every
    kernel has been compiled before, would take a tenth longer to grade
    (docs/explanation/decisions/start-up.md).
    """
    get_ready_and_load = kept.load_overload

    def load(signature: Any, target: Any) -> Any:
        rtsys.initialize(target)  # the management of memory that compiled code calls
        overload = None
        with suppress(OSError), kept._guard_against_spurious_io_errors():
            try:
                overload = kept._load_overload(signature, target)
            except (AttributeError, ImportError):  # of a version that had a class which is gone or renamed
                kept.flush()
            overload = get_ready_and_load(signature, target) if overload is None else overload
        if overload is None:
            announce_compilation(name)
        return overload

    return load


def _unless_forbidden(save: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Code that cannot be kept is used all the same: the disk is full, or the place is not ours to write."""

    def save_if_possible(signature: Any, data: Any) -> None:
        with suppress(OSError):
            save(signature, data)

    return save_if_possible


def _stamp(function: Any) -> list[tuple[str, float, int]]:
    """Name, time and size of the files that go into a kernel: compiled code is good while they are the same.

    Numba looks at the kernel's own file only. But what a kernel calls is compiled into it, and would stay
    as it was when another file has changed.
    """
    own = function.__code__.co_filename
    if own not in _FILES:  # imports stand above the first kernel
        _FILES[own] = frozenset({own}).union(*map(_files_of, function.__globals__.values()))
    files = [(os.path.basename(file), os.stat(file)) for file in sorted(_FILES[own]) if os.path.exists(file)]
    return [(name, status.st_mtime, status.st_size) for name, status in files]


def _files_of(value: object) -> frozenset[str]:
    """The files behind something that a module has imported, if it is a kernel or has some."""
    if isinstance(value, ModuleType):
        return _FILES.get(getattr(value, "__file__", None) or "", frozenset())
    code = getattr(getattr(value, "py_func", None), "__code__", None)
    return _FILES.get(getattr(code, "co_filename", ""), frozenset())


# -- where compiled code is kept ------------------------------------------------------------------------

# older Numba spells it with an underscore
_caching: Any = caching
_InTree: Any = getattr(caching, "InTreeCacheLocator", None) or _caching._InTreeCacheLocator


class InstalledCacheLocator(_InTree):  # type: ignore[misc]
    """Beside the code, to read only: compiled when Peerage was installed, for a machine like this."""

    def ensure_cache_path(self) -> None:
        """Numba would try to write; here it is enough to find it."""
        ours = {HERE, HERE.with_name("peerage_web")}
        if ours.isdisjoint(Path(self._py_file).parents) or not compiled_marker().is_file():
            raise OSError("nothing was compiled here for this machine")


def _add_cache_locations() -> None:
    """Tell Numba of what was compiled beforehand: before it looks into the user's home."""
    locators = caching.CacheImpl._locator_classes
    if InstalledCacheLocator not in locators:
        locators.insert(locators.index(_InTree) + 1, InstalledCacheLocator)


def use_temporary_cache() -> bool:
    """Whether there is a folder that only this user can write, for where there is no other place."""
    whose = os.getuid() if hasattr(os, "getuid") else "own"
    try:
        folder = Path(tempfile.gettempdir()) / f"peerage-kernels-{whose}"
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode) or not _is_private(status):
        return False  # what others can write, nobody should run
    numba_config: Any = config
    numba_config.CACHE_DIR = str(folder)
    return True


def _is_private(status: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o077)


def compiled_marker() -> Path:
    """The file that says: everything was compiled beside the code, for this kind of machine."""
    return HERE / "__pycache__" / f"compiled-{machine()}"


@cache
def machine() -> str:
    """Another one where compiled code is of no use: another processor, Numba or Python."""
    from llvmlite import binding

    processor = (binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())
    return hashlib.sha256(repr((processor, __version__, sys.version)).encode()).hexdigest()[:16]


_add_cache_locations()
