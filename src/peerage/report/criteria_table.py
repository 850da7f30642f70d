"""The criteria side by side: every item by all of them together, and by each on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage.report.markup import number, paragraphs
from peerage.report.tables import Table, column

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

DIGITS = 2


def criteria_table(result: GradingResult) -> str:
    """A score and a rank by every criterion; nothing where there is only one."""
    if not result.criteria:
        return ""
    items = result.items
    columns = [
        column("Item", items["item"], "label"),
        *([column("Task", items["task"])] if result.feedback.n_tasks > 1 else []),
        column("Rank", map(str, items["rank"]), "number"),
    ]
    for one in result.criteria:
        scores, ranks = items[one.column("score")], items[one.column("rank")]
        columns += [
            column(f"{one.name} (× {one.weight:g})", (number(v, DIGITS) for v in scores), "number"),
            column(f"Rank by {one.name}", ("" if v is None else str(v) for v in ranks), "number"),
        ]
    caption = (
        "By criterion, in the order of the grades: the score on the scale of each, and the rank by it alone."
    )
    table = Table("criteria", caption, columns, full="grades.csv")
    return f"<h3>By criterion</h3>{paragraphs(result.sentences.get('criteria'))}{table.html()}"
