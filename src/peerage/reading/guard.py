"""A parser's own failures, its panics included, as DataError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from peerage.errors import DataError, PeerageError, Problem


@contextmanager
def guarded(
    source: str | None, what: str = "the file cannot be parsed", fix: str | None = None
) -> Iterator[None]:
    """Turn whatever a parser raises on damaged input into one DataError."""
    try:
        yield
    except (PeerageError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except Exception as error:
        raise DataError(Problem(f"{what} ({_first_line(error)})", fix=fix), source=source) from error
    except BaseException as error:  # a Rust panic is a BaseException that cannot be imported by name
        if type(error).__name__ != "PanicException":
            raise
        raise DataError(Problem(f"{what}: the parser gave up", fix=fix), source=source) from error


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
