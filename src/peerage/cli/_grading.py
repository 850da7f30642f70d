"""What the commands that grade share: the file with its hash, and the roster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage.reading import ReadingOptions

if TYPE_CHECKING:
    from peerage.feedback import Feedback
    from peerage.grading import GradingOptions
    from peerage.reading import Content
    from peerage.roster import Roster


@dataclass(frozen=True, slots=True)
class Input:
    """The feedback, who made what, and what identifies the file."""

    feedback: Feedback
    roster: Roster | None
    source: dict[str, Any]


def read_input(file: str, roster: str | None, reading: ReadingOptions) -> Input:
    """Read a feedback file once, so that the bytes parsed are those it is known by: their SHA-256."""
    from peerage.reading import content_of

    content = content_of(file)
    feedback = reading.read(content)
    people = read_people(content, roster, reading)
    name = "standard input" if file == "-" else Path(file).name
    return Input(feedback, people, {"file": name, "sha256": content.sha256})


def graded_feedback(feedback: Feedback, roster: Roster | None, options: GradingOptions) -> Feedback:
    """What `peerage grade` grades: reviews of own work are left out, unless they are to be kept."""
    from peerage.checking import judged

    people = None if roster is None else roster.for_class(feedback.task_labels)
    return judged(feedback, people, options.own_work).feedback


def read_people(feedback: Content, roster: str | None, reading: ReadingOptions) -> Roster | None:
    """Who made what: from a file of its own, or from columns `owner` and `group` of the feedback."""
    from peerage.roster import read_roster, roster_of_reviews

    if roster is not None:
        return read_roster(roster)
    return roster_of_reviews(feedback, reading.columns, **reading.opening)
