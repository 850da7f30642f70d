"""A column per place, an item in each: `Rank 1, Rank 2`, `Best, Second best`, `Question [1st choice]`."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import polars as pl

from peerage.errors import DataError
from peerage.feedback.builder import build
from peerage.feedback.cells import Origin
from peerage.feedback.container import Feedback
from peerage.reading.claims import claims_of
from peerage.reading.columns import ignored
from peerage.reading.direction import orient
from peerage.reading.graders import first_is_grader
from peerage.reading.grids import Grid, grids_of, refuse_several
from peerage.reading.rows import per_row
from peerage.reading.rules import Rules
from peerage.reading.table import Table, load_cells

OPTIONAL = ("grader", "task", "weight")
LAST = 10_000  # the place of what is called worst
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_WORDS = "rank|ranking|ranked|place|position|choice|preference|pick|priority|top"
_NUMBERED = re.compile(
    rf"\b(?:{_WORDS})\s*(?:no\.?|number|nr\.?)?\s*#?(\d+)\b|#(\d+)\b|\b(\d+)(?:st|nd|rd|th)\b"
)
_SPELLED = re.compile(rf"\b({'|'.join(_ORDINALS)})\b(?=$|[\s-]*(?:{_WORDS}|best|favou?rite|\W))")
_BEST = re.compile(r"\b(?:best|favou?rite|strongest|winner)\b")
_WORST = re.compile(r"\b(?:worst|weakest|least (?:favou?rite|preferred))\b")


def place_of(name: str) -> int | None:
    """The place that a name speaks of: 1 for `1st choice`, `Rank 1` or `Best poster`; None for none."""
    text = " ".join(re.sub(r"[_\[\]]", " ", name.lower()).split())
    if found := _NUMBERED.search(text):
        return int(next(number for number in found.groups() if number))
    if found := _SPELLED.search(text):
        return _ORDINALS.index(found[1]) + 1
    if _WORST.search(text):
        return LAST
    return 1 if _BEST.search(text) else None


def suits(table: Table, given: Mapping[str, str]) -> bool:
    """Whether two columns or more are places from the first on, and hold no numbers that rank."""
    places = _places(table, given)
    if len(places) < 2:
        return False
    cells = table.load(list(places)).head(200)
    text = pl.concat([column.cast(pl.String).str.strip_chars() for column in cells])
    text = text.filter((text != "").fill_null(False))
    numbers = text.cast(pl.Float64, strict=False).drop_nulls()
    return len(text) > 0 and 2 * len(numbers) < len(text)


def _grids(table: Table) -> list[Grid]:
    """Questions about places: `Your ranking [1st choice]`, or `Q1[1]` as LimeSurvey's codes are."""
    return [grid for grid in grids_of(table.header) if all(_in_grid(name) for name in grid.columns.values())]


def _in_grid(name: str) -> int | None:
    return int(name) if name.isascii() and name.isdigit() and len(name) < 4 else place_of(name)


def _places(table: Table, given: Mapping[str, str]) -> dict[int, int]:
    """Column to place; none where two columns are of one place, or where none is of the first."""
    named = {name.strip() for name in given.values()}
    grids = _grids(table)
    names = dict(grids[0].columns) if len(grids) == 1 else dict(enumerate(table.header))
    found = {
        which: place
        for which, name in names.items()
        if (place := _in_grid(name) if grids else place_of(name)) is not None
        and table.header[which] not in named
    }
    whole = len(set(found.values())) == len(found) and 1 in found.values()
    return dict(sorted(found.items(), key=lambda pair: pair[1])) if whole else {}


def roles(table: Table, given: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The roles that must have a column, and those that may."""
    return (), OPTIONAL


def columns(table: Table, given: Mapping[str, str]) -> dict[str, int]:
    """The position of each role's column; the places are told from their names."""
    refuse_several(table, _grids(table))
    if not _places(table, given):
        raise DataError("no columns of places found, such as 'Rank 1' and 'Rank 2'", source=table.source)
    return first_is_grader(table, given, OPTIONAL)


def feedback_from(table: Table, given: Mapping[str, str], rules: Rules) -> Feedback:
    """Feedback from items in the order of their columns; every row is one list."""
    found, places = columns(table, given), _places(table, given)
    cells = load_cells(table, {**found, **{f"place {which}": which for which in places}})
    if cells.frame.is_empty():
        raise DataError("the table has a header but no rows", source=table.source)
    parts = []
    for place, which in enumerate(places, start=1):
        item = cells.frame[f"place {which}"].cast(pl.String).str.strip_chars()
        rows = (item != "").fill_null(False).arg_true().to_numpy().astype(np.int64)
        parts.append((rows, item.gather(rows), np.full(len(rows), float(place))))
    rows = np.concatenate([part[0] for part in parts])
    filled, notes = per_row(cells, rows, OPTIONAL)
    filled |= {
        "item": pl.concat([part[1] for part in parts]),
        "rank": np.concatenate([part[2] for part in parts]),
    }
    asked = [table.header[which] for which in places]
    claim = claims_of(asked, "ranks")
    return build(
        filled,
        origin=Origin(table.source, lambda entries: cells.lines(rows[entries])),
        duplicates=rules.duplicates,
        missing=rules.missing,
        ids=rules.ids,
        notes=(*table.notes, *ignored(table, [*found.values(), *places]), *cells.notes, *notes),
        orient=orient(claim, rules, source=table.source, line=table.header_line),
    )
