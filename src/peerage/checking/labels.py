"""Labels that may be one person or one item, written in several ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from peerage._naming import named
from peerage._words import plural
from peerage.checking.report import Finding
from peerage.feedback.labels import group_spellings

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback


def label_findings(feedback: Feedback) -> list[Finding]:
    """Graders, and items of a task, that differ in nothing but case, blanks or Unicode form."""
    cases = [("grader", group) for group in group_spellings(feedback.grader_labels)]
    for task in range(feedback.n_tasks):
        low, high = (int(edge) for edge in feedback.task_starts[task : task + 2])
        cases += [("item", group) for group in group_spellings(feedback.item_labels[low:high])]
    if not cases:
        return []
    return [
        Finding(
            code="labels-alike",
            severity="warning",
            found=f"{plural(len(cases), 'name')} may be written in several ways.",
            means=(
                "Labels that differ in nothing but case, blanks or Unicode form count as different: one"
                " person would be two graders, and one work two items with half of the reviews each."
            ),
            advice=(
                f"If they are the same, join them with {named('ids', 'fold')}; if not, there is nothing"
                " to do."
            ),
            cases=pl.DataFrame(
                {
                    "what": [what for what, _ in cases],
                    "labels": [" and ".join(map(repr, group)) for _, group in cases],
                }
            ),
            example="{what} {labels}".format_map,
        )
    ]
