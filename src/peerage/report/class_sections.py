"""The tables of grades and of graders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.report.grader_plot import FLAGS, flag_words
from peerage.report.links import Links, links_of
from peerage.report.markup import digits_for, interval, number, percent
from peerage.report.tables import Column, Table, column, ends_of

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult


FIRM = "\N{NO-BREAK SPACE}"


def grade_table(result: GradingResult, links: Links | None = None) -> Table:
    """Every item with its grade and how sure it is."""
    items, total = ends_of(result.items)
    columns = [column("Item", items["item"], "label", links_of(items, links))]
    if result.feedback.n_tasks > 1:
        columns.append(column("Task", items["task"]))
    columns += [  # what is handed out comes first: a phone shows two or three columns
        *_letters(items),
        *_measured(items, "points"),
        column("Rank", map(str, items["rank"]), "number"),
        column("Likely rank", _intervals(items, "rank"), "number"),
        *_staff(items),
        *_plain(items),
        *_scores(result, items),
        column("Reviews", map(str, items["reviews"]), "number"),
        column("Step", map(str, items["step"]), "number"),
    ]
    level = f"{100 * result.interval:.0f} %"
    caption = f"Grades, best first. “Likely” columns are {level} intervals."
    return Table("grades", caption, columns, full="grades.csv", total=total)


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
    known = {"mean_score": "Plain mean", "mean_rank": "Mean rank"}
    return [
        column(heading, (number(v, 2) for v in items[name]), "number")
        for name, heading in known.items()
        if name in items.columns
    ]


def _letters(items: pl.DataFrame) -> list[Column]:
    if "letter" not in items.columns:
        return []
    chances = (one.replace(" ", FIRM).replace(";" + FIRM, "; ") for one in items["letter_probabilities"])
    return [column("Letter", items["letter"]), column("Chances", chances)]


def _measured(items: pl.DataFrame, name: str) -> list[Column]:
    """A measure with its interval, with as many decimals as its spread deserves."""
    if name not in items.columns or items[name].null_count() == len(items):
        return []
    spread = float(items[name].max() - items[name].min())  # type: ignore[operator, arg-type]
    digits = digits_for(spread)
    return [
        column(name.capitalize(), (number(v, digits) for v in items[name]), "number"),
        column(f"Likely {name}", _intervals(items, name, digits), "number"),
    ]


def _intervals(frame: pl.DataFrame, name: str, digits: int = 0) -> Iterator[str]:
    ends = zip(frame[f"{name}_low"], frame[f"{name}_high"], strict=True)
    return (interval(low, high, digits) for low, high in ends)


def grader_table(result: GradingResult, names: list[str]) -> Table:
    """Graders, those to talk to first: what is known of each and on how much evidence."""
    rank = pl.col("flag").replace_strict({flag: k for k, flag in enumerate(FLAGS)}, default=len(FLAGS))
    graders = result.graders.with_columns(name=pl.Series(names)).sort(
        rank, "quality_mark", "check_agreement", "name", nulls_last=True
    )
    rated, listed = graders["reliability"].n_unique() > 1, graders["lists"].n_unique() > 1
    graders, total = ends_of(graders)
    columns = [
        column("Grader", graders["name"], "label"),
        column("Finding", map(flag_words, graders["flag"])),
        column("Mark", (number(v) for v in graders["quality_mark"]), "number"),
        *(_reliability(graders) if rated else []),
        column("Agrees", map(percent, graders["check_agreement"]), "number"),
        column(
            "Likely",
            (
                _shares(low, high)
                for low, high in zip(graders["check_low"], graders["check_high"], strict=True)
            ),
            "number",
        ),
        column("Pairs", map(str, graders["strict_pairs"]), "number"),
        column("Reviews", map(str, graders["reviews"]), "number"),
        *([column("Lists", map(str, graders["lists"]), "number")] if listed else []),
        *_cardinal(graders),
    ]
    caption = "Graders: those to talk to first, then by mark from the lowest."
    return Table("graders", caption, columns, full="graders.csv", cut_in_print=True, total=total)


def _reliability(graders: pl.DataFrame) -> list[Column]:
    return [
        column("Reliability", (number(v, 2) for v in graders["reliability"]), "number"),
        column("Likely reliability", _intervals(graders, "reliability", 2), "number"),
        column("Percentile", (number(v) for v in graders["reliability_percentile"]), "number"),
    ]


def _shares(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{100 * low:.0f} to {100 * high:.0f} %"


def _cardinal(graders: pl.DataFrame) -> list[Column]:
    if "bias" not in graders.columns:
        return []
    return [
        column("Bias", (number(v, 2) for v in graders["bias"]), "number"),
        column("Spread", (number(v, 2) for v in graders["spread"]), "number"),
    ]
