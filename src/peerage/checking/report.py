"""What a pre-flight says: counts, one row per task, and findings with their cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from peerage._display import as_html
from peerage._words import plural

if TYPE_CHECKING:
    from peerage.checking.counts import Counts
    from peerage.feedback.choices import Direction
    from peerage.feedback.container import Feedback

Severity = Literal["info", "warning"]
_TEXTS = ("code", "severity", "found", "means", "advice")


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """One thing an instructor should know.

    Attributes
    ----------
    code : short name that never changes, for programs.
    found : what was found, with its number.
    means : what it means for the grades.
    advice : what to do about it.
    cases : one row per case, all of them.
    example : how a case is written in a sentence; None where `found` says it all.
    """

    code: str
    severity: Severity
    found: str
    means: str
    advice: str
    cases: pl.DataFrame
    example: Callable[[Mapping[str, Any]], str] | None = None

    def examples(self, most: int = 5) -> list[str]:
        """The first cases in words."""
        if self.example is None:
            return []
        return [self.example(row) for row in self.cases.head(most).iter_rows(named=True)]

    def to_dict(self) -> dict[str, Any]:
        """Everything, cases included, ready for JSON."""
        texts = {name: getattr(self, name) for name in _TEXTS}
        return {**texts, "count": len(self.cases), "cases": self.cases.to_dicts()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Preflight:
    """The result of :func:`peerage.check`."""

    counts: Counts
    tasks: pl.DataFrame
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    direction: Direction | None = None

    def __repr__(self) -> str:
        counts, others = self.counts, len(self.findings) - len(self.warnings)
        return (
            f"<Preflight: {plural(counts.reviews, 'review')} of {plural(counts.items, 'item')} by"
            f" {plural(counts.graders, 'grader')}; {plural(len(self.warnings), 'warning')},"
            f" {plural(others, 'remark')}>"
        )

    def _repr_html_(self) -> str:
        rows = [[getattr(one, name) for name in _TEXTS[1:]] for one in self.findings]
        table = pl.DataFrame(rows, schema=list(_TEXTS[1:]), orient="row") if rows else None
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
        }


def template(feedback: Feedback, text: str) -> Callable[[Mapping[str, Any]], str]:
    """How to write a case; its task is named only where there are several."""
    return (f"{text} in task {{task}}" if feedback.n_tasks > 1 else text).format_map


def item_cases(feedback: Feedback, items: Any, **columns: Any) -> pl.DataFrame:
    """One row per item number, with its task and label."""
    return pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks[items]),
            "item": feedback.item_labels.gather(items),
            **columns,
        }
    )
