"""How a pre-flight looks on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from peerage._words import plural
from peerage.checking.findings import Finding
from peerage.checking.preflight import Preflight
from peerage.cli._terminal import console

if TYPE_CHECKING:
    from rich.console import Console

    from peerage.checking.preflight import Spread

SHOWN_TASKS = 20
COLOURS = {"warning": "yellow", "info": "cyan"}


def show(file: str, preflight: Preflight, most_examples: int) -> None:
    """Print the tables, the findings and the verdict."""
    screen = console()
    for sentence in preflight.sentences:
        screen.print(Text(sentence))
    screen.print(_counts(file, preflight))
    if preflight.counts.tasks > 1:
        screen.print(_tasks(preflight))
    for note in preflight.notes:
        screen.print(note_text(note))
    if preflight.findings:
        screen.print(_findings(preflight.findings, most_examples))
    _verdict(screen, preflight)


def note_text(note: str) -> Text:
    """A note on the file, as a line."""
    return Text.assemble(("Note: ", "bold"), note)


def _counts(file: str, preflight: Preflight) -> Table:
    counts = preflight.counts
    table = Table(title=Text(file, style="bold"), title_justify="left", box=ROUNDED, show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    many_tasks = f" in {plural(counts.tasks, 'task')}" if counts.tasks > 1 else ""
    table.add_row("Feedback", _KINDS[counts.kind])
    if preflight.direction is not None:
        table.add_row("Direction", preflight.direction.text)
    table.add_row("Items", f"{counts.items:,}{many_tasks}")
    table.add_row("Graders", f"{counts.graders:,}")
    table.add_row("Reviews", f"{counts.reviews:,} in {plural(counts.lists, 'list')}")
    table.add_row("List length", _spread(counts.list_lengths))
    table.add_row("Reviews per item", _spread(counts.reviews_per_item))
    if counts.scores is not None:
        scores = counts.scores
        table.add_row(
            "Scores", f"{scores.least:g} to {scores.most:g}, mean {scores.mean:.2f}, sd {scores.sd:.2f}"
        )
    tied = "no pairs" if counts.tied_share is None else f"{_share(counts.tied_share)} of the pairs in lists"
    table.add_row("Ties", tied)
    _add_coverage(table, preflight)
    return table


_KINDS = {
    "orders": "rankings",
    "pairs": "pairwise choices",
    "scores": "scores, which also give each grader's ranking",
    "orders+scores": "rankings, and scores of their own",
}


def _add_coverage(table: Table, preflight: Preflight) -> None:
    tasks = preflight.tasks
    seen, possible = int(tasks["pairs_seen"].sum()), int(tasks["pairs_possible"].sum())
    if possible:
        bound = "" if tasks["pairs_exact"].all() else "at most "
        table.add_row(
            "Pairs compared", f"{bound}{_share(seen / possible)} of the {possible:,} possible ({seen:,})"
        )
    if len(tasks) == 1:
        row = tasks.row(0, named=True)
        table.add_row("Held together", _connection(row))


def _connection(row: dict[str, Any]) -> str:
    if row["components"] > 1:
        largest = plural(row["largest_component"], "item")
        return f"no: {row['components']:,} separate parts, the largest of {largest}"
    if row["strong_components"] > 1:
        return (
            f"yes, by comparisons from item to item; in both directions for"
            f" {row['largest_strong_component']:,} of {plural(row['items'], 'item')}"
        )
    return "yes, by comparisons in both directions"


def _tasks(preflight: Preflight) -> Table:
    table = Table(title="Tasks", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("Task", overflow="fold")
    for name in ("Items", "Lists", "Reviews", "Pairs seen", "Parts", "Levels"):
        table.add_column(name, justify="right")
    for row in preflight.tasks.head(SHOWN_TASKS).iter_rows(named=True):
        share = row["pairs_share"]
        table.add_row(
            Text(row["task"]),
            *(f"{row[name]:,}" for name in ("items", "lists", "reviews")),
            "–" if share is None else ("" if row["pairs_exact"] else "≤ ") + _share(share),
            f"{row['components']:,}",
            f"{row['strong_components']:,}",
        )
    hidden = len(preflight.tasks) - SHOWN_TASKS
    caption = (
        "Parts: sets of items never compared with each other. Levels: sets that never lose to a lower one."
    )
    table.caption = f"… and {plural(hidden, 'more task', 'more tasks')}. {caption}" if hidden > 0 else caption
    table.caption_justify = "left"
    return table


def _findings(findings: tuple[Finding, ...], most_examples: int) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, justify="right")
    table.add_column(overflow="fold")
    for finding in findings:
        table.add_row()
        mark = Text(finding.severity, style=f"bold {COLOURS[finding.severity]}")
        table.add_row(mark, Text(finding.found, style="bold"))
        if named := finding.examples(most_examples):
            rest = len(finding.cases) - len(named)
            table.add_row(_aside("namely"), Text(", ".join(named) + (f" and {rest:,} more" if rest else "")))
        table.add_row(_aside("means"), Text(finding.means))
        table.add_row(_aside("do"), Text(finding.advice))
    table.add_row()
    return table


def _aside(word: str) -> Text:
    return Text(word, style="dim")


def _verdict(screen: Console, preflight: Preflight) -> None:
    warnings = len(preflight.warnings)
    remarks = len(preflight.findings) - warnings
    rest = f", {plural(remarks, 'remark')}" if remarks else ""
    if warnings:
        them = "it" if warnings == 1 else "them"
        text = Text(f"{plural(warnings, 'warning')}{rest}: look into {them} first.", style="bold yellow")
    else:
        text = Text(f"No warnings{rest}: ready to be graded.", style="bold green")
    screen.print(text)


def _spread(numbers: Spread) -> str:
    if numbers.least == numbers.most:
        return f"{numbers.least:,g} each"
    return f"{numbers.least:,g} to {numbers.most:,g}, median {numbers.median:,g}, mean {numbers.mean:,.2f}"


def _share(share: float) -> str:
    """A percentage, with decimals where it is small."""
    return f"{share:.0%}" if share == 0 or share >= 0.1 else f"{share:.2%}"
