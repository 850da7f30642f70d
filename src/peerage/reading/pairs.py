"""Tables of comparisons: one row says which of two items is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from peerage._naming import named
from peerage._words import listed_lines, plural
from peerage.errors import KEPT_PROBLEMS, DataError, Problem
from peerage.feedback import (
    Coded,
    Direction,
    Feedback,
    Missing,
    Origin,
    build,
    codes_of,
    used_only,
    whole_numbers,
)
from peerage.reading.columns import find_columns, has, ignored
from peerage.reading.rules import Rules
from peerage.reading.table import Cells, Table, load_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEFT_WORDS = ("left", "l", "a", "1", "first", "model_a", "item_a", "item1")
RIGHT_WORDS = ("right", "r", "b", "2", "second", "model_b", "item_b", "item2")
TIE_WORDS = ("tie", "tied", "draw", "equal", "same", "both", "neither", "=", "0", "0.5", "tie (bothbad)")
OPTIONAL = ("grader", "task", "weight")
EMPTY_WORDS = ("na", "nan", "null")
_LEFT, _RIGHT, _TIE, _EMPTY, _UNKNOWN = range(5)


def suits(table: Table, given: Mapping[str, str]) -> bool:
    """Whether there are columns for two items and the better one."""
    return _has_sides(table, given) or all(has(table, given, role) for role in ("top", "bottom"))


def _has_sides(table: Table, given: Mapping[str, str]) -> bool:
    if given.get("top") or given.get("bottom"):
        return False
    return all(has(table, given, role) for role in ("left", "right", "winner"))


def _sides(table: Table, given: Mapping[str, str]) -> tuple[str, ...]:
    """The columns that say what was compared, and which was better."""
    return ("left", "right", "winner") if _has_sides(table, given) else ("top", "bottom")


def roles(table: Table, given: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The roles that must have a column, and those that may."""
    return _sides(table, given), OPTIONAL


def columns(table: Table, given: Mapping[str, str]) -> dict[str, int]:
    """The position of each role's column."""
    return find_columns(table, given, required=_sides(table, given), optional=OPTIONAL)


def feedback_from(table: Table, given: Mapping[str, str], rules: Rules) -> Feedback:
    """Feedback from comparisons, each a list of its own; without graders each also has its own grader."""
    sides = _sides(table, given)
    found = columns(table, given)
    cells = load_cells(table, found)
    if cells.frame.is_empty():
        raise DataError("the table has a header but no rows", source=table.source)
    frame = cells.frame.with_columns(pl.col(name).cast(pl.String) for name in sides)
    notes = (*table.notes, *ignored(table, list(found.values())), *cells.notes)
    names = {role: table.header[which] for role, which in found.items()}
    origin = Origin(table.source, cells.lines, names)
    items = _items(frame[sides[0]], frame[sides[1]])
    _refuse_self_comparisons(items, sides, origin)
    if "winner" in sides:
        outcome = _outcomes(frame["winner"], items, names)
        kept, left_out = _known(frame, outcome, cells, origin, rules.missing)
        notes += left_out
        if kept is not None:
            frame, items, outcome = frame[kept], items.only(kept), outcome[kept]
            cells = _of_rows(kept, cells)
    else:
        outcome = np.full(len(frame), _LEFT)
    origin = Origin(table.source, cells.lines, names)
    return _built(frame, sides, items, outcome, cells, origin, rules, notes)


class _Items(NamedTuple):
    """The two items of every row, by their numbers among the labels; -1 where a cell is empty."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    labels: pl.Series

    def only(self, rows: NDArray[np.int64]) -> _Items:
        """Without the labels that no row has any more."""
        kept = np.stack([self.first[rows], self.second[rows]])
        codes, labels = used_only(kept[kept >= 0], self.labels)
        kept[kept >= 0] = codes
        return _Items(kept[0], kept[1], labels)

    def interleaved(self) -> Coded:
        """A row's first and second after each other."""
        return Coded(np.stack([self.first, self.second], axis=1).ravel(), self.labels)


def _items(first: pl.Series, second: pl.Series) -> _Items:
    codes, labels = codes_of(pl.concat([_text(first), _text(second)]))
    return _Items(codes[: len(first)], codes[len(first) :], labels)


def _refuse_self_comparisons(items: _Items, sides: tuple[str, ...], origin: Origin) -> None:
    same = np.flatnonzero((items.first == items.second) & (items.first >= 0))
    if len(same):
        problems = [
            origin.problem(int(row), sides[1], label, "is compared with itself", "delete the row")
            for row, label in _labelled(same[:KEPT_PROBLEMS], items)
        ]
        raise DataError(problems, source=origin.source, total=len(same))


def _labelled(rows: NDArray[np.int64], items: _Items) -> Iterator[tuple[int, str]]:
    return zip(rows.tolist(), items.labels.gather(items.second[rows]), strict=True)


def _outcomes(winners: pl.Series, items: _Items, names: Mapping[str, str]) -> NDArray[np.int64]:
    """Who won each row. The winner is named as the item itself, or as the side it stood on.

    Items may be called '1' and '2', so one reading is chosen for the whole column: the item's own name
    unless the words for the sides explain more rows. A name is looked at once, not in every row.
    """
    codes, labels = codes_of(winners)
    won = _items_called(labels, items.labels)[codes]
    named = np.select([won == items.first, won == items.second], [_LEFT, _RIGHT], _UNKNOWN)
    words = labels.str.to_lowercase()
    left, right = (*LEFT_WORDS, names["left"]), (*RIGHT_WORDS, names["right"])
    sided = _meaning(words, {_LEFT: left, _RIGHT: right})[codes]
    outcome = named if (named != _UNKNOWN).sum() >= (sided != _UNKNOWN).sum() else sided
    neither = _meaning(words, {_TIE: TIE_WORDS, _EMPTY: EMPTY_WORDS}, empty=_EMPTY)[codes]
    return np.where(outcome == _UNKNOWN, neither, outcome)


def _items_called(labels: pl.Series, items: pl.Series) -> NDArray[np.int64]:
    """The item of each label, and of an empty cell behind them; -2 for none, as -1 is an empty cell."""
    numbers = labels.cast(pl.Enum(items), strict=False).to_physical().cast(pl.Int64).fill_null(-2)
    return np.append(numbers.to_numpy(), -2)


def _meaning(
    words: pl.Series, meanings: Mapping[int, Sequence[str]], empty: int = _UNKNOWN
) -> NDArray[np.int64]:
    """What each word means, the first meaning first, and an empty cell behind them."""
    found = np.full(len(words) + 1, _UNKNOWN)
    found[-1] = empty
    for meaning, known in reversed(list(meanings.items())):
        found[:-1][words.is_in([word.lower() for word in known]).to_numpy()] = meaning
    return found


def _known(
    frame: pl.DataFrame, outcome: NDArray[np.int64], cells: Cells, origin: Origin, missing: Missing
) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    """The rows to keep, if not all; without a winner they are refused or left out, an odd one refused."""
    unknown = np.flatnonzero(outcome == _UNKNOWN)
    empty = np.flatnonzero(outcome == _EMPTY)
    refused = np.sort(np.concatenate([unknown, empty])) if missing == "error" else unknown
    if len(refused):
        problems = [_bad_winner(frame, int(row), origin) for row in refused[:KEPT_PROBLEMS]]
        raise DataError(problems, source=origin.source, total=len(refused))
    if len(empty) == 0:
        return None, ()
    note = f"{plural(len(empty), 'comparison')} without a winner left out: {listed_lines(cells.lines, empty)}"
    return np.flatnonzero(outcome != _EMPTY), (note,)


def _of_rows(kept: NDArray[np.int64], cells: Cells) -> Cells:
    return Cells(cells.frame[kept], lambda rows: cells.lines(kept[rows]), ())


def _bad_winner(frame: pl.DataFrame, row: int, origin: Origin) -> Problem:
    winner = frame["winner"][row]
    if not (winner or "").strip():
        fix = f"fill it in, delete the row, or leave such rows out with {named('missing', 'drop')}"
        return origin.problem(row, "winner", None, "the winner is empty", fix)
    left, right = frame["left"][row], frame["right"][row]
    rule = f"is neither {left!r} nor {right!r} nor a tie"
    return origin.problem(row, "winner", winner, rule, "write the better item, left, right or tie")


def _built(
    frame: pl.DataFrame,
    sides: tuple[str, ...],
    items: _Items,
    outcome: NDArray[np.int64],
    cells: Cells,
    origin: Origin,
    rules: Rules,
    notes: tuple[str, ...],
) -> Feedback:
    """Two rows for every comparison, its list numbered as in the file."""
    count = len(frame)
    if count == 0:
        raise DataError("there are no comparisons in it", source=origin.source)
    number = pl.Series(np.arange(1, count + 1)).cast(pl.String).str.zfill(len(str(count)))
    columns: dict[str, Any] = {
        "item": items.interleaved(),
        "rank": np.stack([1 + (outcome == _RIGHT), 1 + (outcome == _LEFT)], axis=1).ravel(),
        "list": Coded(np.repeat(np.arange(count, dtype=np.int32), 2), number),
    }
    columns |= {name: _twice(frame[name]) for name in ("grader", "task") if name in frame.columns}
    if "weight" in frame.columns:
        columns["weight"] = frame["weight"].gather(np.repeat(np.arange(count), 2))
    if "grader" not in columns:
        columns["grader"] = columns["list"]
        notes = (
            *notes,
            f"no grader column: each of the {plural(count, 'comparison')} counts as a grader of its own",
        )
    doubled = Origin(
        origin.source,
        lambda rows: cells.lines(rows // 2),
        {**origin.names, "item": f"{origin.names[sides[0]]}' or '{origin.names[sides[1]]}"},
    )
    won = Direction(
        "comparisons", "first", f"{origin.names[sides[-1 if 'winner' in sides else 0]]!r} names it", "names"
    )
    return build(
        columns, origin=doubled, duplicates=rules.duplicates, ids=rules.ids, notes=notes, direction=won
    )


def _twice(column: pl.Series) -> Coded:
    codes, labels = codes_of(_text(column))
    return Coded(np.repeat(codes, 2), labels)


def _text(column: pl.Series) -> pl.Series:
    return whole_numbers(column).cast(pl.String)
