"""How grades look on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from peerage._words import capitalised, plural
from peerage.cli._check_view import note_text
from peerage.cli._terminal import console
from peerage.grading.points import decimals

if TYPE_CHECKING:
    from rich.console import Console

    from peerage.grading.result import GradingResult

ENDS = 5  # items shown from the top and from the bottom of a task
SHOWN_TASKS = 3
SHOWN_GRADERS = 8
SHOWN_CASES = 3
EDGE = "*"  # beside points that lie at the end of their interval
PLAIN = {"mean_score": "Plain mean", "mean_rank": "Mean rank"}
ORDER = (
    "method",
    "criteria",
    "fit",
    "score",
    "points",
    "edges",
    "letters",
    "complete",
    "intervals",
    "steps",
    "best",
    "validity",
    "comparison",
    "self_reviews",
    "unreviewed",
)


def show(file: str, result: GradingResult, paths: list[str]) -> None:
    """Print the top, the bottom, and what the numbers mean."""
    screen = console()
    screen.print(Text(file, style="bold"))
    _reading(screen, result)
    if "chance" in result.sentences:
        screen.print(Padding(Text(result.sentences["chance"], style="bold yellow"), (0, 0, 1, 2)))
    _items(screen, result)
    _warnings(screen, result)
    _graders(screen, result)
    _attention(screen, result)
    _meaning(screen, result)
    for path in paths:
        screen.print(Text(f"wrote {path}", style="dim"), soft_wrap=True)
    for path in paths:
        if path.endswith("report.html"):
            screen.print(
                Text(f"Open {path} in a browser: it says all this, and more, with pictures."), soft_wrap=True
            )


def _reading(screen: Console, result: GradingResult) -> None:
    """How the file was read: whoever sees that it is wrong can say so."""
    preflight = result.preflight
    direction = [] if preflight.direction is None else [f"{capitalised(preflight.direction.text)}."]
    lines = [Text(sentence) for sentence in (*preflight.sentences, *direction)]
    for line in (*lines, *map(note_text, preflight.notes)):
        screen.print(Padding(line, (0, 0, 0, 2)))


def _items(screen: Console, result: GradingResult) -> None:
    tasks = result.items["task"].unique(maintain_order=True)
    for task in tasks.head(SHOWN_TASKS):
        rows = result.items.filter(pl.col("task") == task)
        title = f"Task {task}" if len(tasks) > 1 else None
        screen.print(_item_table(rows, title, result))
    if len(tasks) > SHOWN_TASKS:
        screen.print(f"… and {len(tasks) - SHOWN_TASKS:,} more tasks, all in grades.csv and results.json.")


def _item_table(rows: pl.DataFrame, title: str | None, result: GradingResult) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    level = f"{100 * result.interval:.0f} %"
    table.add_column("Rank", justify="right", no_wrap=True)
    table.add_column(f"({level})", no_wrap=True, style="dim")
    table.add_column("Item", overflow="fold")
    table.add_column("Score", justify="right", no_wrap=True)
    if "points" in rows.columns:
        table.add_column("Points", justify="right", no_wrap=True)
        table.add_column(f"({level})", no_wrap=True, style="dim")
    elif "letter" not in rows.columns:
        table.add_column("Percentile", justify="right", no_wrap=True)
        table.add_column(f"({level})", no_wrap=True, style="dim")
    if "completion" in rows.columns:
        table.add_column("Grade", no_wrap=True)
    if "letter" in rows.columns:
        table.add_column("Letter", overflow="fold")
    elif (plain := _plain(rows.columns)) and "completion" not in rows.columns:
        table.add_column(PLAIN[plain], justify="right", no_wrap=True, style="dim")
    table.add_column("Reviews", justify="right", no_wrap=True)
    points = result.items["points"] if "points" in rows.columns else pl.Series([0.0])
    digits = decimals(float(points.max() - points.min()))  # type: ignore[operator, arg-type]
    cut = len(rows) > 2 * ENDS + 1
    shown = pl.concat([rows.head(ENDS), rows.tail(ENDS)]) if cut else rows
    for number, row in enumerate(shown.iter_rows(named=True)):
        if cut and number == ENDS:
            table.add_row("…", "", f"{len(rows) - 2 * ENDS:,} more")
        table.add_row(*_cells(row, digits))
    return table


def _plain(names: Iterable[str]) -> str | None:
    """The column with the sum that anybody can check; letters need its room."""
    return next((name for name in PLAIN if name in names), None)


def _cells(row: dict[str, Any], digits: int) -> list[Text]:
    cells = [
        f"{row['rank']:,}",
        f"{row['rank_low']:,}–{row['rank_high']:,}",
        row["item"],
        f"{row['score']:z.2f}",
    ]
    if "points" in row:
        span = f"{row['points_low']:.{digits}f}–{row['points_high']:.{digits}f}"
        cells += [f"{row['points']:.{digits}f}{EDGE if row['points_edge'] else ''}", span]
    elif "letter" not in row:
        cells += [f"{row['percentile']:.0f}", f"{row['percentile_low']:.0f}–{row['percentile_high']:.0f}"]
    if "completion" in row:
        cells.append(row["completion"])
    if "letter" in row:
        cells.append(row["letter_probabilities"].replace(" %", "%"))
    elif (plain := _plain(row)) and "completion" not in row:
        cells.append("" if row[plain] is None else f"{row[plain]:.2f}")
    return [Text(cell) for cell in [*cells, f"{row['reviews']:,}"]]


def _warnings(screen: Console, result: GradingResult) -> None:
    """What `peerage check` would warn of, in its words."""
    warnings = result.preflight.warnings
    if not warnings:
        return
    screen.print(Text(f"{plural(len(warnings), 'warning')} before you use them", style="bold yellow"))
    for warning in warnings:
        named = warning.examples(SHOWN_CASES)
        rest = len(warning.cases) - len(named)
        cases = f" ({', '.join(named)}{f' and {rest:,} more' if rest else ''})" if named else ""
        screen.print(Padding(Text(f"{warning.found.removesuffix('.')}{cases}."), (0, 0, 0, 2)))
    screen.print(
        Padding(Text("peerage check says what they mean and what to do.\n", style="dim"), (0, 0, 0, 2))
    )


def _graders(screen: Console, result: GradingResult) -> None:
    odd = result.graders.filter(pl.col("flag").is_in(["reversed", "chance", "ties"]))
    screen.print(Text("Graders", style="bold"))
    screen.print(Padding(Text(result.sentences["graders"]), (0, 0, 0, 2)))
    order = pl.col("flag").replace_strict({"reversed": 0, "chance": 1, "ties": 2})
    for row in (
        odd.sort(order, "check_agreement", "grader", nulls_last=True)
        .head(SHOWN_GRADERS)
        .iter_rows(named=True)
    ):
        screen.print(Padding(Text.assemble((row["grader"], "bold"), f": {row['flag_text']}"), (0, 0, 0, 2)))
    if len(odd) > SHOWN_GRADERS:
        screen.print(Padding(f"… and {len(odd) - SHOWN_GRADERS:,} more, in graders.csv.", (0, 0, 0, 2)))


def _attention(screen: Console, result: GradingResult) -> None:
    if "staff" not in result.sentences:
        return
    screen.print(Text("\nWhere staff should look", style="bold"))
    for name in ("disputed", "tails", "staff"):
        if name in result.sentences:
            screen.print(Padding(Text(result.sentences[name]), (0, 0, 0, 2)))


def _meaning(screen: Console, result: GradingResult) -> None:
    screen.print(Text("\nWhat the numbers mean", style="bold"))
    for name in ORDER:
        if name in result.sentences:
            mark = f"{EDGE} " if name == "edges" else ""
            screen.print(Padding(Text(mark + result.sentences[name] + _names(result, name)), (0, 0, 0, 2)))


def _names(result: GradingResult, sentence: str) -> str:
    """Who is meant, where a sentence that reports share names nobody."""
    if sentence != "self_reviews":
        return ""
    own = result.left_out.filter(pl.col("known_by") != "favours")
    pairs = [f"{grader} on {item}" for grader, item in own.select("grader", "item").iter_rows()]
    rest = len(pairs) - SHOWN_GRADERS
    more = f" and {rest:,} more, all in results.json" if rest > 0 else ""
    return f" They are {', '.join(pairs[:SHOWN_GRADERS])}{more}; --self keep counts them."
