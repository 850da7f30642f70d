"""Who was compared with whom: a matrix in order of rank, which stays readable however large the class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.checking.coverage import pair_blocks
from peerage.report.markup import text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.result import GradingResult

EXACT = 80  # items up to which every pair has its own square
BINS = 50
MOST_TASKS = 4
MOST_PAIRS = 20_000_000  # comparisons beyond which the picture is left out
SIZES = (0.3, 0.5, 0.7, 0.9)  # of a square, by level: size tells what shade tells


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
    tasks = range(min(result.feedback.n_tasks, MOST_TASKS))
    return f'<div class="matrices">{"".join(_figure(result, task) for task in tasks)}</div>'


def _figure(result: GradingResult, task: int) -> str:
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
        f'<figure class="matrix"><figcaption>{text(name + _caption(size, n))}</figcaption>'
        f'<svg viewBox="0 0 {n} {n}" role="img" aria-label="{text(name + _spoken(matrix, size))}">'
        f'<path class="field" d="M0 0V{n}H{n}Z"/>{paths}</svg>'
        f'<ul class="legend" aria-label="Squares">{_legend(names)}</ul></figure>'
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


def _caption(size: int, bins: int) -> str:
    if bins == size:
        return (
            "Every square is a pair of items that somebody ranked together; both sides run from the best"
            " item (top left) to the last. Larger is more often."
        )
    return (
        f"{size:,} items in {bins} steps of rank, the best at the top left; a square is the share of pairs"
        " of two steps that somebody ranked together. Larger is more often."
    )


def _spoken(matrix: NDArray[np.float64], size: int) -> str:
    filled = np.count_nonzero(np.tril(matrix))
    cells = len(matrix) * (len(matrix) + (-1 if len(matrix) == size else 1)) // 2
    share = 100 * filled / cells if cells else 0.0
    return f"Matrix of comparisons between {size:,} items by rank; {share:.0f} % of its squares are filled."


def _legend(names: list[str]) -> str:
    return "".join(
        f'<li><svg class="key" viewBox="0 0 1 1" width="14" height="14" aria-hidden="true">'
        f'<path class="level l{k}" d="{_squares(np.ones((1, 1), dtype=bool), SIZES[k - 1])}"/></svg>'
        f"{text(name)}</li>"
        for k, name in enumerate(names, start=1)
    )
