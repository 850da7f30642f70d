"""Wide tables of ranks or scores: a row per grader, a column per item, nothing where there was no review.

Or the other way round, a row per item and a column per grader: `transposed`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import polars as pl

from peerage._options import named
from peerage.errors import KEPT_PROBLEMS, DataError, Problem
from peerage.feedback.cells import EMPTY_NUMBERS, Origin
from peerage.reading.columns import (
    Grid,
    candidate_columns,
    find_grids,
    find_measured,
    has_column,
    nearly_has_column,
    note_ignored,
    refuse_several_grids,
    unused_columns,
)
from peerage.reading.direction import direction_finder
from peerage.reading.reading import Reading
from peerage.reading.rows import (
    ask_for_grader,
    find_row_columns,
    first_names_people,
    load_rows,
    row_reviews,
    total_rows,
)
from peerage.reading.table import InputTable, ParsedReviews, RoleColumns, as_labels, with_frame
from peerage.reading.values import (
    CellValues,
    ask_about_words,
    interpret_cells,
    not_reviewed,
    number_columns,
)
from peerage.reading.vocabulary import hint_in_name, hint_in_names, is_aside, is_total

MOST_CELLS = 200_000_000
_LONG = ("item", "rank", "score")


class Matrix:
    """A row per grader, a column per item."""

    def suits(self, table: InputTable, column_names: Mapping[str, str]) -> bool:
        """Whether two columns or more hold numbers, beside one of labels, and none is that of an item."""
        if len(table.header) < 3 or any(column_names.get(role) for role in _LONG):
            return False
        if find_grids(table.header) or find_measured(table.header):
            return True
        long = any(nearly_has_column(table.header[1:], role) for role in _LONG)
        numbers = len(number_columns(table))
        named = numbers < len(table.header) or has_column(table, column_names, "grader")
        return numbers >= 2 and named and not long

    def read_reviews(self, table: InputTable, reading: Reading) -> ParsedReviews:
        """Every row is one list."""
        _ask_which_way_round(table, reading)
        positions = find_row_columns(table, reading.columns)
        ask_for_grader(table, positions, number_columns(table), reading)
        items = _item_columns(table, positions, reading)
        _check_items(table, items)
        cells = load_rows(table, reading, positions, {f"item {which}": which for which in items})
        if len(cells.frame) * len(items) > MOST_CELLS:
            rule = f"{len(cells.frame)} x {len(items)} cells are more than {MOST_CELLS}"
            raise table.error(rule, "use the long layout: one row per review")
        return _build(table, cells, positions, items, reading)


class Transposed:
    """A row per item, a column per grader."""

    def suits(self, table: InputTable, column_names: Mapping[str, str]) -> bool:
        """Never at once: :class:`Matrix` asks where it may be so."""
        return False

    def read_reviews(self, table: InputTable, reading: Reading) -> ParsedReviews:
        """The same as the table turned round; lines are those of the items."""
        name = reading.columns.get("item")
        place = table.header.index(name) if name in table.header else 0
        labels = as_labels(table.load([place]).to_series())
        kept = ~total_rows(labels, reading, table, table.lines) & labels.is_not_null()
        rows = kept.arg_true().to_numpy().astype(np.int64)
        ignored = _matching(table.header, reading.ignore)
        graders = [
            which
            for which, name in enumerate(table.header)
            if which != place and which not in ignored and name and not is_aside(name)
        ]
        names = labels.filter(kept).to_list()
        if not graders or not names:
            raise table.error("a table on its side needs a row per item, and a column per grader")
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise table.error(f"item {twice!r} has more than one row")
        cells = table.load(graders)[rows]
        texts = cells.select(pl.all().cast(pl.String)).rows()
        turned = pl.DataFrame(
            {
                "grader": pl.Series([table.header[which] for which in graders], dtype=pl.String),
                **{name: pl.Series(row, dtype=pl.String) for name, row in zip(names, texts, strict=True)},
            }
        )
        aside = with_frame(table, turned, np.zeros(len(graders), dtype=np.int64))
        said = Reading(
            format="matrix", columns={"grader": "grader"}, direction=reading.direction, empty=reading.empty,
            items=tuple(names), words=reading.words, ids=reading.ids, duplicates="keep", totals=("none",),
        )  # fmt: skip
        reviews = Matrix().read_reviews(aside, said)
        unused = unused_columns(table, [place, *graders])
        place_of = {name: which for which, name in enumerate(names)}
        lines = table.lines(rows)[[place_of[name] for name in reviews.columns["item"]]]
        origin = Origin(table.source, lambda entries: lines[entries])
        notes = (*reviews.notes, *note_ignored(table, [place, *graders]))
        answer: dict[str, Any] = {"format": "transposed", "ignore": unused}
        if table.header[place]:
            answer["columns"] = {"item": table.header[place]}
        if not kept.all():
            answer["totals"] = tuple(labels.filter(~kept).drop_nulls())
        return reviews._replace(origin=origin, notes=notes, said=answer)


def _ask_which_way_round(table: InputTable, reading: Reading) -> None:
    """A table with items in rows looks like one with graders there, unless the corner says what it holds."""
    if reading.format == "matrix" or reading.columns.get("grader") or _question(table):
        return
    corner = table.header[0]
    graders = candidate_columns(table.header, "grader")
    if graders and corner:
        return
    items_in_rows = bool(corner) and 0 in candidate_columns(table.header, "item")
    rule = (
        f"the rows are called {corner!r}: they may be what was reviewed"
        if items_in_rows
        else f"nothing says whether the rows are graders or items (the first is {table.text(0)[0]!r})"
    )
    of_graders, of_items = named("format", "matrix"), named("format", "transposed")
    fix = f"say {of_graders} if a row is a grader, {of_items} if it is an item"
    choices = [{"format": "matrix"}, {"format": "transposed"}]
    if items_in_rows:
        choices.reverse()
    elif first_names_people(table, reading.columns) and corner:
        return
    raise table.question(rule, fix, choices)


def _matching(header: Sequence[str], patterns: Sequence[str]) -> set[int]:
    """The columns that these names or patterns are about."""
    exact = {which for which, name in enumerate(header) if name in patterns}
    return exact | {
        which
        for which, name in enumerate(header)
        if any(fnmatchcase(name, pattern) for pattern in patterns if pattern not in header)
    }


def _item_columns(table: InputTable, positions: Mapping[str, int], reading: Reading) -> dict[int, str]:
    """The items by their columns. What may or may not be one is asked."""
    taken = set(positions.values())
    ignored = _matching(table.header, reading.ignore) - taken
    if reading.items:
        chosen = _matching(table.header, reading.items) - taken - ignored
        if not chosen:
            raise table.error(f"no column is called {' or '.join(map(repr, reading.items))}")
        left = [which for which in range(len(table.header)) if which not in taken | ignored | chosen]
        unknown = [
            table.header[which] for which in left if table.header[which] and not is_aside(table.header[which])
        ]
        if unknown:
            rule = f"nobody said what {_listed(unknown)} {'is' if len(unknown) == 1 else 'are'}"
            _ask_about_items(table, rule, [{"ignore": tuple(unknown)}, {"items": tuple(unknown)}])
        return _without_question(table, {which: table.header[which] for which in sorted(chosen)})
    refuse_several_grids(table, find_grids(table.header, taken | ignored))
    question = _question(table, taken | ignored)
    rest = [which for which in range(len(table.header)) if which not in taken | ignored]
    numbers = set(number_columns(table))
    likely = [
        which
        for which in rest
        if (
            which in question.columns
            if question
            else which in numbers and table.header[which] and not is_aside(table.header[which])
        )
    ]
    others = [table.header[which] for which in rest if which not in likely and table.header[which]]
    doubtful = [name for name in others if table.header.index(name) in numbers and not is_total(name)]
    aside = [name for name in others if is_aside(name) and (question or name not in doubtful)]
    if len(aside) < len(others) or any(map(is_total, aside)):
        choices: list[dict[str, Any]] = [{"ignore": tuple(others)}]
        if doubtful and question is None:
            items = tuple(
                name for which, name in enumerate(table.header) if which in likely or name in doubtful
            )
            choices.append({"items": items, "ignore": tuple(name for name in others if name not in doubtful)})
        what = "an item" if len(others) == 1 else "items"
        _ask_about_items(table, f"{_listed(others)} may not be {what}", choices)
    return _without_question(table, {which: table.header[which] for which in likely})


def _question(table: InputTable, taken: Collection[int] = ()) -> Grid | None:
    """What the columns of items are asked about: `Score [P1]`, `Score of P1`, `P1 score`."""
    grids = find_grids(table.header, taken)
    return grids[0] if grids else find_measured(table.header, taken)


def _without_question(table: InputTable, items: dict[int, str]) -> dict[int, str]:
    """Without what their names have in common: `Score of P1` is about P1."""
    question = _question(table)
    if question is None or not set(items) <= set(question.columns):
        return items
    return {which: question.columns[which] for which in items}


def _ask_about_items(table: InputTable, rule: str, choices: Sequence[Mapping[str, Any]]) -> None:
    fix = f"say which columns are items with {named('items')}, or which are not with {named('ignore')}"
    raise table.question(rule, fix, choices)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:6]))
    return f"{shown}, …" if len(names) > 6 else shown


def _check_items(table: InputTable, items: Mapping[int, str]) -> None:
    names = list(items.values())
    if len(names) < 2:
        raise table.error("a matrix needs a column for each of at least two items")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise table.error(f"column {twice!r} appears more than once", "rename one of them", table.header_line)


def _numbers(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The numbers, null where there is none, and a mark on every cell that is neither."""
    if column.dtype.is_numeric():
        number = column.cast(pl.Float64).fill_nan(None)
        return number, number.is_infinite().fill_null(False)
    text = column.cast(pl.String).str.strip_chars()
    text = text.set(text.str.to_lowercase().is_in(EMPTY_NUMBERS), None)
    number = text.cast(pl.Float64, strict=False)
    return number, text.is_not_null() & ~number.is_finite().fill_null(False)


def _build(
    table: InputTable,
    cells: RoleColumns,
    positions: Mapping[str, int],
    items: Mapping[int, str],
    reading: Reading,
) -> ParsedReviews:
    problems: list[Problem] = []
    parts: list[tuple[str, np.ndarray, np.ndarray]] = []
    written = {which: _without_codes(cells.frame[f"item {which}"], reading) for which in items}
    cell_values = interpret_cells(list(written.values()), reading.scale)
    ask_about_words(
        {table.header[which]: column for which, column in written.items()}, cell_values, table, cells.lines
    )
    for which, name in items.items():
        numbers, wrong = _numbers(cell_values.apply(written[which]))
        problems += [
            _not_a_number(cells, name, which, row, cell_values)
            for row in wrong.arg_true().head(KEPT_PROBLEMS)
        ]
        rows = numbers.is_not_null().arg_true().to_numpy().astype(np.int64)
        parts.append((name, rows, numbers.drop_nulls().to_numpy()))
    if problems:
        problems.sort(key=lambda problem: problem.line or 0)
        raise DataError(problems, source=table.source)
    rows = np.concatenate([part[1] for part in parts])
    counts = np.array([len(part[1]) for part in parts])
    unfilled = [part[0] for part in parts if len(part[1]) == 0]
    names = pl.Series([part[0] for part in parts])
    columns = {
        "item": names.gather(np.repeat(np.arange(len(parts)), counts)),
        "value": pl.Series(np.concatenate([part[2] for part in parts])),
    }
    question = _question(table)
    hint = hint_in_name(question.question if question else "").combine(hint_in_names(table.titles))
    hint = hint.combine_cells(cell_values.hint)
    nobody = [f"nobody reviewed {_listed(unfilled)}"] if unfilled else []
    return row_reviews(
        "matrix", table, cells, positions, items, rows, columns,
        notes=(*cell_values.notes, *nobody),
        said={"items": tuple(table.header[which] for which in items)},
        unreviewed=tuple(unfilled),
        find_direction=direction_finder(
            hint, reading, source=table.source, line=table.header_line, items=len(items)
        ),
    )  # fmt: skip


def _without_codes(column: pl.Series, reading: Reading) -> pl.Series:
    absent = not_reviewed(column.cast(pl.String), reading.empty) if reading.empty else None
    return column if absent is None else column.cast(pl.String).set(absent, None)


def _not_a_number(cells: RoleColumns, name: str, which: int, row: int, cell_values: CellValues) -> Problem:
    value = str(cells.frame[f"item {which}"][row]).strip()
    usual = "is neither a rank nor a score", "write a number, and nothing where the item was not reviewed"
    rule, fix = cell_values.refused.get(value, usual)
    return Problem(rule, line=int(cells.lines(np.array([row]))[0]), column=name, value=value, fix=fix)
