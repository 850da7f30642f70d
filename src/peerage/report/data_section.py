"""What was asked of the data, and how good it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._words import capitalised, plural
from peerage.report.markup import number, paragraphs, prose, share_of, text
from peerage.report.tables import column, table

if TYPE_CHECKING:
    from peerage.checking.findings import Finding
    from peerage.checking.preflight import Counts, Preflight, Spread
    from peerage.grading.result import GradingResult

_ASKED = {
    "orders": "Graders put items in order, best first; ties were allowed.",
    "pairs": "Graders compared two items at a time and said which is better.",
    "scores": "Graders gave scores; the order of the items follows from them.",
    "orders+scores": "Graders put items in order and, separately, gave scores.",
}
MOST_TASKS = 40
MOST_LEFT_OUT = 200  # reviews that were not graded are listed, not only exemplified


def data_section(result: GradingResult, *, anonymous: bool) -> str:
    """Counts in words, then what the pre-flight found."""
    preflight = result.preflight
    findings = "\n".join(_finding(found, anonymous=anonymous) for found in preflight.findings)
    nothing = "<p>The pre-flight found nothing that needs a look.</p>"
    return "\n".join(
        [
            paragraphs(*counts_in_words(preflight.counts), *_direction(preflight)),
            "<h3>What the pre-flight found</h3>",
            _summary(result),
            f'<ul class="findings">{findings}</ul>' if findings else nothing,
            _notes(preflight.notes),
        ]
    )


def counts_in_words(counts: Counts) -> list[str]:
    """How much feedback there is."""
    tasks = f" over {plural(counts.tasks, 'task')}" if counts.tasks > 1 else ""
    sentences = [
        f"{_ASKED[counts.kind]} {plural(counts.graders, 'grader')} handed in"
        f" {plural(counts.lists, 'list')} with {plural(counts.reviews, 'review')} of"
        f" {plural(counts.items, 'item')}{tasks}.",
        f"A list has {_spread(counts.list_lengths, 'items')}; an item has"
        f" {_spread(counts.reviews_per_item, 'reviews')}. That makes {counts.pairs:,} comparisons of two"
        f" items{_tied(counts)}.",
    ]
    if counts.scores is not None:
        s = counts.scores
        sentences.append(
            f"Scores run from {s.least:g} to {s.most:g}, with a mean of {s.mean:.2f} and a standard deviation"
            f" of {s.sd:.2f}."
        )
    return sentences


def _direction(preflight: Preflight) -> list[str]:
    """Which way the numbers were read: whoever sees that it is wrong can say so."""
    if preflight.direction is None:
        return []
    return [f"{capitalised(preflight.direction.text)}."]


def _spread(spread: Spread, unit: str) -> str:
    if spread.least == spread.most:
        return f"{spread.least:g} {unit}"
    return f"{spread.least:g} to {spread.most:g} {unit} ({spread.mean:.1f} on average)"


def _tied(counts: Counts) -> str:
    return f", {share_of(counts.tied_share, 1)} of them ties" if counts.tied_share else ", none of them a tie"


def _summary(result: GradingResult) -> str:
    warnings, all_of = len(result.preflight.warnings), len(result.preflight.findings)
    if not all_of:
        return ""
    return f"<p>{plural(warnings, 'warning')} and {plural(all_of - warnings, 'note')}.</p>"


def _finding(found: Finding, *, anonymous: bool) -> str:
    """One finding; without names, cases about people are left out, as own work gives its maker away."""
    people = {"grader", "student"} & set(found.cases.columns)
    most = MOST_LEFT_OUT if found.code in ("own-work", "own-label") else 5
    examples = [] if anonymous and people else found.examples(most)
    more = len(found.cases) - len(examples)
    cases = ""
    if examples:
        tail = f" and {more:,} more" if more > 0 else ""
        cases = f'<p class="cases"><b>Cases:</b> {text("; ".join(examples))}{tail}.</p>'
    word = "Warning" if found.severity == "warning" else "Note"
    head = f'<h4><span class="badge">{word}</span> {prose(found.found)}</h4>'
    return (
        f'<li class="finding {found.severity}">{head}'
        f"<p>{prose(found.means)}</p><p><b>What to do:</b> {prose(found.advice)}</p>{cases}</li>"
    )


def _notes(notes: tuple[str, ...]) -> str:
    if not notes:
        return ""
    entries = "".join(f"<li>{text(note)}</li>" for note in notes)
    return f"<h3>Notes on the file</h3><ul>{entries}</ul>"


def coverage_table(result: GradingResult) -> str:
    """One row per task: how the comparisons hang together."""
    tasks = result.preflight.tasks.head(MOST_TASKS)
    rows = tasks.to_dicts()
    few = f" The first {MOST_TASKS} tasks." if result.feedback.n_tasks > MOST_TASKS else ""
    return table(
        "coverage-table",
        f"How the comparisons hang together.{few}",
        [
            column("Task", (str(row["task"]) for row in rows), "label"),
            column("Items", (str(row["items"]) for row in rows), "number"),
            column("Lists", (str(row["lists"]) for row in rows), "number"),
            column("Reviews", (str(row["reviews"]) for row in rows), "number"),
            column("Pairs compared", (str(row["pairs_seen"]) for row in rows), "number"),
            column(
                "Of all pairs",
                (
                    ("" if row["pairs_exact"] else "at most ") + share_of(row["pairs_share"] or 0.0, 1)
                    for row in rows
                ),
                "number",
            ),
            column("Separate parts", (str(row["components"]) for row in rows), "number"),
            column("Tiers", (number(row["strong_components"]) for row in rows), "number"),
        ],
        tools=False,
    )
