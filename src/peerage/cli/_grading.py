"""What the commands that grade share: the file with its hash, and the roster."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage.cli._reading import Reading

if TYPE_CHECKING:
    from peerage.feedback import Feedback
    from peerage.reading import Content
    from peerage.roster import Roster


@dataclass(frozen=True, slots=True)
class Input:
    """The feedback, who made what, and what identifies the file."""

    feedback: Feedback
    roster: Roster | None
    source: dict[str, Any]
    started: float = field(default_factory=time.perf_counter)

    def times(self) -> dict[str, Any]:
        """When it was and how long it took; for run.json only."""
        from datetime import UTC, datetime

        return {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "elapsed": round(time.perf_counter() - self.started, 3),
        }


def read_input(file: str, roster: str | None, reading: Reading) -> Input:
    """Read a feedback file once, so that the bytes parsed are those it is known by: their SHA-256."""
    from peerage.reading import content_of

    started = time.perf_counter()
    content = content_of(file)
    feedback = reading.read(content)
    people = read_people(content, roster, reading)
    name = "standard input" if file == "-" else Path(file).name
    return Input(feedback, people, {"file": name, "sha256": content.sha256}, started)


def read_people(feedback: Content, roster: str | None, reading: Reading) -> Roster | None:
    """Who made what: from a file of its own, or from columns `owner` and `group` of the feedback."""
    from peerage.roster import read_roster, roster_of_reviews

    if roster is not None:
        return read_roster(roster)
    return roster_of_reviews(feedback, reading.columns, **reading.options)
