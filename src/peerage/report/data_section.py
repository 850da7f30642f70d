"""The data: what was asked, how good it is, and who was compared with whom.

Comparisons are drawn as a matrix in order of rank, which stays readable however large the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage._words import capitalised, plural
from peerage.checking.coverage import pair_blocks
from peerage.report.page import number, paragraphs, prose, share_of, text
from peerage.report.tables import column, html_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.checking.findings import Finding
    from peerage.checking.preflight import Counts, Preflight, Spread
    from peerage.grading.result import GradingResult

_ASKED = {
    "orders": "Graders put items in order, best first; ties were allowed.",
    "pairs": "Graders compared two items at a time and said which is better.",
    "scores": "Graders gave scores; the order of the items follows from them.",
    "orders+scores": "Graders put items in order and, separately, gave scores.",
}
MOST_TASKS = 40  # in the table of comparisons
MOST_LEFT_OUT = 200  # reviews that were not graded are listed, not only exemplified
EXACT = 80  # items up to which every pair has its own square
BINS = 50
DRAWN_TASKS = 4
MOST_PAIRS = 20_000_000  # comparisons beyond which the picture is left out
SIZES = (0.3, 0.5, 0.7, 0.9)  # of a square, by level: size tells what shade tells


def data_section(result: GradingResult, *, anonymous: bool) -> str:
    """Counts in words, then what the pre-flight found."""
    preflight = result.preflight
    findings = "\n".join(_finding(finding, anonymous=anonymous) for finding in preflight.findings)
    nothing = "<p>The pre-flight found nothing that needs a look.</p>"
    return "\n".join(
        [
            paragraphs(*counts_in_words(preflight.counts), *_direction(preflight)),
            "" if anonymous else _sentences(preflight.sentences),
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
        f"{_ASKED[counts.kind]} {plural(counts.graders, 'grader')} submitted"
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


def _sentences(sentences: tuple[str, ...]) -> str:
    """How the file was read, from real lines of it; they name graders."""
    if not sentences:
        return ""
    entries = "".join(f"<li>{text(sentence)}</li>" for sentence in sentences)
    return f"<h3>How the file was read</h3><ul>{entries}</ul>"


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


def _finding(finding: Finding, *, anonymous: bool) -> str:
    """One finding; without names, cases about people are left out, as own work gives its maker away."""
    people = {"grader", "student"} & set(finding.cases.columns)
    most = MOST_LEFT_OUT if finding.code in ("own-work", "own-label") else 5
    examples = [] if anonymous and people else finding.examples(most)
    more = len(finding.cases) - len(examples)
    cases = ""
    if examples:
        tail = f" and {more:,} more" if more > 0 else ""
        cases = f'<p class="cases"><b>Cases:</b> {text("; ".join(examples))}{tail}.</p>'
    word = "Warning" if finding.severity == "warning" else "Note"
    head = f'<h4><span class="badge">{word}</span> {prose(finding.found)}</h4>'
    return (
        f'<li class="finding {finding.severity}">{head}'
        f"<p>{prose(finding.means)}</p><p><b>What to do:</b> {prose(finding.advice)}</p>{cases}</li>"
    )


def _notes(notes: tuple[str, ...]) -> str:
    if not notes:
        return ""
    entries = "".join(f"<li>{text(note)}</li>" for note in notes)
    return f"<h3>Notes on the file</h3><ul>{entries}</ul>"


# -- who was compared with whom -------------------------------------------------------------------------


def coverage(result: GradingResult) -> str:
    """How the comparisons hang together: a table, and a matrix per task."""
    return coverage_table(result) + coverage_plots(result)


def coverage_table(result: GradingResult) -> str:
    """One row per task: how the comparisons hang together."""
    tasks = result.preflight.tasks.head(MOST_TASKS)
    rows = tasks.to_dicts()
    few = f" The first {MOST_TASKS} tasks." if result.feedback.n_tasks > MOST_TASKS else ""
    return html_table(
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
            column("Levels", (number(row["strong_components"]) for row in rows), "number"),
        ],
        tools=False,
    )


def pair_matrix(result: GradingResult, task: int) -> NDArray[np.float64]:
    """How often items were listed together, by rank; of a large task the share of pairs, in bins."""
    feedback = result.feedback
    low, high = (int(edge) for edge in feedback.task_starts[task : task + 2])
    n = high - low
    bins = n if n <= EXACT else BINS
    place = np.empty(n, dtype=np.int64)
    mine = result.order[(result.order >= low) & (result.order < high)]
    place[mine - low] = np.arange(n)
    where = place * bins // n
    part = feedback.for_task(task)
    counts = np.zeros((bins, bins))
    for first, second in pair_blocks(part):
        one, other = where[part.items[first]], where[part.items[second]]
        np.add.at(counts, (np.maximum(one, other), np.minimum(one, other)), 1.0)
    if bins == n:
        return counts
    sizes = np.bincount(where, minlength=bins).astype(float)
    possible = np.outer(sizes, sizes)
    np.fill_diagonal(possible, sizes * (sizes - 1) / 2)
    return np.asarray(counts / np.maximum(possible, 1))


def coverage_plots(result: GradingResult) -> str:
    """One matrix per task, up to a handful."""
    if result.preflight.counts.pairs > MOST_PAIRS:
        return "<p>There are too many comparisons to draw; the table above sums them up.</p>"
    tasks = range(min(result.feedback.n_tasks, DRAWN_TASKS))
    return f'<div class="matrices">{"".join(_matrix_figure(result, task) for task in tasks)}</div>'


def _matrix_figure(result: GradingResult, task: int) -> str:
    matrix = pair_matrix(result, task)
    n = len(matrix)
    size = int(np.diff(result.feedback.task_starts)[task])
    levels, names = _levels(matrix, exact=n == size)
    paths = "".join(
        f'<path class="level l{k}" d="{_squares(levels == k, SIZES[k - 1])}"/>'
        for k in range(1, len(names) + 1)
    )
    name = f"Task {result.feedback.task_labels[task]}: " if result.feedback.n_tasks > 1 else ""
    return (
        f'<figure class="matrix"><figcaption>{text(name + _matrix_caption(size, n))}</figcaption>'
        f'<svg viewBox="0 0 {n} {n}" role="img" aria-label="{text(name + _matrix_words(matrix, size))}">'
        f'<path class="field" d="M0 0V{n}H{n}Z"/>{paths}</svg>'
        f'<ul class="legend" aria-label="Squares">{_matrix_legend(names)}</ul></figure>'
    )


def _levels(matrix: NDArray[np.float64], *, exact: bool) -> tuple[NDArray[np.int64], list[str]]:
    if exact:
        names = ["once", "twice", "3 times", "4 times or more"]
        return np.minimum(matrix, 4).astype(np.int64), names
    top = float(matrix.max()) or 1.0
    names = [f"up to {100 * top * k / 4:.2g} % of the pairs" for k in (1, 2, 3, 4)]
    return np.ceil(4 * matrix / top).astype(np.int64), names


def _squares(cells: NDArray[np.bool_], side: float) -> str:
    """Squares of this side, in the middle of their cells; row by row."""
    gap = (1 - side) / 2
    rows, columns = np.nonzero(cells)
    return "".join(
        f"M{column + gap:.2f} {row + gap:.2f}h{side:g}v{side:g}h-{side:g}z"
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    )


def _matrix_caption(size: int, bins: int) -> str:
    if bins == size:
        return (
            "Every square is a pair of items that somebody ranked together; both sides run from the best"
            " item (top left) to the last. Larger is more often."
        )
    return (
        f"{size:,} items in {bins} steps of rank, the best at the top left; a square is the share of pairs"
        " of two steps that somebody ranked together. Larger is more often."
    )


def _matrix_words(matrix: NDArray[np.float64], size: int) -> str:
    filled = np.count_nonzero(np.tril(matrix))
    cells = len(matrix) * (len(matrix) + (-1 if len(matrix) == size else 1)) // 2
    share = 100 * filled / cells if cells else 0.0
    return f"Matrix of comparisons between {size:,} items by rank; {share:.0f} % of its squares are filled."


def _matrix_legend(names: list[str]) -> str:
    return "".join(
        f'<li><svg class="key" viewBox="0 0 1 1" width="14" height="14" aria-hidden="true">'
        f'<path class="level l{k}" d="{_squares(np.ones((1, 1), dtype=bool), SIZES[k - 1])}"/></svg>'
        f"{text(name)}</li>"
        for k, name in enumerate(names, start=1)
    )
