"""Log lines as JSON, one per line; no addresses of jobs or visitors, no names, nothing out of a file."""

import json
import logging
import re
import sys
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

request_id: ContextVar[str] = ContextVar("request_id", default="")

_KEY = re.compile(
    r"(/j/|/api/v1/jobs/|/link/|/reminders/|/calendar/|/w/|/lti/pick/|/lti/register/|/lti/back/)[^/\s\"'?]+"
)
_ADDRESS = re.compile(r"\bip=\S+")
# What these say is about the machine; any other exception may quote a visitor's file, so its kind must do.
_TELLING = frozenset(
    {"OperationalError", "ImproperlyConfigured", "TemplateDoesNotExist", "ModuleNotFoundError"}
)


class StandardError(logging.StreamHandler[TextIO]):
    """Writes to what is standard error at that moment, even if it was another when logging was set up."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


class JsonLines(logging.Formatter):
    """time, level, logger, message, the request's id, and what `extra={"fields": …}` adds."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if request_id.get():
            line["request"] = request_id.get()
        line |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[1] is not None:
            line["traceback"] = _frames(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False)


def without_secrets(text: str) -> str:
    """The text without the keys of jobs, which open them, and without the addresses of visitors."""
    return _ADDRESS.sub("ip=…", _KEY.sub(r"\1…", text))


def _frames(error: BaseException) -> str:
    """Where it happened and what kind of error it was, innermost last; of its causes too."""
    return " <- ".join(f"{_kind(cause)} at {_places(cause)}" for cause in _chain(error))


def _chain(error: BaseException | None) -> list[BaseException]:
    chain: list[BaseException] = []
    while error is not None and error not in chain:
        chain.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return chain


def _kind(error: BaseException) -> str:
    name = type(error).__name__
    return f"{name} ({without_secrets(str(error))})" if name in _TELLING else name


def _places(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return ", ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames)
