"""How every hot loop is compiled: cached on disk, free of the interpreter's lock, typed for mypy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit
from numba.core.runtime.nrt import rtsys

P = ParamSpec("P")
R = TypeVar("R")
_INNER = ("load_overload", "_load_overload", "_guard_against_spurious_io_errors")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of flat arrays and plain numbers."""
    compiled: Any = njit(cache=True, nogil=True, error_model="numpy")(function)
    cache = getattr(compiled, "_cache", None)  # none where NUMBA_DISABLE_JIT is set
    if all(hasattr(cache, name) for name in _INNER):  # else Numba has changed, and its own way is right
        compiled._cache.load_overload = _straight_from(cache)
    return cast("Callable[P, R]", compiled)


def _straight_from(cache: Any) -> Callable[[Any, Any], Any]:
    """What looks for compiled code, and gets Numba ready to compile only where there is none.

    Numba's own way loads everything it could compile before it looks, and a small class, of which every
    kernel has been compiled before, would take a tenth of a second longer to grade.
    """
    get_ready_and_load = cache.load_overload

    def load(signature: Any, target: Any) -> Any:
        rtsys.initialize(target)  # the management of memory that compiled code calls
        found = None
        with cache._guard_against_spurious_io_errors():
            found = cache._load_overload(signature, target)
        return get_ready_and_load(signature, target) if found is None else found

    return load
