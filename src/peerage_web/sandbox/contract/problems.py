"""What went wrong, as a record that pages show and the API sends (RFC 9457)."""

from __future__ import annotations

from typing import Any

from peerage.errors import DataError, DirectionError, PeerageError
from peerage_web.sandbox.contract.errors import (
    CrashedError,
    OutOfMemoryError,
    OutOfSpaceError,
    OutOfTimeError,
)
from peerage_web.sandbox.contract.files import TooLargeError

COMMAND_LINE = "On your own machine there is no such limit: peerage grade FILE --out results"
LOST = {
    "code": "lost",
    "title": "The grading was interrupted twice",
    "detail": "The process that graded this file died, and died again when it was tried once more."
    " The file may need more memory than this service has. " + COMMAND_LINE,
    "problems": [],
}


def problem_of(error: Exception) -> dict[str, Any]:
    """The record of an error: code, title, detail, and one entry per problem in the file."""
    if isinstance(error, DirectionError):
        return _problem("direction", "It is not plain which numbers are better", str(error), error)
    if isinstance(error, DataError):
        return _problem("data", "The file cannot be used as it is", str(error), error)
    if isinstance(error, TooLargeError):
        return _problem("too-large", "The file is too large for this service", f"{error}. {COMMAND_LINE}")
    if isinstance(error, PeerageError):
        return _problem("request", "This cannot be done with this file", str(error))
    if isinstance(error, OutOfTimeError):
        return _problem("time", "It took too long", f"{_sentence(error)} {COMMAND_LINE}")
    if isinstance(error, OutOfMemoryError):
        return _problem("memory", "It needs too much memory", f"{_sentence(error)} {COMMAND_LINE}")
    if isinstance(error, OutOfSpaceError):
        return _problem("too-large", "Its result is too large", f"{_sentence(error)} {COMMAND_LINE}")
    if isinstance(error, CrashedError):
        return _problem(
            "crash",
            "The file could not be read",
            "The program that reads it died on it. If other programs open the file, save it as CSV and try"
            " again.",
        )
    return _problem(
        "bug", "Something is broken on our side", "The error has been recorded, without your data. Try again."
    )


def _problem(code: str, title: str, detail: str, error: DataError | None = None) -> dict[str, Any]:
    listed = [] if error is None else error.problems
    names = ("line", "column", "value", "rule", "fix")
    return {
        "code": code,
        "title": title,
        "detail": detail,
        "problems": [{name: getattr(one, name) for name in names} for one in listed],
        "groups": [
            {**{name: getattr(group.first, name) for name in names}, "more": group.more, "count": group.count}
            for group in (() if error is None else error.groups)
        ],
    }


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:] + "."
