"""Tables with a row per grader and numbered columns: places (`Rank 1, Rank 2`), or items and their scores in
turn (`Project 1, Score 1, Project 2, Score 2`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from peerage._options import named
from peerage.feedback.choices import Direction
from peerage.reading.ballots import decide_order, option_of_order
from peerage.reading.columns import Grid, candidate_columns, find_grids, has_column, refuse_several_grids
from peerage.reading.direction import direction_finder
from peerage.reading.reading import Reading
from peerage.reading.rows import ask_for_grader, find_row_columns, load_rows, row_reviews
from peerage.reading.table import InputTable, ParsedReviews, RoleColumns
from peerage.reading.values import ask_about_words, interpret_cells, not_reviewed, number_columns
from peerage.reading.vocabulary import PLACE_OF_ORDINAL, PLACE_WORDS, fold, hint_in_names, suits_role

LAST_PLACE, MIDDLE_PLACE = 10_000, 5_000  # the places of what is called worst, and what is between
_NUMBERED = re.compile(
    rf"\b(?:{PLACE_WORDS})\s*(?:no\.?|number|nr\.?)?\s*#?(\d+)\b|#(\d+)\b|\b(\d+)(?:st|nd|rd|th|er|re|eme|e)\b|"
    rf"\b(\d+)[.ºªoa]?\s*(?:{PLACE_WORDS})\b"
)
_SPELLED = re.compile(
    rf"\b({'|'.join(PLACE_OF_ORDINAL)})\b(?=$|[\s-]*(?:{PLACE_WORDS}|best|favou?rite|beste|meilleur|mejor|\W))"
)
_MIDDLE = re.compile(r"\b(?:middle|mittlere[rs]?|mitte|milieu|medio)\b")
_BEST = re.compile(
    r"\b(?:best|highest|favou?rite|strongest|winner|beste[rs]?|hochste[rs]?|meilleure?|mejor)\b"
)
_WORST = re.compile(
    r"\b(?:worst|lowest|weakest|least (?:favou?rite|preferred)|schlechteste[rs]?|niedrigste[rs]?|pire|"
    r"moins bon|peor)\b"
)


class PlaceColumns:
    """A column per place, an item in each: `Rank 1, Rank 2`, `Best, Second best`, `Question [1st choice]`."""

    def suits(self, table: InputTable, column_names: Mapping[str, str]) -> bool:
        """Whether two columns or more are places from the first on, and hold no numbers that rank."""
        places = _places(table, column_names)
        if len(places) < 2:
            return False
        cells = table.first_rows(list(places), 200)
        text = pl.concat([column.cast(pl.String).str.strip_chars() for column in cells])
        text = text.filter((text != "").fill_null(False))
        numbers = text.cast(pl.Float64, strict=False).drop_nulls()
        return len(text) > 0 and 2 * len(numbers) < len(text)

    def read_reviews(self, table: InputTable, reading: Reading) -> ParsedReviews:
        """Items in the order of their columns; every row is one list."""
        refuse_several_grids(table, _place_grids(table))
        places = _places(table, reading.columns)
        if not places:
            raise table.error("no columns of places found, such as 'Rank 1' and 'Rank 2'")
        positions = find_row_columns(table, reading.columns)
        ask_for_grader(table, positions, places, reading)
        cells = load_rows(table, reading, positions, {f"place {which}": which for which in places})
        items = {which: cells.frame[f"place {which}"].cast(pl.String).str.strip_chars() for which in places}
        _ask_about_labels(table, items, [*positions.values(), *places], reading)
        direction = self._direction(table, places, reading)
        order = list(places) if direction.best == "first" else list(places)[::-1]
        rows = [(items[which] != "").fill_null(False).arg_true() for which in order]
        columns = {
            "item": pl.concat([items[which].gather(mine) for which, mine in zip(order, rows, strict=True)]),
            "rank": np.repeat(np.arange(1.0, len(order) + 1), [len(mine) for mine in rows]),
        }
        row_numbers = pl.concat(rows).to_numpy().astype(np.int64)
        return row_reviews(
            "places", table, cells, positions, places, row_numbers, columns,
            said=option_of_order(direction), direction=direction,
        )  # fmt: skip

    def _direction(self, table: InputTable, places: Mapping[int, int], reading: Reading) -> Direction:
        hint = hint_in_names([*(table.header[which] for which in places), *table.titles])
        name = table.header[next(iter(places))]
        opens = any(_OPEN_PLACE.fullmatch(table.header[which]) for which in places)
        signs = {"list"} if opens or hint.best is not None or hint.contradicts else {"better"}
        hint = replace(hint, measure=None) if opens else hint
        direction = decide_order(signs, hint, reading, name, table.source, table.header_line)
        if signs == {"better"} and direction.by == "values":
            return Direction("orders", "first", f"{name!r} is the name of a place", "names")
        return direction


def place_in_name(name: str) -> int | None:
    """The place that a name speaks of: 1 for `1st choice`, `Rank 1` or `Best poster`; None for none."""
    text = fold(re.sub(r"[\[\]]", " ", name))
    if _WORST.search(text):
        ordinal = re.search(rf"\b(?:(\d+)(?:st|nd|rd|th)|({'|'.join(PLACE_OF_ORDINAL)}))\b", text)
        from_last = int(ordinal[1] or PLACE_OF_ORDINAL[ordinal[2]]) if ordinal else 1
        return LAST_PLACE + 1 - from_last
    if match := _NUMBERED.search(text):
        return int(next(number for number in match.groups() if number))
    if match := _SPELLED.search(text):
        return PLACE_OF_ORDINAL[match[1]]
    if text in ("top", "bottom"):
        return 1 if text == "top" else LAST_PLACE
    return 1 if _BEST.search(text) else MIDDLE_PLACE if _MIDDLE.search(text) else None


_OPEN_PLACE = re.compile(r"\s*(?:position\s*)?\d+\s*", re.IGNORECASE)  # may be a place, and may be a slot


def _ask_about_labels(
    table: InputTable, items: Mapping[int, pl.Series], used: Sequence[int], reading: Reading
) -> None:
    """A column that names the same items, and plays no role, may be meant."""
    labels = {label for column in items.values() for label in column.drop_nulls()}
    for which, name in enumerate(table.header):
        if which in used or not name or name in reading.ignore:
            continue
        own = set(table.text(which).drop_nulls())
        if own and len(own & labels) >= 0.8 * len(own):
            rule = f"column {name!r} names items, too, and plays no role"
            raise table.question(rule, f"say {named('ignore', name)} to leave it out", [{"ignore": (name,)}])


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
    if not places:
        plain = [which for which, name in names.items() if _OPEN_PLACE.fullmatch(name)]
        numbers = {which: int(re.sub(r"\D", "", table.header[which])) for which in plain}
        places = numbers if sorted(numbers.values()) == list(range(1, len(numbers) + 1)) else {}
    ends = {1, LAST_PLACE} & set(places.values())
    whole = len(set(places.values())) == len(places) and bool(ends)
    return dict(sorted(places.items(), key=lambda pair: pair[1])) if whole else {}


# -- items and their scores in turn --------------------------------------------------------------------------


_SLOT = re.compile(r"(.*?)(?:no\.?|nr\.?)?\s*(\d+)(.*)", re.DOTALL)
_SIDES = ("left", "right"), ("a", "b")  # `left`, `score_left`; `item_a`, `score_a`


class Slot(NamedTuple):
    """The column of an item, and that of its rank or score."""

    item: int
    measure: int


def _slots(table: InputTable) -> list[Slot]:
    """The slots of a header; at least two, each with an item and a number.

    Columns are numbered in their names, or repeat the same name.
    """
    stems: dict[str, dict[str, int]] = {}
    for which, name in enumerate(table.header):
        match = _SLOT.fullmatch(name.strip())
        stem, number = (f"{match[1]} {match[3]}", match[2]) if match else (name, "")
        key = " ".join(re.sub(r"[_#:\-]", " ", stem).split())
        same = stems.setdefault(key, {})
        same[number or f"repeated {len(same)}"] = which
    groups = {stem: columns for stem, columns in stems.items() if stem and len(columns) > 1}
    measures = [stem for stem in groups if _measure(stem) is not None]
    if len(groups) < 2:
        return []
    items = [stem for stem in groups if stem not in measures and _names_item(stem)]
    if items and not measures:  # `Answer 1`: numbers that nobody calls anything
        numbers = set(number_columns(table))
        measures = [stem for stem in groups if set(groups[stem].values()) <= numbers]
        items = [stem for stem in items if stem not in measures]
    if len(items) != 1 or len(measures) != 1:
        return []
    of_items, of_measures = groups[items[0]], groups[measures[0]]
    return [Slot(of_items[number], of_measures[number]) for number in of_items if number in of_measures]


def _side_slots(table: InputTable) -> list[Slot]:
    """Two items that were compared, each with a score: `left`, `right`, `score_left`, `score_right`."""
    if has_column(table, {}, "winner"):
        return []
    words = [re.split(r"[\s_]+", name.strip().lower()) for name in table.header]
    for sides in _SIDES:
        slots = []
        for role, side in zip(("left", "right"), sides, strict=True):
            items = candidate_columns(table.header, role)
            measures = [
                which
                for which, parts in enumerate(words)
                if side in (parts[0], parts[-1])
                and _measure(" ".join(part for part in parts if part != side)) is not None
            ]
            slots += [Slot(items[0], measures[0])] if len(items) == len(measures) == 1 else []
        if len(slots) == 2:
            return slots
    return []


def _names_item(stem: str) -> bool:
    return suits_role(stem, "item") or suits_role(
        stem.replace("(", " ").replace(")", " ").split()[-1], "item"
    )


def _measure(stem: str) -> Literal["ranks", "scores"] | None:
    """What the numbers of a slot are called."""
    return "ranks" if suits_role(stem, "rank") else "scores" if suits_role(stem, "score") else None


class SlotColumns:
    """Items and their scores in turn, one row per grader."""

    def suits(self, table: InputTable, column_names: Mapping[str, str]) -> bool:
        """Whether numbered columns of items and of their scores alternate."""
        named_long = any(column_names.get(role) for role in ("item", "rank", "score"))
        return not named_long and (len(_slots(table)) > 1 or bool(_side_slots(table)))

    def read_reviews(self, table: InputTable, reading: Reading) -> ParsedReviews:
        """Every row is one list, every slot one review."""
        slots = _slots(table)
        if not slots and (slots := _side_slots(table)) and reading.duplicates == "error":
            reading = replace(reading, duplicates="keep")  # a row is a comparison, and graders make several
        if not slots:
            raise table.error("no columns such as 'Project 1' and 'Score 1' found")
        taken = [which for slot in slots for which in slot]
        found = find_row_columns(table, reading.columns)
        positions = {role: which for role, which in found.items() if which not in taken}
        cells = load_rows(table, reading, positions, {f"slot {which}": which for which in taken})
        texts = {which: _slot_text(cells, which, reading) for which in taken}
        items, values = (pl.concat([texts[which] for which in side]) for side in zip(*slots, strict=True))
        measures = {table.header[slot.measure]: texts[slot.measure] for slot in slots}
        meant = interpret_cells([values], reading.scale)
        ask_about_words(measures, meant, table, cells.lines)
        used = ((items != "").fill_null(False) | (values != "").fill_null(False)).to_numpy()
        rows = np.tile(np.arange(len(cells.frame)), len(slots))[used]
        columns = {"item": items.filter(used), "value": meant.apply(values.filter(used))}
        names = [table.header[slot.measure] for slot in slots]
        hint = hint_in_names(names, _measure(_stem(names[0]))).combine_cells(meant.hint)
        hint = hint.combine(hint_in_names(table.titles))
        return row_reviews(
            "slots", table, cells, positions, taken, rows, columns,
            notes=meant.notes, names={"value": names[0]},
            find_direction=direction_finder(hint, reading, source=table.source, line=table.header_line),
        )  # fmt: skip


def _slot_text(cells: RoleColumns, which: int, reading: Reading) -> pl.Series:
    text = cells.frame[f"slot {which}"].cast(pl.String).str.strip_chars()
    absent = not_reviewed(text, reading.empty)
    return text if absent is None else text.set(absent, None)


def _stem(name: str) -> str:
    match = _SLOT.fullmatch(name.strip())
    return f"{match[1]} {match[3]}" if match else name
