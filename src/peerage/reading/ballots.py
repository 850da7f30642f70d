"""Whole rankings, as people write them down: a column per place, a ranking in one cell, or one per line.

`Rank 1, Rank 2` or `Best, Second best` name columns of places, and so does `Question [1st choice]`. In a cell
or a line a ranking is `P3 > P1 = P7 > P2`, best first; in a cell also `P3;P1;P2;`, as Microsoft Forms has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from peerage._options import named_column
from peerage.errors import KEPT_PROBLEMS, DataError, Problem
from peerage.feedback.cells import Origin
from peerage.feedback.choices import Direction, Duplicates, Missing
from peerage.feedback.container import Feedback, build_feedback
from peerage.reading.columns import Grid, find_grids, find_row_columns, note_ignored, refuse_several_grids
from peerage.reading.direction import direction_finder, hint_in_name, hint_in_names
from peerage.reading.encoding import to_utf8
from peerage.reading.rules import Rules
from peerage.reading.table import InputTable, load_columns, repeat_per_row

OPTIONAL = ("grader", "task", "weight")
LAST_PLACE = 10_000  # the place of what is called worst
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PLACE_WORDS = "rank|ranking|ranked|place|position|choice|preference|pick|priority|top"
_NUMBERED = re.compile(
    rf"\b(?:{_PLACE_WORDS})\s*(?:no\.?|number|nr\.?)?\s*#?(\d+)\b|#(\d+)\b|\b(\d+)(?:st|nd|rd|th)\b"
)
_SPELLED = re.compile(rf"\b({'|'.join(_ORDINALS)})\b(?=$|[\s-]*(?:{_PLACE_WORDS}|best|favou?rite|\W))")
_BEST = re.compile(r"\b(?:best|favou?rite|strongest|winner)\b")
_WORST = re.compile(r"\b(?:worst|weakest|least (?:favou?rite|preferred))\b")
_BETTER_SIGN = re.compile(r"\s*(?:>+|≻)\s*")
_WORSE_SIGN = re.compile(r"\s*(?:<+|≺)\s*")
_TIE_SIGN = re.compile(r"\s*(?:=+|~|≈)\s*")
_GRADER_AND_ORDER = re.compile(r"([^:>=<\t]+?)\s*[:\t]\s*(.*)")
SAMPLED_CELLS = 100
MOST_COLUMNS = 60  # looked at for rankings


# -- a column per place -----------------------------------------------------------------------------------


class PlaceColumns:
    """A column per place, an item in each: `Rank 1, Rank 2`, `Best, Second best`, `Question [1st choice]`."""

    def suits(self, table: InputTable, column_names: Mapping[str, str]) -> bool:
        """Whether two columns or more are places from the first on, and hold no numbers that rank."""
        places = _places(table, column_names)
        if len(places) < 2:
            return False
        cells = table.load(list(places)).head(200)
        text = pl.concat([column.cast(pl.String).str.strip_chars() for column in cells])
        text = text.filter((text != "").fill_null(False))
        numbers = text.cast(pl.Float64, strict=False).drop_nulls()
        return len(text) > 0 and 2 * len(numbers) < len(text)

    def roles(
        self, table: InputTable, column_names: Mapping[str, str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (), OPTIONAL

    def locate_columns(self, table: InputTable, column_names: Mapping[str, str]) -> dict[str, int]:
        """The position of each role's column; the places are told from their names."""
        refuse_several_grids(table, _place_grids(table))
        if not _places(table, column_names):
            raise DataError("no columns of places found, such as 'Rank 1' and 'Rank 2'", source=table.source)
        return find_row_columns(table, column_names, OPTIONAL)

    def read_feedback(self, table: InputTable, column_names: Mapping[str, str], rules: Rules) -> Feedback:
        """Feedback from items in the order of their columns; every row is one list."""
        positions, places = self.locate_columns(table, column_names), _places(table, column_names)
        cells = load_columns(table, {**positions, **{f"place {which}": which for which in places}})
        if cells.frame.is_empty():
            raise DataError("the table has a header but no rows", source=table.source)
        parts = []
        for place, which in enumerate(places, start=1):
            item = cells.frame[f"place {which}"].cast(pl.String).str.strip_chars()
            rows = (item != "").fill_null(False).arg_true().to_numpy().astype(np.int64)
            parts.append((rows, item.gather(rows), np.full(len(rows), float(place))))
        rows = np.concatenate([part[0] for part in parts])
        columns, notes = repeat_per_row(cells, rows, OPTIONAL)
        columns |= {
            "item": pl.concat([part[1] for part in parts]),
            "rank": np.concatenate([part[2] for part in parts]),
        }
        hint = hint_in_names([table.header[which] for which in places], "ranks")
        return build_feedback(
            columns,
            origin=Origin(table.source, lambda entries: cells.lines(rows[entries])),
            duplicates=rules.duplicates,
            missing=rules.missing,
            ids=rules.ids,
            notes=(*table.notes, *note_ignored(table, [*positions.values(), *places]), *cells.notes, *notes),
            find_direction=direction_finder(hint, rules, source=table.source, line=table.header_line),
        )


def place_in_name(name: str) -> int | None:
    """The place that a name speaks of: 1 for `1st choice`, `Rank 1` or `Best poster`; None for none."""
    text = " ".join(re.sub(r"[_\[\]]", " ", name.lower()).split())
    if match := _NUMBERED.search(text):
        return int(next(number for number in match.groups() if number))
    if match := _SPELLED.search(text):
        return _ORDINALS.index(match[1]) + 1
    if _WORST.search(text):
        return LAST_PLACE
    return 1 if _BEST.search(text) else None


def _place_grids(table: InputTable) -> list[Grid]:
    """Questions about places: `Your ranking [1st choice]`, or `Q1[1]` as LimeSurvey's codes are."""
    return [
        grid
        for grid in find_grids(table.header)
        if all(_place_in_grid(name) for name in grid.columns.values())
    ]


def _place_in_grid(name: str) -> int | None:
    return int(name) if name.isascii() and name.isdigit() and len(name) < 4 else place_in_name(name)


def _places(table: InputTable, column_names: Mapping[str, str]) -> dict[int, int]:
    """Column to place; none where two columns are of one place, or where none is of the first."""
    taken = {name.strip() for name in column_names.values()}
    grids = _place_grids(table)
    names = dict(grids[0].columns) if len(grids) == 1 else dict(enumerate(table.header))
    places = {
        which: place
        for which, name in names.items()
        if (place := _place_in_grid(name) if grids else place_in_name(name)) is not None
        and table.header[which] not in taken
    }
    whole = len(set(places.values())) == len(places) and 1 in places.values()
    return dict(sorted(places.items(), key=lambda pair: pair[1])) if whole else {}


# -- a ranking in one cell --------------------------------------------------------------------------------


class RankingColumn:
    """A ranking in one cell: `P3 > P1 = P7 > P2`, or `P3;P1;P2;`, as Microsoft Forms writes it."""

    REQUIRED = ("order",)

    def suits(self, table: InputTable, column_names: Mapping[str, str]) -> bool:
        """Whether a column was named, or one alone holds rankings."""
        return bool(column_names.get("order")) or bool(_ranking_columns(table, column_names))

    def roles(
        self, table: InputTable, column_names: Mapping[str, str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.REQUIRED, OPTIONAL

    def locate_columns(self, table: InputTable, column_names: Mapping[str, str]) -> dict[str, int]:
        likely = _ranking_columns(table, column_names)
        if not column_names.get("order") and len(likely) != 1:
            names = ", ".join(repr(table.header[which]) for which in likely) or "no column"
            fix = f"say which one holds the order with {named_column('order')}"
            rule = (
                f"{names} could each be the order"
                if likely
                else "no column holds rankings such as 'A > B > C'"
            )
            raise DataError(Problem(rule, line=table.header_line, fix=fix), source=table.source)
        column_names = {**column_names, "order": column_names.get("order") or table.header[likely[0]]}
        return find_row_columns(table, column_names, (*self.REQUIRED, *OPTIONAL))

    def read_feedback(self, table: InputTable, column_names: Mapping[str, str], rules: Rules) -> Feedback:
        """Feedback from rankings that are written out; every row is one list."""
        positions = self.locate_columns(table, column_names)
        cells = load_columns(table, positions)
        if cells.frame.is_empty():
            raise DataError("the table has a header but no rows", source=table.source)
        name = table.header[positions["order"]]
        if rules.lower_is_better or rules.direction == "scores":
            rule = f"column {name!r} holds rankings, best first, and no numbers"
            raise DataError(Problem(rule, fix="leave that option out"), source=table.source)
        rows: list[int] = []
        items: list[str] = []
        ranks: list[int] = []
        problems: list[Problem] = []
        for row, cell in enumerate(cells.frame["order"].cast(pl.String)):
            text = (cell or "").strip()
            if not text:
                continue
            buckets = parse_ranking(text) or [[item] for item in parse_list(text) or []]
            if not buckets and len(problems) < KEPT_PROBLEMS:
                line = int(cells.lines(np.array([row]))[0])
                fix = "write the items best first, as in A > B = C"
                problems.append(Problem("is not a ranking", line=line, column=name, value=text, fix=fix))
            for rank, bucket in enumerate(buckets, start=1):
                items += bucket
                ranks += [rank] * len(bucket)
                rows += [row] * len(bucket)
        if problems:
            raise DataError(problems, source=table.source)
        if not items:
            raise DataError("there are no rankings in it", source=table.source)
        row_numbers = np.array(rows, dtype=np.int64)
        columns, notes = repeat_per_row(cells, row_numbers, OPTIONAL)
        columns |= {"item": pl.Series(items), "rank": ranks}
        return build_feedback(
            columns,
            origin=Origin(table.source, lambda entries: cells.lines(row_numbers[entries])),
            duplicates=rules.duplicates,
            missing=rules.missing,
            ids=rules.ids,
            notes=(*table.notes, *note_ignored(table, list(positions.values())), *cells.notes, *notes),
            direction=Direction("orders", "first", f"{name!r} holds rankings, best first", "values"),
        )


def _ranking_columns(table: InputTable, column_names: Mapping[str, str]) -> list[int]:
    taken = {name.strip() for name in column_names.values()}
    looked_at = range(min(len(table.header), MOST_COLUMNS))
    sample = table.load(looked_at).head(SAMPLED_CELLS)
    return [
        which
        for which, column in zip(looked_at, sample, strict=True)
        if table.header[which] not in taken
        and column.dtype == pl.String
        and _holds_rankings(table.header[which], [cell for cell in column if cell and cell.strip()])
    ]


def _holds_rankings(name: str, cells: Sequence[str]) -> bool:
    """Whether nine cells in ten are rankings; ticked boxes are lists too, in the order of the form."""
    if not cells:
        return False
    if 10 * sum(parse_ranking(cell) is not None for cell in cells) >= 9 * len(cells):
        return True
    lists = [items for cell in cells if (items := parse_list(cell)) is not None]
    if 10 * len(lists) < 9 * len(cells):
        return False
    whole = len({frozenset(items) for items in lists}) == 1
    differ = len({tuple(items) for items in lists}) > 1
    return hint_in_name(name).measure == "ranks" or (whole and differ)


def parse_ranking(text: str) -> list[list[str]] | None:
    """The buckets of a ranking with signs, best first; None where it is none."""
    better, worse = bool(_BETTER_SIGN.search(text)), bool(_WORSE_SIGN.search(text))
    if better == worse:
        return None
    parts = (_BETTER_SIGN if better else _WORSE_SIGN).split(text.strip())
    buckets = [[label for label in map(str.strip, _tied(part)) if label] for part in parts]
    if len(buckets) < 2 or not all(buckets):
        return None
    return buckets if better else buckets[::-1]


def _tied(part: str) -> list[str]:
    if part.startswith("{") and part.endswith("}"):
        return part[1:-1].split(",")
    return _TIE_SIGN.split(part)


def parse_list(text: str) -> list[str] | None:
    """The items of `A;B;C;`, as Microsoft Forms writes a ranking; None where there are not two."""
    items = [item.strip() for item in text.split(";") if item.strip()]
    return items if len(items) > 1 and ";" in text else None


# -- a ranking per line -----------------------------------------------------------------------------------


class RankingLines:
    """Rankings line by line, with or without who made them: `P3 > P1 = P7 > P2`, `ada: P3 > P1`."""

    def suits(self, head: str) -> bool:
        """Whether every line that says something is a ranking, and the first of them is no header of a table.

        What ends where the beginning is cut off does not count.
        """
        lines = [line for line in head.splitlines() if line.strip() and not line.startswith("#")][:50]
        whole = lines[:-1] if len(lines) > 20 else lines
        return bool(whole) and all(_parse_line(line) is not None for line in whole)

    def read_feedback(
        self,
        data: bytes,
        *,
        source: str | None,
        encoding: str | None,
        duplicates: Duplicates,
        missing: Missing,
    ) -> Feedback:
        """Feedback from lines of rankings; a line that names nobody is a grader of its own."""
        text, notes = to_utf8(data, encoding, source)
        rows: list[tuple[int, str, str, int]] = []
        problems: list[Problem] = []
        nameless = 0
        for number, line in enumerate(text.decode("utf-8").split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            parsed = _parse_line(line)
            if parsed is None:
                fix = "write the items best first, as in 'ada: A > B = C'"
                problems.append(Problem("is not a ranking", line=number, value=line.strip(), fix=fix))
                continue
            name, buckets = parsed
            nameless += name is None
            grader = name or f"line {number}"
            rows += [
                (number, grader, item, rank) for rank, bucket in enumerate(buckets, 1) for item in bucket
            ]
        if problems:
            raise DataError(problems, source=source)
        if not rows:
            raise DataError("there are no rankings in it", source=source)
        if nameless:
            notes = (*notes, f"no grader names: each of {nameless} lines counts as a grader of its own")
        numbers, graders, items, ranks = (list(column) for column in zip(*rows, strict=True))
        lines = np.array(numbers)
        columns = {
            "grader": pl.Series(graders),
            "list": pl.Series([f"{number:09d}" for number in numbers]),
            "item": pl.Series(items),
            "rank": pl.Series(ranks),
        }
        return build_feedback(
            columns,
            origin=Origin(source, lambda entries: lines[entries]),
            duplicates=duplicates,
            missing=missing,
            notes=notes,
            direction=Direction("orders", "first", "a line has the better items before >", "format"),
        )


def _parse_line(line: str) -> tuple[str | None, list[list[str]]] | None:
    """Who made it, and the buckets."""
    match = _GRADER_AND_ORDER.fullmatch(line.strip())
    grader, order = (match[1].strip(), match[2]) if match else (None, line)
    buckets = parse_ranking(order)
    if buckets is None or {",", ";"} & set(line):
        return None
    return grader, buckets
