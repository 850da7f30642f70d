"""The pre-flight: what an instructor should know about feedback before trusting any grade from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from peerage.checking.counts import Counts, Spread, count
from peerage.checking.coverage import coverage, coverage_findings
from peerage.checking.direction import direction_findings
from peerage.checking.graders import grader_findings
from peerage.checking.items import item_findings
from peerage.checking.labels import label_findings
from peerage.checking.lone import lone_findings, lone_tasks
from peerage.checking.own_work import Judged, judged
from peerage.checking.ownership import ownership_findings
from peerage.checking.pairs import pair_blocks
from peerage.checking.repeats import repeat_findings
from peerage.checking.report import Finding, Preflight
from peerage.roster.container import MATCHED
from peerage.roster.input import read_input

if TYPE_CHECKING:
    from peerage._options import OwnWork
    from peerage.feedback.container import Feedback
    from peerage.roster.container import Roster
    from peerage.roster.reader import RosterSource

__all__ = [
    "STEPS",
    "Counts",
    "Finding",
    "Judged",
    "Preflight",
    "Spread",
    "check",
    "check_judged",
    "judged",
    "lone_tasks",
    "pair_blocks",
]

STEPS = 6  # how often `check` calls `on_step`


def _matched(roster: Roster | None) -> tuple[str, ...]:
    """What was assumed so that roster and feedback are about the same people."""
    notes = () if roster is None else roster.notes
    return tuple(note for note in notes if note.startswith(MATCHED))


def check(
    feedback: Feedback | Any,
    owners: RosterSource | None = None,
    *,
    min_reviews: int = 3,
    own_work: OwnWork = "drop",
    on_step: Callable[[str], None] = lambda step: None,
) -> Preflight:
    """Look for everything that would make grades from this feedback weak or unfair.

    Parameters
    ----------
    feedback : a Feedback, or a file or table that :func:`peerage.read` can read without being told more.
    owners : who made what: a roster, see :func:`peerage.read_roster`, as such or as a file or table.
    min_reviews : items with fewer reviews than this are reported.
    own_work : "drop" reviews of one's own work, as grading does, or "keep" them: everything is counted of
        what will be graded.
    on_step : called with the name of each step before it starts, to show progress.
    """
    given = read_input(feedback, owners)
    roster = None if given.roster is None else given.roster.for_feedback(given.feedback)
    counted = judged(given.feedback, roster, own_work)
    return check_judged(counted, roster, min_reviews=min_reviews, on_step=on_step)


def check_judged(
    what: Judged,
    roster: Roster | None,
    *,
    min_reviews: int = 3,
    on_step: Callable[[str], None] = lambda step: None,
) -> Preflight:
    """The same where it is known which reviews are of own work."""
    feedback = what.feedback
    on_step("counting")
    counts = count(feedback)
    on_step("following comparisons from item to item")
    tasks = coverage(feedback)
    findings = coverage_findings(feedback, tasks)
    on_step("looking at items")
    findings += item_findings(feedback, min_reviews)
    findings += direction_findings(feedback)
    findings += label_findings(feedback)
    on_step("looking at graders")
    findings += lone_findings(feedback)
    findings += grader_findings(feedback)
    on_step("looking for repeated judgements")
    findings += repeat_findings(feedback)
    on_step("looking at who graded whose work")
    findings += ownership_findings(feedback, roster, what)
    findings.sort(key=lambda finding: finding.severity != "warning")
    return Preflight(
        counts=counts,
        tasks=tasks.table,
        findings=tuple(findings),
        notes=(*feedback.notes, *_matched(roster)),
        direction=feedback.direction,
    )
