"""Staff grades for some items: read, matched with the class, one number per item; and taken as evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem
from peerage.feedback.arrays import LONGEST, TOO_LONG
from peerage.reading.columns import find_columns
from peerage.reading.reader import open_table
from peerage.reading.table import InputTable, RoleColumns, as_labels, load_columns
from peerage.reading.vocabulary import SYNONYMS, Vocabulary
from peerage.roster.container import item_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

WORDS = Vocabulary(
    {
        "item": ("submission", "paper", "essay", "group", *SYNONYMS["item"]),
        "score": ("grade", "points", "mark", *SYNONYMS["score"]),
        "source": ("staff", "grader", "ta", "marker", "rater"),
        "task": SYNONYMS["task"],
    },
    ranked=True,
)
TOGETHER = 0.1  # correlations between items smaller than this are mostly noise of the draws


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """Staff grades of items that are in the class.

    Attributes
    ----------
    items, grades : item numbers, rising, and one staff grade for each (sources' offsets removed, averaged).
    sources : who graded, how many items, and how far above the others (offset).
    staff_noise : standard deviation of one staff grade about the items' own; None where no item has two.
    unknown : labels of graded items that nobody reviewed.
    """

    items: NDArray[np.int64]
    grades: NDArray[np.float64]
    counts: NDArray[np.int64]
    sources: pl.DataFrame
    staff_noise: float | None
    unknown: tuple[str, ...]


def read_anchors(source: Any, feedback: Feedback) -> Anchors:
    """Staff grades from a file or table with columns `item` and `score`, and perhaps `source` and `task`."""
    table = open_table(source)
    rows = _rows(table)
    key = ["task", "item"] if "task" in rows.columns else ["item"]
    if key == ["item"] and feedback.n_tasks > 1:
        raise DataError("the class has several tasks: staff grades need a column 'task' too")
    joined = rows.join(item_table(feedback).select(*key, "number"), on=key, how="left", maintain_order="left")
    unknown = joined.filter(pl.col("number").is_null())["item"].unique(maintain_order=True)
    joined = joined.filter(pl.col("number").is_not_null())
    if joined.is_empty():
        raise DataError(
            f"none of the {len(rows)} staff grades is of an item in the feedback", source=table.source
        )
    return _averaged(joined, tuple(unknown))


def _rows(table: InputTable) -> pl.DataFrame:
    columns = find_columns(table, {}, required=("item", "score"), optional=("source", "task"), words=WORDS)
    cells = load_columns(table, columns)
    rows = cells.frame.select(
        as_labels(column) if column.name != "score" else column for column in cells.frame
    )
    rows = rows.with_columns(pl.col("score").cast(pl.String).str.strip_chars())
    _refuse_long_labels(rows, cells, table)
    numbers = rows["score"].cast(pl.Float64, strict=False)
    wrong = (numbers.is_null() | ~numbers.is_finite() | rows["item"].is_null()).fill_null(True).arg_true()
    if len(wrong):
        lines = cells.lines(wrong.to_numpy().astype(np.int64))
        rule = "a staff grade needs an item and a number"
        raise DataError(
            [
                Problem(
                    rule,
                    line=int(n),
                    column=table.header[columns["score"]],
                    value=str(v),
                    fix="fill it in or delete the row",
                )
                for n, v in zip(lines, rows["score"].gather(wrong), strict=True)
            ],
            source=table.source,
        )
    if "source" not in rows.columns:
        rows = rows.with_columns(source=pl.lit("staff"))
    return rows.with_columns(numbers.alias("score"), pl.col("source").fill_null("staff"))


def _refuse_long_labels(rows: pl.DataFrame, cells: RoleColumns, table: InputTable) -> None:
    long = (rows["item"].str.len_chars() > LONGEST).fill_null(False).arg_true()
    if len(long):
        rule, fix = TOO_LONG
        lines = cells.lines(long.to_numpy().astype(np.int64))
        named = zip(lines, rows["item"].gather(long), strict=True)
        problems = [Problem(rule, line=int(line), column="item", value=item, fix=fix) for line, item in named]
        raise DataError(problems, source=table.source)


def _averaged(rows: pl.DataFrame, unknown: tuple[str, ...]) -> Anchors:
    """One grade per item: sources are put on a common level first, where they share items.

    Grades are item + offset of the source + noise, by least squares; offsets average zero over the grades.
    """
    names = rows["source"].unique().sort()
    source = names.search_sorted(rows["source"]).to_numpy().astype(np.int64)
    items, item = np.unique(rows["number"].to_numpy(), return_inverse=True)
    score = rows["score"].to_numpy()
    offset = _offsets(score, item, source, len(names))
    level = score - offset[source]
    counts = np.bincount(item)
    grades = np.bincount(item, level) / counts
    free = len(score) - len(items) - (len(names) - 1)
    noise = None
    if free > 0:
        noise = float(np.sqrt(((level - grades[item]) ** 2).sum() / free))
    table = pl.DataFrame(
        {"source": names, "items": np.bincount(source, minlength=len(names)), "offset": offset}
    )
    return Anchors(items.astype(np.int64), grades, counts, table, noise, unknown)


def _offsets(
    score: NDArray[np.float64], item: NDArray[np.int64], source: NDArray[np.int64], n_sources: int
) -> NDArray[np.float64]:
    """How far above the others each source grades the same items; 0 where no item is shared.

    A ridge so small that it matters only for sources that share no item keeps those at 0.
    """
    counts = np.bincount(item)
    design = np.zeros((len(score), n_sources))
    design[np.arange(len(score)), source] = 1.0
    means = np.zeros((len(counts), n_sources))
    np.add.at(means, item, design)
    within = design - (means / counts[:, None])[item]
    centred = score - (np.bincount(item, score) / counts)[item]
    offset = np.linalg.solve(within.T @ within + 1e-6 * np.eye(n_sources), within.T @ centred)
    shared = (within**2).sum(axis=0) > 0
    offset = np.where(shared, offset, 0.0)
    return np.asarray(offset - shared * np.average(offset, weights=np.bincount(source, minlength=n_sources)))


# -- as evidence --------------------------------------------------------------------------------------


def condition_on_staff(
    points: NDArray[np.float64],
    draws: NDArray[np.floating[Any]],
    peers: NDArray[np.floating[Any]],
    anchors: Anchors,
    gaps: NDArray[np.float64],
    tasks: NDArray[np.int32],
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and draws given the staff grades: an item with one gets it, or nearly, and its neighbours learn.

    Staff's grade of an item is t = map(score) + gap. The draws of t are jointly normal, near enough, and some
    of them have been seen, with the noise of a staff grade where it is known. Each draw is moved to where it
    would be given those (Matheron's rule): t + C_A (C_AA + noise)^-1 (seen - t_A - noise). Items whose
    estimates rest on the same comparisons as a staff-graded one move along.

    `draws` are draws of the staff's grades (map, peers and gap all varied), `peers` those of the peers' part;
    `gaps` are the gaps at the items that staff graded.
    """
    items = anchors.items
    cross = _covariance(peers, items, tasks)
    inside = cross[items] + np.diag(gaps**2)
    noise = np.zeros(len(items))
    if anchors.staff_noise is not None:
        noise = anchors.staff_noise**2 / anchors.counts
    cross[items, np.arange(len(items))] += gaps**2
    floor = 1e-9 * max(float(np.trace(inside)) / len(items), 1e-12)
    weights = np.linalg.solve(inside + np.diag(noise + floor), cross.T).T
    seen = anchors.grades + np.sqrt(noise) * rng.standard_normal((len(draws), len(items)))
    moved = draws + (seen - draws[:, items]) @ weights.T
    points = points + weights @ (anchors.grades - points[items])
    exact = noise == 0  # but for rounding, which a cut-point would notice
    points[items[exact]] = anchors.grades[exact]
    moved[:, items[exact]] = anchors.grades[exact]
    return points, moved


def _covariance(
    draws: NDArray[np.floating[Any]], items: NDArray[np.int64], tasks: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Of all items with these, items x len(items); what is small or between tasks is taken for none."""
    about = draws - draws.mean(axis=0)
    cross = (about.T @ about[:, items]) / max(len(draws) - 1, 1)
    sd = about.std(axis=0)
    small = np.abs(cross) < TOGETHER * np.outer(sd, sd[items])
    cross[small | (tasks[:, None] != tasks[items])] = 0.0
    return np.asarray(cross, dtype=float)
