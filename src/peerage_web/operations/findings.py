"""What a look at the set-up finds: good, worth a word, or a reason not to start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. A `bad` one stops the service, with a `text` that says how to mend it."""

    what: str
    text: str
    kind: str = "ok"  # ok, note, bad

    def __str__(self) -> str:
        return f"{self.kind:<5} {self.what}: {self.text}"


Findings = Iterator[Finding]


def note(what: str, text: str) -> Finding:
    """Worth a word, no reason to stop."""
    return Finding(what, text, "note")


def bad(what: str, text: str) -> Finding:
    """A reason not to start."""
    return Finding(what, text, "bad")
