"""Every criterion graded on its own, beside the grades of all together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from peerage.feedback.container import Criterion
    from peerage.grading.options import GradingOptions
    from peerage.grading.result import GradingResult

COLUMNS = ("score", "rank")  # of a criterion, in the table of grades


@dataclass(frozen=True, slots=True, eq=False)
class GradedCriterion:
    """A criterion, its weight, and the grades by it alone: scores on the graders' own scale of it."""

    name: str
    weight: float
    result: GradingResult

    def column(self, what: str) -> str:
        """What one of its columns is called in the table of grades."""
        return f"criterion_{self.name}_{what}"


def graded_criteria(
    criteria: Sequence[Criterion],
    options: GradingOptions,
    grade: Callable[[Criterion, GradingOptions], GradingResult],
    on_step: Callable[[str], None],
) -> tuple[GradedCriterion, ...]:
    """Grade each; scales, letters and staff grades are those of the whole."""
    plain = replace(
        options,
        scale=None,
        peer_scale=None,
        letters=None,
        compare=(),
        staff_budget=0,
        anchors_as_evidence=False,
    )
    found = []
    for one in criteria:
        on_step(f"grading {one.name} on its own")
        found.append(GradedCriterion(one.name, one.weight, grade(one, plain)))
    return tuple(found)


def with_criteria(items: pl.DataFrame, criteria: Sequence[GradedCriterion]) -> pl.DataFrame:
    """The table of grades with a score and a rank by every criterion."""
    for one in criteria:
        wanted = [pl.col(what).alias(one.column(what)) for what in COLUMNS]
        part = one.result.items.select("task", "item", *wanted)
        items = items.join(part, on=["task", "item"], how="left", maintain_order="left")
    return items


def criteria_sentence(criteria: Sequence[GradedCriterion]) -> str:
    """How they were put together."""
    weights = ", ".join(f"{one.name} {one.weight:g}" for one in criteria)
    return (
        f"Graded by {len(criteria)} criteria, with the weights {weights}: a review counts with the weighted"
        " mean of its scores. Each criterion was also graded on its own, on the scale graders used for it."
    )
