"""Tables of comparisons: one row says which of two items is better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._naming import named
from peerage._words import listed_lines, plural
from peerage.errors import KEPT_PROBLEMS, DataError, Problem
from peerage.feedback import Coded, Direction, Feedback, Missing, Origin, build, codes_of, whole_numbers
from peerage.reading.columns import find_columns, has, ignored
from peerage.reading.rules import Rules
from peerage.reading.table import Cells, Table, load_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEFT_WORDS = ("left", "l", "a", "1", "first", "model_a", "item_a", "item1")
RIGHT_WORDS = ("right", "r", "b", "2", "second", "model_b", "item_b", "item2")
TIE_WORDS = ("tie", "tied", "draw", "equal", "same", "both", "neither", "=", "0", "0.5", "tie (bothbad)")
OPTIONAL = ("grader", "task", "weight")
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
    _refuse_self_comparisons(frame, sides, origin)
    if "winner" in sides:
        outcome = _outcomes(frame, names)
        frame, outcome, cells, left_out = _known(frame, outcome, cells, origin, rules.missing)
        notes += left_out
    else:
        outcome = np.full(len(frame), _LEFT)
    origin = Origin(table.source, cells.lines, names)
    return _built(frame, sides, outcome, cells, origin, rules, notes)


def _refuse_self_comparisons(frame: pl.DataFrame, sides: tuple[str, ...], origin: Origin) -> None:
    first, second = (frame[side].str.strip_chars() for side in sides[:2])
    same = ((first == second) & (first != "")).fill_null(False).arg_true().to_numpy()
    if len(same):
        problems = [
            origin.problem(int(row), sides[1], second[int(row)], "is compared with itself", "delete the row")
            for row in same[:KEPT_PROBLEMS]
        ]
        raise DataError(problems, source=origin.source, total=len(same))


def _outcomes(frame: pl.DataFrame, names: Mapping[str, str]) -> NDArray[np.int64]:
    """Who won each row. The winner is named as the item itself, or as the side it stood on.

    Items may be called '1' and '2', so one reading is chosen for the whole column: the item's own name
    unless the words for the sides explain more rows.
    """
    winner = frame["winner"].str.strip_chars().fill_null("")
    left, right = (frame[side].str.strip_chars().fill_null("") for side in ("left", "right"))
    named = _chosen(winner == left, winner == right)
    word = winner.str.to_lowercase()
    sided = _chosen(
        word.is_in([*LEFT_WORDS, names["left"].lower()]), word.is_in([*RIGHT_WORDS, names["right"].lower()])
    )
    outcome = named if (named != _UNKNOWN).sum() >= (sided != _UNKNOWN).sum() else sided
    unknown = outcome == _UNKNOWN
    outcome[unknown & word.is_in(TIE_WORDS).to_numpy()] = _TIE
    outcome[unknown & word.is_in(["", "na", "nan", "null"]).to_numpy()] = _EMPTY
    return outcome


def _chosen(is_left: pl.Series, is_right: pl.Series) -> NDArray[np.int64]:
    return np.select([is_left.to_numpy(), is_right.to_numpy()], [_LEFT, _RIGHT], _UNKNOWN)


def _known(
    frame: pl.DataFrame, outcome: NDArray[np.int64], cells: Cells, origin: Origin, missing: Missing
) -> tuple[pl.DataFrame, NDArray[np.int64], Cells, tuple[str, ...]]:
    """Rows whose winner is empty are refused or left out; those with an unknown winner are refused."""
    unknown = np.flatnonzero(outcome == _UNKNOWN)
    empty = np.flatnonzero(outcome == _EMPTY)
    refused = np.sort(np.concatenate([unknown, empty])) if missing == "error" else unknown
    if len(refused):
        problems = [_bad_winner(frame, int(row), origin) for row in refused[:KEPT_PROBLEMS]]
        raise DataError(problems, source=origin.source, total=len(refused))
    if len(empty) == 0:
        return frame, outcome, cells, ()
    note = f"{plural(len(empty), 'comparison')} without a winner left out: {listed_lines(cells.lines, empty)}"
    kept = np.flatnonzero(outcome != _EMPTY)
    shorter = Cells(frame[kept], lambda rows: cells.lines(kept[rows]), ())
    return shorter.frame, outcome[kept], shorter, (note,)


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
        "item": _interleaved(frame[sides[0]], frame[sides[1]]),
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


def _interleaved(first: pl.Series, second: pl.Series) -> Coded:
    """Labels of two columns, numbered together: a row's first and second after each other."""
    codes, labels = codes_of(pl.concat([_text(first), _text(second)]))
    return Coded(np.ascontiguousarray(codes.reshape(2, -1).T).ravel(), labels)


def _twice(column: pl.Series) -> Coded:
    codes, labels = codes_of(_text(column))
    return Coded(np.repeat(codes, 2), labels)


def _text(column: pl.Series) -> pl.Series:
    return whole_numbers(column).cast(pl.String)
