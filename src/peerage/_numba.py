"""How every hot loop is compiled: cached on disk, free of the interpreter's lock, typed for mypy."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of flat arrays and plain numbers."""
    return cast("Callable[P, R]", njit(cache=True, nogil=True, error_model="numpy")(function))
