"""Who wants to know that a kernel is being compiled: it takes seconds, once, and a user should hear of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_watchers: list[Callable[[str], None]] = []


@contextmanager
def watch_compilation(tell: Callable[[str], None]) -> Iterator[None]:
    """Have every kernel that is compiled from here on told by its name; from any thread."""
    _watchers.append(tell)
    try:
        yield
    finally:
        _watchers.remove(tell)


def announce_compilation(name: str) -> None:
    """A kernel was not found among the compiled ones, and is compiled now."""
    for tell in [*_watchers]:
        tell(name)
