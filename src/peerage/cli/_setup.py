"""What `peerage doctor` and `peerage serve --check` find on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SetupFinding:
    """One thing that was looked at. A `bad` one stops the work, with a `text` that says how to mend it."""

    what: str
    text: str
    kind: str = "ok"  # ok, note, bad

    def __str__(self) -> str:
        return f"{self.kind:<5} {self.what}: {self.text}"


SetupFindings = Iterator[SetupFinding]


def note(what: str, text: str) -> SetupFinding:
    """Worth a word, no reason to stop."""
    return SetupFinding(what, text, "note")


def bad(what: str, text: str) -> SetupFinding:
    """A reason not to start."""
    return SetupFinding(what, text, "bad")
