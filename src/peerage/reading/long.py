"""The long layout: one row per review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from peerage._options import named, named_column
from peerage._words import listed_lines, plural
from peerage.errors import OpenQuestion, Problem
from peerage.feedback.cells import Origin
from peerage.feedback.labels import LabelCodes
from peerage.reading.columns import (
    MOST_CHOICES,
    find_columns,
    has_column,
    missing_column,
    note_ignored,
    unused_columns,
)
from peerage.reading.direction import direction_finder
from peerage.reading.reading import Reading
from peerage.reading.rows import total_rows
from peerage.reading.table import CodedColumns, InputTable, ParsedReviews, load_coded_columns
from peerage.reading.values import (
    CellValues,
    are_marks,
    ask_about_words,
    interpret_cells,
    is_plain,
    not_reviewed,
    number_columns,
    refuse_cells,
)
from peerage.reading.vocabulary import HeaderHint, hint_in_name, is_aside, is_weak

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

REQUIRED = ("grader", "item")
MEASURES = ("rank", "value", "score")
OPTIONAL = ("rank", "score", "task", "list", "weight", "shown")
NUMBERS = (*MEASURES, "weight", "shown")
MERGED = 0.2  # share of rows without a grader from which cells look merged


def suits(table: InputTable, column_names: Mapping[str, str]) -> bool:
    """Whether there is a column of items and one that orders them."""
    return has_column(table, column_names, "item") and any(
        has_column(table, column_names, role) for role in ("rank", "score")
    )


def _locate_columns(table: InputTable, column_names: Mapping[str, str]) -> dict[str, int]:
    """The position of each role's column."""
    positions = find_columns(table, column_names, required=REQUIRED, optional=OPTIONAL)
    if "rank" not in positions and "score" not in positions:
        _ask_what_orders(table, positions)
    grader = table.header[positions["grader"]]
    if "grader" not in column_names and is_weak(grader, "grader"):
        rule = f"{grader!r} may be who reviewed, or whose work it is"
        fix = f"say {named_column('grader', grader)}, or another column"
        raise table.question(rule, fix, [{"columns": {"grader": grader}}])
    return positions


class LongColumns(NamedTuple):
    """The columns of a table by role, labels numbered, numbers understood; where the rows were, and notes."""

    columns: dict[str, Any]  # LabelCodes or pl.Series
    origin: Origin
    hint: HeaderHint
    notes: tuple[str, ...]
    ignored: tuple[str, ...]


def read_reviews(table: InputTable, reading: Reading) -> ParsedReviews:
    """A grader, an item, and a rank or a score in every row."""
    ready = prepare_columns(table, reading)
    roles = {role: name for role, name in ready.origin.names.items() if role != "value"}
    if "value" in ready.origin.names:
        roles["score"] = ready.origin.names["value"]
    return ParsedReviews(
        ready.columns,
        ready.origin,
        ready.notes,
        find_direction=direction_finder(ready.hint, reading, source=table.source, line=table.header_line),
        said={"format": "long", "columns": roles, "ignore": ready.ignored},
    )


def prepare_columns(table: InputTable, reading: Reading) -> LongColumns:
    """What the feedback is built from."""
    positions, left_aside = _columns_in_use(_locate_columns(table, reading.columns), table, reading)
    cells = load_coded_columns(table, positions, others=NUMBERS)
    if "shown" in positions and "shown" not in reading.columns and not _is_shown_order(cells):
        del positions["shown"]
    names = {role: table.header[which] for role, which in positions.items()}
    notes = (*table.notes, *note_ignored(table, positions.values()), *left_aside, *cells.notes)
    if cells.rows == 0:
        raise table.error("the table has a header but no rows")
    cells, filled = _fill_down_graders(cells, reading, Origin(table.source, cells.lines, names))
    cells, totals = _drop_total_rows(cells, reading, table)
    measure = next(role for role in MEASURES if role in positions)
    cells, skipped = _drop_not_reviewed(cells, measure, reading, Origin(table.source, cells.lines, names))
    origin = Origin(table.source, cells.lines, names)
    measures, hint, value_notes = _read_measures(cells.others, names, table, origin, reading)
    others = {role: cells.others[role] for role in positions if role in ("weight", "shown")}
    return LongColumns(
        {**cells.labels, **measures, **others},
        origin,
        hint,
        (*notes, *filled, *totals, *skipped, *value_notes),
        unused_columns(table, positions.values()),
    )


def _is_shown_order(cells: CodedColumns) -> bool:
    """Whether a column called `shown` counts from 1 and never repeats within a list.

    It may also say how often an item was shown, or that it was.
    """
    column = cells.others["shown"]
    text = column.cast(pl.String).str.strip_chars()
    number = text.cast(pl.Float64, strict=False)
    filled = text.is_not_null() & (text != "")
    if not bool(((number >= 1) & (number == number.round())).filter(filled).fill_null(False).all()):
        return False
    labels = {role: codes for role, (codes, _) in cells.labels.items()}
    rows = pl.DataFrame(labels).with_columns(number.alias("shown")).filter(filled)
    return not rows.is_empty() and rows.drop("item").n_unique() == rows.drop("shown").n_unique()


def _drop_total_rows(
    cells: CodedColumns, reading: Reading, table: InputTable
) -> tuple[CodedColumns, tuple[str, ...]]:
    """Without the rows of totals, by the label of their grader or item."""
    dropped = np.zeros(cells.rows, dtype=bool)
    for role in ("grader", "item"):
        codes, labels = cells.labels[role]
        totals = total_rows(labels, reading, table)
        if totals.any():
            dropped |= np.append(totals.to_numpy(), False)[codes]
    if not dropped.any():
        return cells, ()
    note = f"rows of totals left out: {listed_lines(cells.lines, np.flatnonzero(dropped))}"
    return cells.only(np.flatnonzero(~dropped)), (note,)


def _fill_down_graders(
    cells: CodedColumns, reading: Reading, origin: Origin
) -> tuple[CodedColumns, tuple[str, ...]]:
    """With the grader above where a cell is empty, if somebody said so."""
    codes, labels = cells.labels["grader"]
    blank = codes < 0
    if not blank.any() or blank[0]:
        return cells, ()
    if not reading.fill_down:
        if blank.mean() < MERGED:
            return cells, ()  # slips, which are refused one by one
        rows = np.flatnonzero(blank)
        rule = "the grader is empty, as below a merged cell"
        problem = origin.problem(
            int(rows[0]), "grader", None, rule, f"say {named('fill_down', True)}, or fill it in"
        )
        raise OpenQuestion(problem, choices=[{"fill_down": True}], source=origin.source, total=len(rows))
    places = np.maximum.accumulate(np.where(blank, 0, np.arange(len(codes))))
    filled = {**cells.labels, "grader": LabelCodes(codes[places], labels)}
    note = f"{plural(int(blank.sum()), 'row')} without a grader read as the grader above"
    return replace(cells, labels=filled), (note,)


def _drop_not_reviewed(
    cells: CodedColumns, role: str, reading: Reading, origin: Origin
) -> tuple[CodedColumns, tuple[str, ...]]:
    """Without the rows that say, in words or by a code, that there was no review."""
    column = cells.others[role]
    absent = not_reviewed(column, reading.empty)
    if absent is None:
        return cells, ()
    rows = absent.arg_true().to_numpy().astype(np.int64)
    if len(rows) == 0:
        return cells, ()
    kept = (~absent).arg_true().to_numpy().astype(np.int64)
    note = (
        f"{plural(len(rows), 'row')} left out that {'says' if len(rows) == 1 else 'say'}"
        f" {str(column[int(rows[0])]).strip()!r} or the like: {listed_lines(cells.lines, rows)}"
    )
    return cells.only(kept), (note,)


def _read_measures(
    frame: pl.DataFrame, names: Mapping[str, str], table: InputTable, origin: Origin, reading: Reading
) -> tuple[dict[str, pl.Series], HeaderHint, tuple[str, ...]]:
    """Ranks and scores as people write them, what that and the names say of their direction, and notes."""
    measures: dict[str, pl.Series] = {}
    hint = _hint_of_header(names, table)
    notes: tuple[str, ...] = ()
    for role in MEASURES:
        if role not in names:
            continue
        values = CellValues()
        if not is_plain(frame[role]):
            values = interpret_cells([frame[role]], reading.scale)
            refuse_cells(values, frame[role], origin, role)
            ask_about_words({names[role]: frame[role]}, values, table, origin.lines)
        if role == "score" and "rank" in names and values.hint.measure == "letters":
            notes += (f"{names[role]!r} left aside: beside ranks, letters say nothing more",)
            continue
        measures[role] = values.apply(frame[role])
        notes += values.notes
        if role == next(iter(measures)):
            hint = hint.combine_cells(values.hint)
    return measures, hint, notes


def _columns_in_use(
    positions: dict[str, int], table: InputTable, reading: Reading
) -> tuple[dict[str, int], tuple[str, ...]]:
    """The columns, numbers under what they were said to be; and what is left aside for that."""
    aside: tuple[str, ...] = ()
    dropped = ""
    if "rank" in positions and "score" in positions:
        dropped = {"lower-is-better": "score", "scores": "rank"}.get(reading.direction, "")
    if dropped:
        aside = (f"{table.header[positions[dropped]]!r} left aside, as the direction says",)
    kept = {role: which for role, which in positions.items() if role != dropped}
    if reading.direction == "auto" or ("rank" in kept and "score" in kept):
        return kept, aside
    role_of_numbers = {"ranks": "rank", "scores": "score"}.get(reading.direction, "value")
    return {
        role_of_numbers if role in ("rank", "score") else role: which for role, which in kept.items()
    }, aside


def _hint_of_header(names: Mapping[str, str], table: InputTable) -> HeaderHint:
    """What the name of the column that orders the items says about its numbers."""
    if "rank" not in names:
        role = "score" if "score" in names else "value"
        return hint_in_name(names[role] or role, "scores")
    hint = hint_in_name(names["rank"] or "rank", "ranks")
    if hint.best == "high" and "score" in names:
        rule = f"column {names['rank']!r} says that larger is better, and there are scores as well"
        fix = f"say which one counts, with {named_column('rank', '')} or {named_column('score', '')}"
        choices = [{"columns": {"score": ""}}, {"columns": {"rank": ""}}]
        raise table.question(rule, fix, choices)
    return hint


def _ask_what_orders(table: InputTable, positions: Mapping[str, int]) -> None:
    """No column is called a rank or a score: one that holds numbers may be it."""
    rank, score = missing_column(table, "rank"), missing_column(table, "score")
    better = score if "misspelt" in score.rule else rank
    rule = "neither a rank nor a score column found: one of them must say what is better"
    if "misspelt" in better.rule:
        rule = better.rule
    fix = (
        f"name it with {named_column('rank')} where 1 is best, with {named_column('score')} where larger"
        f" is better, or several criteria with {named('criteria', 'clarity=2,method=1')}"
    )
    numeric = [which for which in number_columns(table) if which not in positions.values()]
    numeric = [which for which in numeric if table.header[which]]
    open_ones = [which for which in numeric if not is_aside(table.header[which])] or numeric
    choices: list[dict[str, Any]] = []
    for which in open_ones[:MOST_CHOICES]:
        name = table.header[which]
        if are_marks(table.text(which).drop_nulls()):
            choices.append({"columns": {"score": name}})
            continue
        choices += [
            {"columns": {"rank": name}, "direction": "ranks"},
            {"columns": {"score": name}, "direction": "scores"},
        ]
    if 1 < len(open_ones) <= MOST_CHOICES:
        choices.append({"criteria": {table.header[which]: 1.0 for which in open_ones}})
    raise table.question(rule, fix, choices)


def ask_about_contradiction(
    agreement: NDArray[np.float64], source: str | None, names: Mapping[str, str | None]
) -> None:
    """Ask where what is ranked better has, on the whole, the lower scores: one of the two is upside down."""
    against, clear = int((agreement < 0).sum()), int((agreement != 0).sum())
    if 2 * against <= clear:
        return
    rank, score = names.get("rank") or "rank", names.get("score") or "score"
    rule = f"{rank!r} and {score!r} contradict each other in {against} of {plural(clear, 'list')}"
    fix = f"say which one counts, with {named_column('rank', '')} or {named_column('score', '')}"
    choices: list[dict[str, Any]] = [
        {"columns": {"score": ""}},
        {"columns": {"rank": ""}, "direction": "scores"},
    ]
    raise OpenQuestion(Problem(rule, fix=fix), choices=choices, source=source)


def rank_score_agreement(feedback: Feedback) -> NDArray[np.float64]:
    """Per list the sign of how ranks and scores go together: 1 as they should, -1 against each other."""
    if feedback.scores is None or feedback.ordered_by == "score":
        return np.zeros(feedback.n_lists)
    scored = ~np.isnan(feedback.scores)
    lists = feedback.entry_lists[scored]
    rank = np.cumsum(feedback.bucket_starts)[scored].astype(np.float64)
    scores = feedback.scores[scored]
    counts = np.maximum(np.bincount(lists, minlength=feedback.n_lists), 1)
    scale = max(float(np.abs(scores).max(initial=0.0)), 1e-300)  # absurd scores must not overflow
    scores = scores / scale
    rank -= (np.bincount(lists, rank, feedback.n_lists) / counts)[lists]
    scores = scores - (np.bincount(lists, scores, feedback.n_lists) / counts)[lists]
    together = np.bincount(lists, rank * scores, feedback.n_lists)
    size = np.bincount(lists, np.abs(rank * scores), feedback.n_lists)
    return np.where(np.abs(together) > 1e-9 * size, -np.sign(together), 0.0)
