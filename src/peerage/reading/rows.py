"""Tables with a row per grader: who that is, which rows count, and what belongs to each of its reviews."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._options import named, named_column
from peerage._words import listed_lines, plural
from peerage.feedback.cells import Origin
from peerage.reading.columns import (
    MOST_CHOICES,
    candidate_columns,
    find_columns,
    named_roles,
    note_ignored,
    unused_columns,
)
from peerage.reading.reading import Reading
from peerage.reading.table import InputTable, Lines, ParsedReviews, RoleColumns, as_labels, load_columns
from peerage.reading.vocabulary import TOTALS, is_aside, is_weak, plain_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPTIONAL = ("grader", "task", "weight")
PERSON_HEADERS = (
    "name", "who", "fullname", "yourname", "email", "emailaddress", "username", "login", "person",
)  # fmt: skip
FIRST_NAMES = ("firstname", "givenname", "vorname", "prenom", "nombre")
LAST_NAMES = ("lastname", "surname", "familyname", "nachname", "nom", "apellido", "apellidos")


def first_names_people(table: InputTable, column_names: Mapping[str, str]) -> bool:
    """Whether the first column is that of people, by a name which is too common to mean it elsewhere."""
    first = plain_name(table.header[0])
    return "grader" not in column_names and (first == "" or first in PERSON_HEADERS)


def find_row_columns(
    table: InputTable, column_names: Mapping[str, str], optional: Sequence[str] = OPTIONAL
) -> dict[str, int]:
    """The position of each role's column, the grader perhaps in a first column of people."""
    graders = candidate_columns(table.header, "grader")
    if all(is_weak(table.header[which], "grader") for which in graders):
        _ask_about_full_names(table, column_names)
    if first_names_people(table, column_names) and not graders:
        rest = [role for role in optional if role != "grader"]
        return {"grader": 0, **find_columns(table, column_names, required=(), optional=rest)}
    return find_columns(table, column_names, required=(), optional=optional)


def _ask_about_full_names(table: InputTable, column_names: Mapping[str, str]) -> None:
    """First and last names in two columns are one name."""
    words = [plain_name(name) for name in table.header]
    first = next((which for which, word in enumerate(words) if word in FIRST_NAMES), None)
    last = next((which for which, word in enumerate(words) if word in LAST_NAMES), None)
    if first is None or last is None or "grader" in column_names:
        return
    both = f"{table.header[first]}+{table.header[last]}"
    rule = f"graders have their names in {table.header[first]!r} and {table.header[last]!r}"
    raise table.question(rule, f"say {named_column('grader', both)}", [{"columns": {"grader": both}}])


def ask_for_grader(
    table: InputTable, positions: Mapping[str, int], used: Iterable[int], reading: Reading
) -> None:
    """Where no column is called the grader, another one may name them; or each row is somebody of its own."""
    if "grader" in positions or "grader" in reading.columns:
        return
    taken = {*positions.values(), *used}
    names = [
        name
        for which, name in enumerate(table.header)
        if which not in taken and name and not is_aside(name) and name not in reading.ignore
    ]
    if names:
        nobody = named_column("grader", "")
        fix = f"say {named_column('grader', names[0])}, or that there is none with {nobody}"
        choices = [{"columns": {"grader": name}} for name in [*names[:MOST_CHOICES], ""]]
        raise table.question("no column is called the grader", fix, choices)


def load_rows(
    table: InputTable, reading: Reading, positions: Mapping[str, int], others: Mapping[str, int]
) -> RoleColumns:
    """The cells of the rows that count: no totals, and of a form submitted twice the one that is meant."""
    cells = load_columns(table, {**positions, **others})
    if cells.frame.is_empty():
        raise table.error("the table has a header but no rows")
    if "grader" not in cells.frame.columns:
        return cells
    graders = as_labels(cells.frame["grader"])
    totals = total_rows(graders, reading, table, cells.lines)
    dropped, note = _find_repeated(cells, graders, totals, reading, table)
    notes = [*cells.notes]
    if totals.any():
        notes.append(f"rows of totals left out: {listed_lines(cells.lines, _true(totals))}")
    kept = _true(~(totals | dropped))
    if len(kept) == len(graders):
        return cells
    return RoleColumns(cells.frame[kept], lambda rows: cells.lines(kept[rows]), (*notes, *note))


def _true(mask: pl.Series) -> NDArray[np.int64]:
    return mask.arg_true().to_numpy().astype(np.int64)


def total_rows(
    labels: pl.Series, reading: Reading, table: InputTable, lines: Lines | None = None
) -> pl.Series:
    """Which labels are those of rows that sum others up; ``lines`` where each label is that of a row."""
    if reading.totals:
        return labels.is_in(list(reading.totals)).fill_null(False)
    words = labels.str.to_lowercase().str.replace_all(r"[\W_]+", "")
    totals = words.is_in(list(TOTALS)).fill_null(False)
    if totals.any():
        found = tuple(labels.filter(totals).unique().sort())
        rule = f"a row is called {' and '.join(map(repr, found))}: it may sum the others up"
        fix = f"say {named('totals', found[0])} to leave it out, or {named('totals', 'none')} to keep it"
        line = int(lines(_true(totals)[:1])[0]) if lines else None
        raise table.question(rule, fix, [{"totals": found}, {"totals": ("none",)}], line=line)
    return totals


def _find_repeated(
    cells: RoleColumns, graders: pl.Series, totals: pl.Series, reading: Reading, table: InputTable
) -> tuple[pl.Series, tuple[str, ...]]:
    """Rows of graders who have another one that counts, and a note on them."""
    keys = pl.DataFrame({"grader": graders})
    if "task" in cells.frame.columns:
        keys = keys.with_columns(task=as_labels(cells.frame["task"]))
    key = pl.struct(pl.all())
    again = keys.select(key.is_duplicated()).to_series() & graders.is_not_null() & ~totals
    if not again.any() or reading.duplicates == "keep":
        return pl.repeat(False, len(graders), eager=True), ()
    first, last = (keys.select(end).to_series() for end in (key.is_first_distinct(), key.is_last_distinct()))
    if reading.duplicates not in ("first", "last"):
        row = int((again & ~first).arg_max() or 0)
        fix = f"choose with {named('duplicates', 'last')} (or first, or keep to count both)"
        choices = [{"duplicates": choice} for choice in ("last", "first", "keep")]
        line = int(cells.lines(np.array([row]))[0])
        raise table.question(f"grader {graders[row]!r} has a row already", fix, choices, line=line)
    dropped = again & ~(first if reading.duplicates == "first" else last)
    kept_one = f"{reading.duplicates} kept): {listed_lines(cells.lines, _true(dropped))}"
    return dropped, (f"{plural(int(dropped.sum()), 'row')} of graders with several left out ({kept_one}",)


def row_reviews(
    layout: str,
    table: InputTable,
    cells: RoleColumns,
    positions: Mapping[str, int],
    used: Iterable[int],
    rows: NDArray[np.int64],
    columns: Mapping[str, Any],
    *,
    notes: Sequence[str] = (),
    said: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
    **facts: Any,
) -> ParsedReviews:
    """Reviews with what belongs to the whole row; ``rows`` says in which row each of them stands."""
    count = len(cells.frame)
    number = pl.Series(np.arange(1, count + 1)).cast(pl.String).str.zfill(len(str(count)))
    shared: dict[str, Any] = {
        role: cells.frame[role].gather(rows) for role in OPTIONAL if role in cells.frame.columns
    }
    shared["list"] = number.gather(rows)
    nameless: tuple[str, ...] = ()
    if "grader" not in shared:
        shared["grader"] = shared["list"]
        nameless = (f"no grader column: each of the {count} rows counts as a grader of its own",)
    taken = [*positions.values(), *used]
    return ParsedReviews(
        {**shared, **columns},
        Origin(table.source, lambda entries: cells.lines(rows[entries]), names or {}),
        (*table.notes, *note_ignored(table, taken), *cells.notes, *notes, *nameless),
        said={
            "format": layout,
            "columns": named_roles(table, positions),
            "ignore": unused_columns(table, taken),
            **(said or {}),
        },
        **facts,
    )
