"""Ordinal peer grading: fair grades from students' rankings, and how sure they are.

Everything public is listed here and loaded on first use, so that importing Peerage costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from peerage._version import __version__

if TYPE_CHECKING:
    from peerage.errors import (
        ConvergenceWarning,
        DataError,
        MethodError,
        NotFittedError,
        PeerageError,
        Problem,
    )
    from peerage.feedback import Feedback

_HOMES = {
    "ConvergenceWarning": "peerage.errors",
    "DataError": "peerage.errors",
    "Feedback": "peerage.feedback",
    "MethodError": "peerage.errors",
    "NotFittedError": "peerage.errors",
    "PeerageError": "peerage.errors",
    "Problem": "peerage.errors",
}

__all__ = [
    "ConvergenceWarning",
    "DataError",
    "Feedback",
    "MethodError",
    "NotFittedError",
    "PeerageError",
    "Problem",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        msg = f"module 'peerage' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
