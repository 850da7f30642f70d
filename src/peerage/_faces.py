"""A package's face: its public names, each loaded from its module on first use.

Other packages import from faces only, and a face costs nothing until a name is asked for: kernels take longer
to load than a small class to grade. Type checkers read the imports under TYPE_CHECKING; `tests/test_faces.py`
holds both lists against each other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazy(package: str, homes: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose names live in the modules that `homes` gives."""

    def load(name: str) -> Any:
        if name not in homes:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        try:
            module = import_module(f"{package}.{homes[name]}")
        except AttributeError as error:  # Python would take it to mean that there is no such name
            msg = f"{package}.{homes[name]} cannot be loaded: {error}"
            raise ImportError(msg) from error
        value = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(homes)
