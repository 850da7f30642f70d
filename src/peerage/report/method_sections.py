"""Other methods beside the one used, and where staff should look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from peerage.report.links import Links, links_of
from peerage.report.markup import number, percent
from peerage.report.tables import Column, column, table

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

MOST = 200  # rows of disagreement in a large class


def method_tables(result: GradingResult, links: Links | None = None) -> str:
    """A summary of the methods, and the items on whose rank they differ most."""
    return "\n".join([_summary(result), "<h3>Where they disagree</h3>", _disagreement(result, links)])


def _summary(result: GradingResult) -> str:
    rows = result.comparison.summary.to_dicts()
    return table(
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
    ranks = ranks.sort("gap", descending=True, maintain_order=True).head(MOST)
    columns = [column("Item", ranks["item"], "label", links_of(ranks, links))]
    if result.feedback.n_tasks > 1:
        columns.append(column("Task", ranks["task"]))
    columns.append(column("Widest gap", map(str, ranks["gap"]), "number"))
    columns += [column(code, map(str, ranks[code]), "number") for code in codes]
    left = len(result.comparison.ranks) - len(ranks)
    which = (
        f"The {len(ranks)} items whose rank depends most" if left else "How the rank of every item depends"
    )
    return table("ranks", f"{which} on the method", columns, full="results.json")


def staff_tables(result: GradingResult, links: Links | None = None, *, anonymous: bool) -> str:
    """Items to grade, pairs to compare, reviews to ask for."""
    parts = [_items(result, links), _pairs(result, links)]
    if not anonymous:  # numbers that nobody can look up ask nobody for a review
        parts.append(_reviews(result, links))
    return "\n".join(part for part in parts if part) or "<p>Nothing stands out.</p>"


def _task(result: GradingResult, frame: pl.DataFrame) -> list[Column]:
    return [column("Task", frame["task"])] if result.feedback.n_tasks > 1 else []


def _items(result: GradingResult, links: Links | None) -> str:
    frame = result.staff_list
    if frame.is_empty():
        return ""
    gain = "Wrong letters put right" if result.letters is not None else "Places put right"
    return "<h3>Work to grade</h3>" + table(
        "staff-items",
        "Items whose staff grade is expected to help most, in order",
        [
            column("Item", frame["item"], "label", links_of(frame, links)),
            *_task(result, frame),
            column("Rank", map(str, frame["rank"]), "number"),
            column(gain, (number(v, 2) for v in frame["expected_gain"]), "number"),
            column("Left in the class after", (number(v, 1) for v in frame["left_after"]), "number"),
        ],
        tools=False,
    )


def _pairs(result: GradingResult, links: Links | None) -> str:
    frame = result.pairs_list
    if frame.is_empty():
        return ""
    return "<h3>Pairs to compare</h3>" + table(
        "staff-pairs",
        "Pairs that most likely stand the wrong way round",
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


def _reviews(result: GradingResult, links: Links | None) -> str:
    frame = result.next_reviews
    if frame.is_empty():
        return ""
    return "<h3>Reviews to ask for</h3>" + table(
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
