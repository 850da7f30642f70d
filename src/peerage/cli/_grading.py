"""What the commands that grade share: the file with its hash, and the roster."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage.cli._reading import Reading, standard_input

if TYPE_CHECKING:
    from peerage.checking import Roster
    from peerage.feedback import Feedback


@dataclass(frozen=True, slots=True)
class Input:
    """The feedback, who made what, and what identifies the file."""

    feedback: Feedback
    roster: Roster | None
    source: dict[str, Any]


def read_input(file: str, roster: str | None, reading: Reading) -> Input:
    """Read a feedback file once, and know it again by its SHA-256."""
    from hashlib import sha256

    from peerage.checking import read_roster, roster_of_reviews

    source: str | BytesIO = standard_input() if file == "-" else file
    data = Path(source).read_bytes() if isinstance(source, str) else source.getvalue()
    feedback = reading.read(source)
    people = (
        read_roster(roster)
        if roster is not None
        else roster_of_reviews(
            source if isinstance(source, str) else data, reading.columns, **reading.options
        )
    )
    name = "standard input" if file == "-" else Path(file).name
    return Input(feedback, people, {"file": name, "sha256": sha256(data).hexdigest()})
