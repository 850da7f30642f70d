"""What messages call an option: an argument in Python, a flag on the command line, a field on a page.

A message that tells its reader to set something writes :func:`named` in the place of the name. A front end
says once how it names things, with :func:`speaking`; without one, messages name Python's arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class Naming(Protocol):
    """How a front end names its options."""

    def option(self, name: str, value: Any = None) -> str:
        """An option by its name in the library; with a value, how to set it."""

    def column(self, role: str, header: str | None = None) -> str:
        """How to say which column of a file plays a role: the one with this header, or one to be named."""


class Arguments:
    """Python: `missing='drop'`."""

    def option(self, name: str, value: Any = None) -> str:
        """An argument."""
        return name if value is None else f"{name}={value!r}"

    def column(self, role: str, header: str | None = None) -> str:
        """An argument of :func:`peerage.read`."""
        return f"{role}={'…' if header is None else repr(header)}"


_PYTHON: Naming = Arguments()
_naming: ContextVar[Naming] = ContextVar("naming", default=_PYTHON)


def named(name: str, value: Any = None, *, in_python: str | None = None) -> str:
    """An option as the reader of a message would write it; `in_python` where it is no argument there.

    >>> named("interval"), named("missing", "drop")
    ('interval', "missing='drop'")
    """
    naming = _naming.get()
    return in_python if in_python and naming is _PYTHON else naming.option(name, value)


def named_column(role: str, header: str | None = None) -> str:
    """How the reader of a message would say which column it is."""
    return _naming.get().column(role, header)


def speak(naming: Naming) -> None:
    """Name options so from here on; for a process that serves one front end."""
    _naming.set(naming)


@contextmanager
def speaking(naming: Naming) -> Iterator[None]:
    """Name options so for a while."""
    token = _naming.set(naming)
    try:
        yield
    finally:
        _naming.reset(token)
