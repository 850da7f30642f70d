"""The pre-flight: what an instructor should know about feedback before trusting any grade from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._display import as_html
from peerage._words import plural
from peerage.checking.coverage import (
    coverage_findings,
    measure_coverage,
    single_grader_findings,
    weak_link_findings,
)
from peerage.checking.findings import (
    FINDING_TEXTS,
    Finding,
    direction_findings,
    far_out_findings,
    item_findings,
    label_findings,
    misspelling_findings,
    score_scale,
    weighted_reviews,
)
from peerage.checking.graders import grader_findings, repeat_findings
from peerage.checking.order_effect import order_effect_findings
from peerage.checking.self_reviews import ReviewSelection, ownership_findings, select_reviews
from peerage.roster.container import MATCHED
from peerage.roster.input import read_input

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage._options import SelfReviews
    from peerage.feedback.choices import Direction
    from peerage.feedback.container import Feedback
    from peerage.reading.reading import Reading
    from peerage.roster.container import Roster
    from peerage.roster.reader import RosterSource

STEPS = 6  # how often `check` calls `on_step`


def check(
    feedback: Feedback | Any,
    owners: RosterSource | None = None,
    *,
    min_reviews: int = 3,
    self_reviews: SelfReviews = "drop",
    on_step: Callable[[str], None] = lambda step: None,
) -> Preflight:
    """Look for everything that would make grades from this feedback weak or unfair.

    Parameters
    ----------
    feedback : a Feedback, or a file or table that :func:`peerage.read` can read without being told more.
    owners : who made what: a roster, see :func:`peerage.read_roster`, as such or as a file or table.
    min_reviews : items with fewer reviews than this are reported.
    self_reviews : "drop" reviews of one's own work, as grading does, or "keep" them: everything is counted of
        what will be graded.
    on_step : called with the name of each step before it starts, to show progress.
    """
    source = read_input(feedback, owners)
    roster = None if source.roster is None else source.roster.for_feedback(source.feedback)
    selection = select_reviews(source.feedback, roster, self_reviews)
    return check_selection(selection, roster, min_reviews=min_reviews, on_step=on_step)


def check_selection(
    selection: ReviewSelection,
    roster: Roster | None,
    *,
    min_reviews: int = 3,
    on_step: Callable[[str], None] = lambda step: None,
) -> Preflight:
    """The same where reviews of own work have been looked for already."""
    feedback = selection.feedback
    on_step("counting")
    counts = count_feedback(feedback)
    on_step("following comparisons from item to item")
    coverage = measure_coverage(feedback)
    findings = coverage_findings(feedback, coverage)
    findings += weak_link_findings(feedback, roster)
    on_step("looking at items")
    findings += item_findings(feedback, min_reviews)
    findings += far_out_findings(feedback)
    findings += direction_findings(feedback)
    findings += label_findings(feedback)
    findings += misspelling_findings(feedback, roster)
    on_step("looking at graders")
    findings += single_grader_findings(feedback)
    findings += grader_findings(feedback)
    findings += order_effect_findings(feedback)
    on_step("looking for repeated judgements")
    findings += repeat_findings(feedback)
    on_step("looking at who graded whose work")
    findings += ownership_findings(feedback, roster, selection)
    findings = [finding for finding in findings if len(finding.cases)]
    findings.sort(key=lambda finding: finding.severity != "warning")
    return Preflight(
        counts=counts,
        tasks=coverage.table,
        findings=tuple(findings),
        notes=(*feedback.notes, *_matching_notes(roster)),
        direction=feedback.direction,
        reading=feedback.reading,
        sentences=feedback.sentences,
    )


def _matching_notes(roster: Roster | None) -> tuple[str, ...]:
    """What was assumed so that roster and feedback are about the same people."""
    notes = () if roster is None else roster.notes
    return tuple(note for note in notes if note.startswith(MATCHED))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Preflight:
    """The result of :func:`peerage.check`.

    ``reading`` is how the file was read, ``sentences`` the same in words; where no file was read, there are
    none.
    """

    counts: Counts
    tasks: pl.DataFrame
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    direction: Direction | None = None
    reading: Reading | None = None
    sentences: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts, others = self.counts, len(self.findings) - len(self.warnings)
        return (
            f"<Preflight: {plural(counts.reviews, 'review')} of {plural(counts.items, 'item')} by"
            f" {plural(counts.graders, 'grader')}; {plural(len(self.warnings), 'warning')},"
            f" {plural(others, 'remark')}>"
        )

    def _repr_html_(self) -> str:
        rows = [[getattr(finding, name) for name in FINDING_TEXTS[1:]] for finding in self.findings]
        table = pl.DataFrame(rows, schema=list(FINDING_TEXTS[1:]), orient="row") if rows else None
        return as_html(repr(self).strip("<>"), table, self.notes)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that should be looked into before grading."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    def finding(self, code: str) -> Finding | None:
        """The finding of this code, if there is one."""
        return next((finding for finding in self.findings if finding.code == code), None)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "warnings": len(self.warnings),
            "counts": asdict(self.counts),
            "tasks": self.tasks.to_dicts(),
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": list(self.notes),
            "direction": None if self.direction is None else self.direction.to_dict(),
            "reading": None if self.reading is None else self.reading.to_dict(),
            "sentences": list(self.sentences),
        }


# -- how much feedback there is ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spread:
    """Smallest, middle, average and largest of some numbers."""

    least: float
    median: float
    mean: float
    most: float


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """The cardinal scores, where there are any."""

    least: float
    mean: float
    sd: float
    most: float


@dataclass(frozen=True, slots=True)
class Counts:
    """How much feedback there is, over all tasks.

    ``tied_share`` is the share of pairs listed together that the grader left tied; None without pairs.
    """

    kind: str
    tasks: int
    items: int
    graders: int
    lists: int
    reviews: int
    list_lengths: Spread
    reviews_per_item: Spread
    pairs: int
    tied_share: float | None
    scores: ScoreSummary | None


def count_feedback(feedback: Feedback) -> Counts:
    """How many lists, reviews and pairs there are, and how they are spread."""
    lengths = feedback.list_lengths
    pairs = int((lengths * (lengths - 1) // 2).sum())
    strict = int(feedback.list_strict_pairs.sum())
    return Counts(
        kind=feedback.kind,
        tasks=feedback.n_tasks,
        items=feedback.n_items,
        graders=feedback.n_graders,
        lists=feedback.n_lists,
        reviews=feedback.n_entries,
        list_lengths=_spread(lengths),
        reviews_per_item=_spread(weighted_reviews(feedback)),
        pairs=pairs,
        tied_share=1 - strict / pairs if pairs else None,
        scores=_score_summary(feedback.scores),
    )


def _spread(numbers: NDArray[np.int64] | NDArray[np.float64]) -> Spread:
    if len(numbers) == 0:
        return Spread(0.0, 0.0, 0.0, 0.0)
    return Spread(
        float(numbers.min()), float(np.median(numbers)), float(numbers.mean()), float(numbers.max())
    )


def _score_summary(scores: NDArray[np.float64] | None) -> ScoreSummary | None:
    present = np.empty(0) if scores is None else scores[~np.isnan(scores)]
    if len(present) == 0:
        return None
    scale = score_scale(present)
    share = present / scale
    mean, sd = float(share.mean()) * scale, float(share.std()) * scale
    return ScoreSummary(float(present.min()), mean, sd, float(present.max()))
