"""What went wrong, as a record that pages show and the API sends (RFC 9457)."""

from __future__ import annotations

import logging
import secrets
from typing import Any

from peerage.errors import DataError, PeerageError
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
COMMAND_LINE = "On your own machine there is no such limit: peerage grade FILE --out results"
LOST = {
    "code": "lost",
    "title": "The grading was interrupted twice",
    "detail": "The process that graded this file was ended from outside, and again when it was tried once"
    " more. Nothing is known to be wrong with the file. Grade it once more in a few minutes.",
    "problems": [],
}


def problem_of(error: Exception) -> dict[str, Any]:
    """The record of an error: code, title, detail, and one entry per problem in the file."""
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
            "The program that reads it died on it. If it is a workbook, save its sheet as CSV and try that.",
        )
    if isinstance(error, KilledError):
        return _problem(
            "killed",
            "The work was interrupted",
            "The process that worked on the file was ended from outside, and again when it was tried once"
            " more. Nothing is known to be wrong with the file. Try again in a moment.",
        )
    if isinstance(error, NoRoomError):
        return _problem(
            "no-room", "The service has no room right now", "Its disk is full. Try again in a few minutes."
        )
    return _bug(error)


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
    }


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:] + "."
