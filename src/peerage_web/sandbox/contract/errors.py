"""Why a piece of work could not be finished; how a child tells its parent; and the record that people see.

What a child tells its parent is JSON: a step, a result, or an error. Nothing is unpickled that a child has
sent, for a hostile file may have taken it over. Pages show the record, and the API sends it (RFC 9457).
"""

import errno
import json
import logging
import secrets
import struct
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from peerage.errors import AmbiguousReadingError, DataError, MethodError, PeerageError, Problem
from peerage_web.sandbox.contract.jobs import reading_to_dict

log = logging.getLogger(__name__)


class TooLargeError(PeerageError):
    """A good file, but too large for this service; the command line takes it."""


class SandboxError(Exception):
    """The work could not be finished, for a reason that lies outside of it."""


class OutOfTimeError(SandboxError):
    """It took longer than allowed."""


class OutOfMemoryError(SandboxError):
    """It needed more memory than allowed."""


class OutOfSpaceError(SandboxError):
    """It wrote more than allowed."""


class CrashedError(SandboxError):
    """The process died."""


class KilledError(SandboxError):
    """Somebody else ended the process, or the server it came from; the work itself is not to blame."""


class DiskFullError(SandboxError):
    """The disk is full."""


class StoppedError(SandboxError):
    """Somebody asked for it to be stopped."""


class BrokenError(SandboxError):
    """Something nobody foresaw; says where, but not with what words: those may hold a visitor's data."""


# -- between child and parent --------------------------------------------------------------------------------

_REQUEST_ERRORS = {kind.__name__: kind for kind in (MethodError, TooLargeError)}
_PROBLEM_FIELDS = ("line", "column", "value", "rule", "fix")
_FRAMES = 12
SENTENCE_CHARACTERS = 600  # a hostile cell may hold megabytes, and every sentence may quote it
READING_CHARACTERS = 50_000  # of a reading as JSON: a wide matrix names hundreds of columns
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
EXIT_REPORT = struct.Struct("!IQ")  # how a child has ended, and the most memory it had, in kilobytes


class OfferedReading(NamedTuple):
    """A way to read a file, as data: what the library proposes, without its feedback."""

    reading: dict[str, Any]
    sentences: tuple[str, ...]
    options: str


def encode_message(**parts: Any) -> bytes:
    """A message of a child to its parent."""
    return json.dumps(parts, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")


def decode_message(data: bytes) -> dict[str, Any]:
    """What :func:`encode_message` made; ValueError where it is none."""
    message = json.loads(data.decode("utf-8", "surrogatepass"))
    if not isinstance(message, dict):
        raise ValueError("a message is an object")
    return message


def error_to_json(error: BaseException) -> dict[str, Any]:
    """An error as JSON; of one that nobody foresaw only where it happened."""
    if isinstance(error, DataError):
        problems = [_problem_to_json(problem) for problem in error.problems]
        readings = [offer._asdict() for offer in offered_readings(error)]
        return {
            "kind": DataError.__name__,
            "problems": problems,
            "source": error.source,
            "total": error.total,
            "readings": readings,
        }
    if isinstance(error, MemoryError):
        return {"kind": "MemoryError"}
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        return {"kind": "DiskFullError"}
    if isinstance(error, PeerageError):
        return {"kind": type(error).__name__, "text": str(error)}
    return {"kind": "BrokenError", "text": error_location(error)}


def error_from_json(answer: dict[str, Any]) -> Exception:
    kind = answer.get("kind")
    if kind == DataError.__name__:
        problems = [
            Problem(**{name: problem.get(name) for name in _PROBLEM_FIELDS}) for problem in answer["problems"]
        ]
        where: dict[str, Any] = {"source": answer["source"], "total": answer["total"]}
        offers = [
            OfferedReading(dict(offer["reading"]), tuple(map(str, offer["sentences"])), str(offer["options"]))
            for offer in answer["readings"]
        ]
        return (
            AmbiguousReadingError(problems, readings=offers, **where)
            if offers
            else DataError(problems, **where)
        )
    if kind == "MemoryError":
        return OutOfMemoryError("the work needed more memory than allowed")
    if kind == "DiskFullError":
        return DiskFullError("the disk of the service is full")
    text = str(answer.get("text"))
    return BrokenError(text) if kind == "BrokenError" else _REQUEST_ERRORS.get(str(kind), PeerageError)(text)


def offered_readings(error: Exception) -> list[OfferedReading]:
    """The ways to read the file that an error offers, as data; none where it is another error."""
    if not isinstance(error, AmbiguousReadingError):
        return []
    offers = [each if isinstance(each, OfferedReading) else _offer(each) for each in error.readings]
    return [offer for offer in offers if len(json.dumps(offer.reading)) <= READING_CHARACTERS]


def _offer(proposal: Any) -> OfferedReading:
    sentences = tuple(
        text if len(text) <= SENTENCE_CHARACTERS else text[: SENTENCE_CHARACTERS - 1] + "…"
        for text in proposal.sentences
    )
    return OfferedReading(reading_to_dict(proposal.reading), sentences, proposal.reading.options_text())


def error_location(error: BaseException) -> str:
    """The kind of error and the lines that led to it."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    steps = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return f"{type(error).__name__} at " + " > ".join(steps)


def _problem_to_json(problem: Problem) -> dict[str, Any]:
    return {name: getattr(problem, name) for name in _PROBLEM_FIELDS}


# -- for people ----------------------------------------------------------------------------------------------

AMBIGUOUS = "ambiguous-reading"
OWN_MACHINE = "Peerage on your own computer has no such limit."
LOST_PROBLEM = {
    "code": "lost",
    "title": "The grading was interrupted twice",
    "detail": "The process that graded this file was stopped twice by the system. This is probably not caused"
    " by the file. Grade it again in a few minutes.",
    "problems": [],
}


def describe_problem(error: Exception) -> dict[str, Any]:
    """The record of an error: code, title, detail, one entry per problem in the file, and its readings."""
    if offers := offered_readings(error):
        return {
            **_problem(AMBIGUOUS, "The file can be read in several ways", _what_is_open(error), error),
            "readings": [{**offer._asdict(), "sentences": list(offer.sentences)} for offer in offers],
        }
    for kind, code, title, detail in _PROBLEMS:
        if isinstance(error, kind):
            return _problem(code, title, detail(error), error)
    return _bug(error)


def _what_is_open(error: Exception) -> str:
    """Its problems alone: how to confirm one of the readings is another matter on a page or in the API."""
    assert isinstance(error, DataError)
    return str(DataError(error.problems, source=error.source, total=error.total))


def _smaller(error: Exception) -> str:
    return f"{_sentence(error)} {OWN_MACHINE}"


# the first that fits
_PROBLEMS: tuple[tuple[type[Exception], str, str, Callable[[Exception], str]], ...] = (
    (DataError, "data", "The file cannot be used as it is", _what_is_open),
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
            "The reader crashed on this file. If it is a workbook, save the sheet as CSV and try again."
        ),
    ),
    (
        KilledError,
        "killed",
        "The work was interrupted",
        lambda error: (
            "The process that worked on the file was stopped twice by the system. This is probably not caused"
            " by the file. Try again in a moment."
        ),
    ),
    (
        DiskFullError,
        "no-room",
        "The service has no storage space right now",
        lambda error: "The disk is full. Try again in a few minutes.",
    ),
)


def _bug(error: Exception) -> dict[str, Any]:
    """An error of ours: the log has it under the number that the visitor sees."""
    number = secrets.token_hex(4)
    location = str(error) if isinstance(error, BrokenError) else type(error).__name__
    log.error("a piece of work broke", extra={"fields": {"error": number, "where": location}})
    return _problem(
        "bug",
        "Something went wrong on our side",
        "The error was logged without your data. Try again. If it happens again, give the administrator of"
        f" this site the error number: {number}.",
    )


def _problem(code: str, title: str, detail: str, error: Exception | None = None) -> dict[str, Any]:
    data = error if isinstance(error, DataError) else None
    return {
        "code": code,
        "title": title,
        "detail": detail,
        "problems": [_problem_to_json(problem) for problem in (() if data is None else data.problems)],
        "groups": [
            {**_problem_to_json(group.first), "more": group.more, "count": group.count}
            for group in (() if data is None else data.groups)
        ],
    }


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:] + "."
