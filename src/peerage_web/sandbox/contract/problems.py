"""What went wrong, as a record that pages show and the API sends (RFC 9457)."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Any

from peerage.errors import DataError, DirectionError, PeerageError
from peerage_web.sandbox.contract.errors import (
    BrokenError,
    CrashedError,
    KilledError,
    NoRoomError,
    OutOfMemoryError,
    OutOfSpaceError,
    OutOfTimeError,
)
from peerage_web.sandbox.contract.files import TooLargeError

log = logging.getLogger(__name__)
OWN_MACHINE = "Peerage on your own computer has no such limit."
LOST = {
    "code": "lost",
    "title": "The grading was interrupted twice",
    "detail": "The process that graded this file was ended from outside, and again when it was tried once"
    " more. Nothing is known to be wrong with the file. Grade it once more in a few minutes.",
    "problems": [],
}


def problem_of(error: Exception) -> dict[str, Any]:
    """The record of an error: code, title, detail, and one entry per problem in the file."""
    for kind, code, title, detail in _TOLD:
        if isinstance(error, kind):
            return _problem(code, title, detail(error), error if isinstance(error, DataError) else None)
    return _bug(error)


def _smaller(error: Exception) -> str:
    return f"{_sentence(error)} {OWN_MACHINE}"


# the first that fits
_TOLD: tuple[tuple[type[Exception], str, str, Callable[[Exception], str]], ...] = (
    (DirectionError, "direction", "It is not plain which numbers are better", str),
    (DataError, "data", "The file cannot be used as it is", str),
    (
        TooLargeError,
        "too-large",
        "The file is too large for this service",
        lambda error: f"{error}. {OWN_MACHINE}",
    ),
    (PeerageError, "request", "This cannot be done with this file", str),
    (OutOfTimeError, "time", "It took too long", _smaller),
    (OutOfMemoryError, "memory", "It needs too much memory", _smaller),
    (OutOfSpaceError, "too-large", "Its result is too large", _smaller),
    (
        CrashedError,
        "crash",
        "The file could not be read",
        lambda error: (
            "The program that reads it died on it. If it is a workbook, save its sheet as CSV and try that."
        ),
    ),
    (
        KilledError,
        "killed",
        "The work was interrupted",
        lambda error: (
            "The process that worked on the file was ended from outside, and again when it was tried once"
            " more. Nothing is known to be wrong with the file. Try again in a moment."
        ),
    ),
    (
        NoRoomError,
        "no-room",
        "The service has no room right now",
        lambda error: "Its disk is full. Try again in a few minutes.",
    ),
)


def _bug(error: Exception) -> dict[str, Any]:
    """An error of ours: the log has it under the number that the visitor sees."""
    number = secrets.token_hex(4)
    place = str(error) if isinstance(error, BrokenError) else type(error).__name__
    log.error("a piece of work broke", extra={"fields": {"error": number, "where": place}})
    return _problem(
        "bug",
        "Something is broken on our side",
        "The error has been recorded, without your data. Try again; if it happens again, tell the people who"
        f" run this service its number, {number}.",
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
