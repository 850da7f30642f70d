"""The pre-flight: what an instructor should know about feedback before trusting any grade from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage.checking.counts import Counts, Spread, count
from peerage.checking.coverage import coverage, coverage_findings
from peerage.checking.graders import grader_findings
from peerage.checking.items import item_findings
from peerage.checking.ownership import ownership_findings
from peerage.checking.pairs import pair_blocks
from peerage.checking.repeats import repeat_findings
from peerage.checking.report import Finding, Preflight
from peerage.checking.roster import Roster, read_roster
from peerage.checking.tables import owner_columns

if TYPE_CHECKING:
    import polars as pl

    from peerage.feedback import Feedback

__all__ = [
    "STEPS",
    "Counts",
    "Finding",
    "Preflight",
    "Roster",
    "Spread",
    "check",
    "pair_blocks",
    "read_roster",
    "roster_of_reviews",
]

STEPS = 6  # how often `check` calls `on_step`


def check(
    feedback: Feedback,
    owners: Roster | pl.DataFrame | str | Path | None = None,
    *,
    min_reviews: int = 3,
    on_step: Callable[[str], None] = lambda step: None,
) -> Preflight:
    """Look for everything that would make grades from this feedback weak or unfair.

    Parameters
    ----------
    owners : who made what: a file or table with a column ``student`` and ``item`` or ``group`` or both.
    min_reviews : items with fewer reviews than this are reported.
    on_step : called with the name of each step before it starts, to show progress.
    """
    on_step("counting")
    roster = owners if owners is None or isinstance(owners, Roster) else read_roster(owners)
    counts = count(feedback)
    on_step("following comparisons from item to item")
    tasks = coverage(feedback)
    findings = coverage_findings(feedback, tasks)
    on_step("looking at items")
    findings += item_findings(feedback, min_reviews)
    on_step("looking at graders")
    findings += grader_findings(feedback)
    on_step("looking for repeated judgements")
    findings += repeat_findings(feedback)
    on_step("looking at who graded whose work")
    findings += ownership_findings(feedback, roster)
    findings.sort(key=lambda finding: finding.severity != "warning")
    return Preflight(counts=counts, tasks=tasks.table, findings=tuple(findings), notes=feedback.notes)


def roster_of_reviews(
    source: str | Path | bytes, columns: Mapping[str, str], **options: Any
) -> Roster | None:
    """Who made what, from columns `owner` or `group` of the feedback file itself, where it has them.

    ``owner`` names the student or group that made the item, ``group`` the group of the grader.
    """
    reviews = owner_columns(source, columns, **options)
    return None if reviews is None else Roster.from_reviews(reviews)
