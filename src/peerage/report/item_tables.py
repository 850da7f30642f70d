"""Tables of items: grades, criteria, what other methods say of them, and where staff should look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.grading.points import decimals
from peerage.report.page import Links, links_of, number, paragraphs, percent
from peerage.report.tables import (
    Column,
    HtmlTable,
    column,
    ends_of,
    fit_columns,
    html_table,
    interval_cells,
)

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

FIRM = "\N{NO-BREAK SPACE}"
MOST_DISAGREEMENTS = 200  # rows of disagreement in a large class


def grade_table(result: GradingResult, links: Links | None = None) -> HtmlTable:
    """Every item with its grade and how sure it is."""
    items, total = ends_of(result.items)
    columns = [column("Item", items["item"], "label", links_of(items, links))]
    if result.feedback.n_tasks > 1:
        columns.append(column("Task", items["task"]))
    columns += [  # what is handed out comes first: a phone shows two or three columns
        *_letters(items),
        *([column("Grade", items["completion"])] if "completion" in items.columns else []),
        *_measured(items, "points"),
        *_points_at_an_end(items),
        column("Rank", map(str, items["rank"]), "number"),
        column("Likely rank", interval_cells(items, "rank"), "number"),
        *([] if "points" in items.columns else _measured(items, "percentile", digits=0)),
        *_staff(items),
        *_plain(items),
        *_scores(result, items),
        column("Reviews", map(str, items["reviews"]), "number"),
        column("Step", map(str, items["step"]), "number"),
        *fit_columns(items),
    ]
    level = f"{100 * result.interval:.0f} %"
    caption = f"Grades, by rank. “Likely” columns are {level} intervals."
    return HtmlTable("grades", caption, columns, full="grades.csv", total=total)


def _staff(items: pl.DataFrame) -> list[Column]:
    if "staff" not in items.columns:
        return []
    return [column("Staff", (number(v, 2) for v in items["staff"]), "number")]


def _scores(result: GradingResult, items: pl.DataFrame) -> list[Column]:
    """Beside points, whose interval says all, the score alone: the table must fit on a screen."""
    if not _scores_tell(result):
        return []
    both = _measured(items, "score")
    return both[:1] if "points" in items.columns else both


def _scores_tell(result: GradingResult) -> bool:
    """Not where a method only puts items in order, nor where points are the scores themselves."""
    items = result.items
    if result.fitted.score_scale == "rank":
        return False
    return "points" not in items.columns or not np.allclose(items["points"], items["score"], atol=0.005)


def _plain(items: pl.DataFrame) -> list[Column]:
    """The sum that anybody can check."""
    headings = {"mean_score": "Plain mean", "mean_rank": "Mean rank"}
    return [
        column(heading, (number(v, 2) for v in items[name]), "number")
        for name, heading in headings.items()
        if name in items.columns
    ]


def _letters(items: pl.DataFrame) -> list[Column]:
    if "letter" not in items.columns:
        return []
    cells = (
        chances.replace(" ", FIRM).replace(";" + FIRM, "; ") for chances in items["letter_probabilities"]
    )
    return [column("Letter", items["letter"]), column("Chances", cells)]


def _points_at_an_end(items: pl.DataFrame) -> list[Column]:
    """Which end of the scale or of their interval points lie at, where some do."""
    if "points_edge" not in items.columns or items["points_edge"].null_count() == len(items):
        return []
    return [column("Points are at the", (edge or "" for edge in items["points_edge"]))]


def _measured(items: pl.DataFrame, name: str, digits: int | None = None) -> list[Column]:
    """A measure with its interval, with as many decimals as its spread deserves."""
    if name not in items.columns or items[name].null_count() == len(items):
        return []
    spread = float(items[name].max() - items[name].min())  # type: ignore[operator, arg-type]
    digits = decimals(spread) if digits is None else digits
    return [
        column(name.capitalize(), (number(v, digits) for v in items[name]), "number"),
        column(f"Likely {name}", interval_cells(items, name, digits), "number"),
    ]


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
    for criterion in result.criteria:
        scores, ranks = items[criterion.column("score")], items[criterion.column("rank")]
        columns += [
            column(f"{criterion.name} (× {criterion.weight:g})", (number(v, 2) for v in scores), "number"),
            column(f"Rank by {criterion.name}", ("" if v is None else str(v) for v in ranks), "number"),
        ]
    caption = (
        "By criterion, in the order of the grades: the score on the scale of each, and the rank by it alone."
    )
    table = HtmlTable("criteria", caption, columns, full="grades.csv")
    return f"<h3>By criterion</h3>{paragraphs(result.sentences.get('criteria'))}{table.html()}"


# -- other methods --------------------------------------------------------------------------------------


def method_tables(result: GradingResult, links: Links | None = None) -> str:
    """A summary of the methods, and the items on whose rank they differ most."""
    return "\n".join([_method_summary(result), "<h3>Where they disagree</h3>", _disagreement(result, links)])


def _method_summary(result: GradingResult) -> str:
    rows = result.comparison.summary.to_dicts()
    return html_table(
        "methods",
        f"Other methods beside {result.method.code}",
        [
            column("Method", (row["method"] for row in rows), "label"),
            column("What it is", (row["what"] for row in rows)),
            column("Pairs ordered otherwise",
                   ("" if row["tau_error"] is None else f"{row['tau_error']:.1f} %" for row in rows),
                   "number"),
            column("Mean move, places", (number(row["mean_move"], 1) for row in rows), "number"),
            column("Largest move", (str(row["largest_move"]) for row in rows), "number"),
            column("Item that moves most", (row["item"] for row in rows)),
        ],
        tools=False,
    )  # fmt: skip


def _disagreement(result: GradingResult, links: Links | None) -> str:
    codes = list(result.comparison.codes)
    gap = pl.max_horizontal(codes) - pl.min_horizontal(codes)
    ranks = result.comparison.ranks.with_columns(gap=gap)
    ranks = ranks.sort("gap", descending=True, maintain_order=True).head(MOST_DISAGREEMENTS)
    columns = [column("Item", ranks["item"], "label", links_of(ranks, links))]
    if result.feedback.n_tasks > 1:
        columns.append(column("Task", ranks["task"]))
    columns.append(column("Widest gap", map(str, ranks["gap"]), "number"))
    columns += [column(code, map(str, ranks[code]), "number") for code in codes]
    left = len(result.comparison.ranks) - len(ranks)
    which = (
        f"The {len(ranks)} items whose rank depends most" if left else "How the rank of every item depends"
    )
    return html_table("ranks", f"{which} on the method", columns, full="results.json")


# -- where staff should look ----------------------------------------------------------------------------


def staff_tables(result: GradingResult, links: Links | None = None, *, anonymous: bool) -> str:
    """Items to grade, pairs to compare, reviews to ask for."""
    parts = [_staff_items(result, links), _staff_pairs(result, links)]
    if not anonymous:  # numbers that nobody can look up ask nobody for a review
        parts.append(_next_reviews(result, links))
    return "\n".join(part for part in parts if part) or "<p>Nothing stands out.</p>"


def _task(result: GradingResult, frame: pl.DataFrame) -> list[Column]:
    return [column("Task", frame["task"])] if result.feedback.n_tasks > 1 else []


def _staff_items(result: GradingResult, links: Links | None) -> str:
    frame = result.staff_list
    if frame.is_empty():
        return ""
    gain = "Wrong letters put right" if result.letters is not None else "Places put right"
    return "<h3>Work to grade</h3>" + html_table(
        "staff-items",
        "Items whose staff grade is expected to help most, in order",
        [
            column("Item", frame["item"], "label", links_of(frame, links)),
            *_task(result, frame),
            column("Rank", map(str, frame["rank"]), "number"),
            column(gain, (number(v, 2) for v in frame["expected_gain"]), "number"),
            column("Left in the class after", (number(v, 1) for v in frame["left_after"]), "number"),
            *([column("Why", map(_why, frame["disputed"]))] if frame["disputed"].sum() else []),
        ],
        tools=False,
    )


def _why(disputed: int) -> str:
    return "disputed" if disputed else "in doubt"


def _staff_pairs(result: GradingResult, links: Links | None) -> str:
    frame = result.pairs_list
    if frame.is_empty():
        return ""
    return "<h3>Pairs to compare</h3>" + html_table(
        "staff-pairs",
        "Pairs that may stand the wrong way round",
        [
            column("Item", frame["item"], "label", links_of(frame, links)),
            column("Beside", frame["other"]),
            *_task(result, frame),
            column(
                "Ranks",
                (f"{a} and {b}" for a, b in zip(frame["rank"], frame["other_rank"], strict=True)),
                "number",
            ),
            column("Chance the first is better", map(percent, frame["chance_above"]), "number"),
        ],
        tools=False,
    )


def _next_reviews(result: GradingResult, links: Links | None) -> str:
    frame = result.next_reviews
    if frame.is_empty():
        return ""
    return "<h3>Reviews to ask for</h3>" + html_table(
        "next-reviews",
        "One more review each, by reliable graders who have not seen the item",
        [
            column("Item", frame["item"], "label", links_of(frame, links)),
            *_task(result, frame),
            column("Grader", frame["grader"]),
            column("Places in doubt", (number(v, 1) for v in frame["places_in_doubt"]), "number"),
        ],
        tools=False,
    )
