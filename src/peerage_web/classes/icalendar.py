"""A calendar as RFC 5545 has it: lines of at most 75 octets, ended by CRLF, with what is special escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

WIDTH = 75  # octets
_ESCAPED = {"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"}


@dataclass(frozen=True, slots=True)
class Moment:
    """One entry: a moment by which something is due."""

    uid: str  # the same for as long as it is the same thing, whatever its date
    at: datetime
    changed_at: datetime
    title: str
    text: str
    url: str


def calendar(*, name: str, moments: Iterable[Moment]) -> str:
    """The whole file; times in UTC, so that it needs no definitions of time zones."""
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Peerage//Deadlines//EN", "CALSCALE:GREGORIAN"]
    head += [f"NAME:{_text(name)}", f"X-WR-CALNAME:{_text(name)}", "REFRESH-INTERVAL;VALUE=DURATION:PT6H"]
    lines = [*head, *(line for one in moments for line in _entry(one)), "END:VCALENDAR"]
    return "".join(folded + "\r\n" for line in lines for folded in _fold(line))


def _entry(one: Moment) -> list[str]:
    return [
        "BEGIN:VEVENT",
        f"UID:{one.uid}",
        f"DTSTAMP:{_time(one.changed_at)}",
        f"LAST-MODIFIED:{_time(one.changed_at)}",
        f"DTSTART:{_time(one.at)}",
        f"SUMMARY:{_text(one.title)}",
        f"DESCRIPTION:{_text(one.text)}",
        f"URL:{one.url}",
        "TRANSP:TRANSPARENT",
        "CLASS:PRIVATE",
        "END:VEVENT",
    ]


def _time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(text: str) -> str:
    """Without control characters, which the format has no way to hold."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(one for one in lines if one == "\n" or one.isprintable())
    return "".join(_ESCAPED.get(one, one) for one in kept)


def _fold(line: str) -> Iterator[str]:
    """Pieces of a long line, none of which breaks a character; all but the first begin with a blank."""
    piece, used = "", 0
    for one in line:
        size = len(one.encode())
        if used + size > WIDTH:
            yield piece
            piece, used = " ", 1
        piece, used = piece + one, used + size
    yield piece
