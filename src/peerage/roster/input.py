"""What a class is made from, however it is given: feedback, and who made what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peerage.feedback.container import Feedback
from peerage.reading.content import content_of, file_set_of
from peerage.reading.frames import is_frame
from peerage.reading.options import ReadingOptions
from peerage.reading.packed import packed_at
from peerage.roster.container import Roster
from peerage.roster.packed import packed_roster
from peerage.roster.reader import RosterSource, read_roster
from peerage.roster.reviews import roster_of_reviews


@dataclass(frozen=True, slots=True)
class Input:
    """The feedback, who made what, and what identifies the file it came from."""

    feedback: Feedback
    roster: Roster | None = None
    source: Mapping[str, Any] = field(default_factory=dict)


def read_input(
    given: Any, roster: RosterSource | None = None, reading: ReadingOptions | None = None
) -> Input:
    """Feedback as it is; a file or a table is read, once, so that what is parsed is what it is known by.

    Who made what comes from a roster of its own, or from columns `owner` and `group` of the feedback.
    """
    how = reading or ReadingOptions()
    people = None if roster is None else read_roster(roster)
    if isinstance(given, Feedback):
        return Input(given, people)
    packed = packed_at(given)
    if packed is not None:
        return Input(how.read(packed), people or packed_roster(packed), packed.manifest.source)
    parts = file_set_of(given)
    content = given if is_frame(given) else parts or content_of(given)
    feedback = how.read(content)
    if people is None:
        people = roster_of_reviews(content, how.columns, **how.opening)
    if is_frame(given):
        return Input(feedback, people)
    name = "standard input" if given == "-" else Path(content.name or "").name
    return Input(feedback, people, {**({"file": name} if name else {}), "sha256": content.sha256})
