"""How every hot loop is compiled: cached on disk, free of the interpreter's lock, typed for mypy."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any, ParamSpec, TypeVar, cast

from numba import __version__, njit
from numba.core.runtime.nrt import rtsys

from peerage._compiled import keep_among_temporary_files, look_in_more_places
from peerage._compiling import compiling

P = ParamSpec("P")
R = TypeVar("R")
_SHORTCUT = ("load_overload", "_load_overload", "_guard_against_spurious_io_errors")
look_in_more_places()
_FILES: dict[str, frozenset[str]] = {}  # by file with kernels: itself, and those whose kernels it calls


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of flat arrays and plain numbers."""
    compiled, is_kept = _compiled(function)
    if compiled is not function and is_kept:  # it is the function where NUMBA_DISABLE_JIT is set
        cache = _cache_of(compiled)
        cache._cache_file._source_stamp = _stamp(function)
        if all(hasattr(cache, name) for name in _SHORTCUT):  # else Numba has changed, and is only slower
            cache.load_overload = _straight_from(cache, function.__name__)
        cache.save_overload = _unless_forbidden(cache.save_overload)
    return cast("Callable[P, R]", compiled)


def _compiled(function: Any) -> tuple[Any, bool]:
    """The kernel, and whether its code is kept; without a place for it, every process compiles anew."""
    how: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return njit(cache=True, **how)(function), True
    except RuntimeError:  # neither beside the code nor at home
        is_kept = keep_among_temporary_files()
        return njit(cache=is_kept, **how)(function), is_kept


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


def _straight_from(cache: Any, name: str) -> Callable[[Any, Any], Any]:
    """What looks for compiled code, and gets Numba ready to compile only where there is none.

    Numba's own way loads everything it could compile before it looks, and a small class, of which every
    kernel has been compiled before, would take a tenth longer to grade (docs/decisions/start-up.md).
    """
    get_ready_and_load = cache.load_overload

    def load(signature: Any, target: Any) -> Any:
        rtsys.initialize(target)  # the management of memory that compiled code calls
        found = None
        with suppress(OSError), cache._guard_against_spurious_io_errors():
            try:
                found = cache._load_overload(signature, target)
            except (AttributeError, ImportError):  # of a version that had a class which is gone or renamed
                cache.flush()
            found = get_ready_and_load(signature, target) if found is None else found
        if found is None:
            compiling(name)
        return found

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
    found = [(os.path.basename(file), os.stat(file)) for file in sorted(_FILES[own]) if os.path.exists(file)]
    return [(name, stat.st_mtime, stat.st_size) for name, stat in found]


def _files_of(value: object) -> frozenset[str]:
    """The files behind something that a module has imported, if it is a kernel or has some."""
    if isinstance(value, ModuleType):
        return _FILES.get(getattr(value, "__file__", None) or "", frozenset())
    code = getattr(getattr(value, "py_func", None), "__code__", None)
    return _FILES.get(getattr(code, "co_filename", ""), frozenset())
