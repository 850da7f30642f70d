"""How every hot loop is compiled: cached on disk, free of the interpreter's lock, typed for mypy."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType
from typing import Any, ParamSpec, TypeVar, cast

from numba import __version__, njit
from numba.core.runtime.nrt import rtsys

P = ParamSpec("P")
R = TypeVar("R")
_SHORTCUT = ("load_overload", "_load_overload", "_guard_against_spurious_io_errors")
_FILES: dict[str, frozenset[str]] = {}  # by file with kernels: itself, and those whose kernels it calls


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of flat arrays and plain numbers."""
    compiled: Any = njit(cache=True, nogil=True, error_model="numpy")(function)
    if compiled is not function:  # it is where NUMBA_DISABLE_JIT is set
        cache = _cache_of(compiled)
        cache._cache_file._source_stamp = _stamp(function)
        if all(hasattr(cache, name) for name in _SHORTCUT):  # else Numba has changed, and is only slower
            cache.load_overload = _straight_from(cache)
    return cast("Callable[P, R]", compiled)


def _cache_of(compiled: Any) -> Any:
    """Where Numba keeps a kernel's compiled code and the stamp of its file.

    Where these inner parts are gone, code from before a change might run, so nothing runs at all.
    """
    cache = getattr(compiled, "_cache", None)
    if not hasattr(getattr(cache, "_cache_file", None), "_source_stamp"):
        msg = (
            f"Numba {__version__} keeps compiled code in another way than Peerage knows (there is no"
            " _cache._cache_file._source_stamp) and might run code from before a change: install another"
            " version of Numba, such as 0.68"
        )
        raise ImportError(msg)
    return cache


def _straight_from(cache: Any) -> Callable[[Any, Any], Any]:
    """What looks for compiled code, and gets Numba ready to compile only where there is none.

    Numba's own way loads everything it could compile before it looks, and a small class, of which every
    kernel has been compiled before, would take a tenth longer to grade (docs/decisions/start-up.md).
    """
    get_ready_and_load = cache.load_overload

    def load(signature: Any, target: Any) -> Any:
        rtsys.initialize(target)  # the management of memory that compiled code calls
        found = None
        with cache._guard_against_spurious_io_errors():
            found = cache._load_overload(signature, target)
        return get_ready_and_load(signature, target) if found is None else found

    return load


def _stamp(function: Any) -> list[tuple[str, float, int]]:
    """Name, time and size of the files that go into a kernel: compiled code is good while they are the same.

    Numba looks at the kernel's own file only. But what a kernel calls is compiled into it, and would stay
    as it was when another file has changed.
    """
    own = function.__code__.co_filename
    if own not in _FILES:  # imports stand above the first kernel
        _FILES[own] = frozenset({own}).union(*map(_files_of, function.__globals__.values()))
    found = [(os.path.basename(file), os.stat(file)) for file in sorted(_FILES[own]) if os.path.exists(file)]
    return [(name, stat.st_mtime, stat.st_size) for name, stat in found]


def _files_of(value: object) -> frozenset[str]:
    """The files behind something that a module has imported, if it is a kernel or has some."""
    if isinstance(value, ModuleType):
        return _FILES.get(getattr(value, "__file__", None) or "", frozenset())
    code = getattr(getattr(value, "py_func", None), "__code__", None)
    return _FILES.get(getattr(code, "co_filename", ""), frozenset())
