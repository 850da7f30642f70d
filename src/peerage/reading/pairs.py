"""Tables of comparisons: one row says which of two items is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from peerage._options import named
from peerage._words import listed_lines, plural
from peerage.errors import KEPT_PROBLEMS, DataError, Problem
from peerage.feedback.arrays import LONGEST, ONLY_TASK
from peerage.feedback.cells import Origin, ProblemCollector, as_series, parse_numbers
from peerage.feedback.choices import Direction, Missing
from peerage.feedback.container import Feedback, build_feedback
from peerage.feedback.labels import LabelCodes, drop_unused_labels, number_densely, stable_order
from peerage.reading.columns import find_columns, has_column, note_ignored
from peerage.reading.rules import Rules
from peerage.reading.table import CodedColumns, InputTable, load_coded_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEFT_WORDS = ("left", "l", "a", "1", "first", "model_a", "item_a", "item1")
RIGHT_WORDS = ("right", "r", "b", "2", "second", "model_b", "item_b", "item2")
TIE_WORDS = ("tie", "tied", "draw", "equal", "same", "both", "neither", "=", "0", "0.5", "tie (bothbad)")
OPTIONAL = ("grader", "task", "weight")
EMPTY_WORDS = ("na", "nan", "null")
_LEFT, _RIGHT, _TIE, _EMPTY, _UNKNOWN = np.arange(5, dtype=np.int8)
_BETTER = np.array([1, -1, 0], dtype=np.int8)  # by outcome


def suits(table: InputTable, column_names: Mapping[str, str]) -> bool:
    """Whether there are columns for two items and the better one."""
    return _has_sides(table, column_names) or all(
        has_column(table, column_names, role) for role in ("top", "bottom")
    )


def _has_sides(table: InputTable, column_names: Mapping[str, str]) -> bool:
    if column_names.get("top") or column_names.get("bottom"):
        return False
    return all(has_column(table, column_names, role) for role in ("left", "right", "winner"))


def _sides(table: InputTable, column_names: Mapping[str, str]) -> tuple[str, ...]:
    """The columns that say what was compared, and which was better."""
    return ("left", "right", "winner") if _has_sides(table, column_names) else ("top", "bottom")


def roles(table: InputTable, column_names: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The roles that must have a column, and those that may."""
    return _sides(table, column_names), OPTIONAL


def locate_columns(table: InputTable, column_names: Mapping[str, str]) -> dict[str, int]:
    """The position of each role's column."""
    return find_columns(table, column_names, required=_sides(table, column_names), optional=OPTIONAL)


def read_feedback(table: InputTable, column_names: Mapping[str, str], rules: Rules) -> Feedback:
    """Feedback from comparisons, each a list of its own; without graders each also has its own grader."""
    sides = _sides(table, column_names)
    positions = locate_columns(table, column_names)
    cells = load_coded_columns(table, positions, others=("weight",))
    if cells.rows == 0:
        raise DataError("the table has a header but no rows", source=table.source)
    names = {role: table.header[which] for role, which in positions.items()}
    notes = (*table.notes, *note_ignored(table, list(positions.values())), *cells.notes)
    origin = Origin(table.source, cells.lines, names)
    items = _compared_items(cells.labels[sides[0]], cells.labels[sides[1]])
    _refuse_self_comparisons(items, sides, origin)
    outcome = np.full(cells.rows, _LEFT)
    if "winner" in sides:
        outcome = _outcomes(cells.labels["winner"], items, names)
        kept, left_out = _rows_with_winner(cells.labels["winner"], items, outcome, origin, rules.missing)
        notes += left_out
        if kept is not None:
            cells, items, outcome = cells.only(kept), items.only(kept), outcome[kept]
            origin = Origin(table.source, cells.lines, names)
    if cells.rows == 0:
        raise DataError("there are no comparisons in it", source=table.source)
    return _ComparisonRows(cells, sides, items, outcome, origin).feedback(rules, notes)


class _ComparedItems(NamedTuple):
    """The two items of every row, by their numbers among the labels; -1 where a cell is empty."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    labels: pl.Series

    def only(self, rows: NDArray[np.int64]) -> _ComparedItems:
        """Without the labels that no row has any more."""
        kept = np.stack([self.first[rows], self.second[rows]])
        codes, labels = drop_unused_labels(kept[kept >= 0], self.labels)
        kept[kept >= 0] = codes
        return _ComparedItems(kept[0], kept[1], labels)

    def interleaved(self) -> LabelCodes:
        """A row's first and second after each other."""
        return LabelCodes(np.stack([self.first, self.second], axis=1).ravel(), self.labels)


def _compared_items(first: LabelCodes, second: LabelCodes) -> _ComparedItems:
    """Numbered together."""
    if first.labels.equals(second.labels):
        return _ComparedItems(first.codes, second.codes, first.labels)
    labels = pl.concat([first.labels, second.labels]).unique().sort()
    codes = [
        np.append(_numbers_among(side.labels, labels), np.int32(-1))[side.codes] for side in (first, second)
    ]
    return _ComparedItems(codes[0], codes[1], labels)


def _numbers_among(labels: pl.Series, among: pl.Series, unknown: int = -1) -> NDArray[np.int32]:
    """The number of each label among others."""
    numbers = labels.cast(pl.Enum(among), strict=False).to_physical().cast(pl.Int32).fill_null(unknown)
    return np.asarray(numbers.to_numpy())


def _refuse_self_comparisons(items: _ComparedItems, sides: tuple[str, ...], origin: Origin) -> None:
    same = np.flatnonzero((items.first == items.second) & (items.first >= 0))
    if len(same):
        problems = [
            origin.problem(int(row), sides[1], label, "is compared with itself", "delete the row")
            for row, label in _with_labels(same[:KEPT_PROBLEMS], items)
        ]
        raise DataError(problems, source=origin.source, total=len(same))


def _with_labels(rows: NDArray[np.int64], items: _ComparedItems) -> Iterator[tuple[int, str]]:
    return zip(rows.tolist(), items.labels.gather(items.second[rows]), strict=True)


def _outcomes(winner: LabelCodes, items: _ComparedItems, names: Mapping[str, str]) -> NDArray[np.int8]:
    """Who won each row. The winner is named as the item itself, or as the side it stood on.

    Items may be called '1' and '2', so one reading is chosen for the whole column: the item's own name
    unless the words for the sides explain more rows. A name is looked at once, not in every row.
    """
    codes, labels = winner
    # the item of each label, and of an empty cell behind them; -2 for none, as -1 is an empty cell
    won = np.append(_numbers_among(labels, items.labels, unknown=-2), np.int32(-2))[codes]
    by_item = np.where(won == items.first, _LEFT, np.where(won == items.second, _RIGHT, _UNKNOWN))
    words = labels.str.to_lowercase()
    left, right = (*LEFT_WORDS, names["left"]), (*RIGHT_WORDS, names["right"])
    by_side = _match_words(words, {_LEFT: left, _RIGHT: right})[codes]
    by_name = np.count_nonzero(by_item != _UNKNOWN) >= np.count_nonzero(by_side != _UNKNOWN)
    outcome = by_item if by_name else by_side
    neither = _match_words(words, {_TIE: TIE_WORDS, _EMPTY: EMPTY_WORDS}, empty=_EMPTY)[codes]
    return np.where(outcome == _UNKNOWN, neither, outcome)


def _match_words(
    words: pl.Series, meanings: Mapping[np.int8, Sequence[str]], empty: np.int8 = _UNKNOWN
) -> NDArray[np.int8]:
    """What each word means, the first meaning first, and an empty cell behind them."""
    meaning_of_word = np.full(len(words) + 1, _UNKNOWN)
    meaning_of_word[-1] = empty
    for meaning, synonyms in reversed(list(meanings.items())):
        meaning_of_word[:-1][words.is_in([word.lower() for word in synonyms]).to_numpy()] = meaning
    return meaning_of_word


def _rows_with_winner(
    winner: LabelCodes, items: _ComparedItems, outcome: NDArray[np.int8], origin: Origin, missing: Missing
) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    """The rows to keep, if not all; without a winner they are refused or left out, an odd one refused."""
    if not (outcome >= _EMPTY).any():
        return None, ()
    unknown = np.flatnonzero(outcome == _UNKNOWN)
    empty = np.flatnonzero(outcome == _EMPTY)
    refused = np.sort(np.concatenate([unknown, empty])) if missing == "error" else unknown
    if len(refused):
        problems = [_bad_winner(winner, items, int(row), origin) for row in refused[:KEPT_PROBLEMS]]
        raise DataError(problems, source=origin.source, total=len(refused))
    note = (
        f"{plural(len(empty), 'comparison')} without a winner left out: {listed_lines(origin.lines, empty)}"
    )
    return np.flatnonzero(outcome != _EMPTY), (note,)


def _bad_winner(winner: LabelCodes, items: _ComparedItems, row: int, origin: Origin) -> Problem:
    if winner.codes[row] < 0:
        fix = f"fill it in, delete the row, or leave such rows out with {named('missing', 'drop')}"
        return origin.problem(row, "winner", None, "the winner is empty", fix)
    left, right = (_label(side[row], items.labels) for side in (items.first, items.second))
    rule = f"is neither {left!r} nor {right!r} nor a tie"
    fix = "write the better item, left, right or tie"
    return origin.problem(row, "winner", _label(winner.codes[row], winner.labels), rule, fix)


def _label(code: np.int32, labels: pl.Series) -> str | None:
    return None if code < 0 else str(labels[int(code)])


@dataclass(frozen=True, slots=True)
class _ComparisonRows:
    """Comparisons of which it is known who won."""

    cells: CodedColumns
    sides: tuple[str, ...]
    items: _ComparedItems
    outcome: NDArray[np.int8]
    origin: Origin

    def feedback(self, rules: Rules, notes: tuple[str, ...]) -> Feedback:
        """Each a list of its own, numbered as in the file."""
        if "grader" not in self.cells.labels:
            explanation = f"each of the {plural(self.cells.rows, 'comparison')} counts as a grader of its own"
            notes = (*notes, f"no grader column: {explanation}")
        plain = self._comparisons() if rules.ids == "exact" else None
        if plain is not None and plain.is_plain():
            return from_comparisons(plain, notes=notes, direction=self._direction)
        return self._build_generally(rules, notes)

    def _comparisons(self) -> Comparisons | None:
        """None where a weight is none."""
        weights, complaints = None, ProblemCollector(self.origin)
        if "weight" in self.cells.others:
            column = as_series("weight", self.cells.others["weight"], self.origin)
            weights = np.nan_to_num(parse_numbers(complaints, "weight", column), nan=1.0)
        if complaints.total:
            return None
        (first, second, items), labels = self.items, self.cells.labels
        better = _BETTER[self.outcome]
        return Comparisons(first, second, items, better, labels.get("grader"), labels.get("task"), weights)

    @property
    def _direction(self) -> Direction:
        column = self.origin.names[self.sides[-1 if "winner" in self.sides else 0]]
        return Direction("comparisons", "first", f"{column!r} names it", "names")

    def _build_generally(self, rules: Rules, notes: tuple[str, ...]) -> Feedback:
        """By the general way, which says what is wrong: two rows for every comparison."""
        count, outcome = self.cells.rows, self.outcome
        number = pl.Series(np.arange(1, count + 1)).cast(pl.String).str.zfill(len(str(count)))
        columns: dict[str, Any] = {
            "item": self.items.interleaved(),
            "rank": np.stack([1 + (outcome == _RIGHT), 1 + (outcome == _LEFT)], axis=1).ravel(),
            "list": LabelCodes(np.repeat(np.arange(count, dtype=np.int32), 2), number),
        }
        labels = self.cells.labels
        columns["grader"] = _repeat_twice(labels["grader"]) if "grader" in labels else columns["list"]
        if "task" in labels:
            columns["task"] = _repeat_twice(labels["task"])
        if "weight" in self.cells.others:
            columns["weight"] = self.cells.others["weight"].gather(np.repeat(np.arange(count), 2))
        names, lines = self.origin.names, self.origin.lines
        either = f"{names[self.sides[0]]}' or '{names[self.sides[1]]}"
        doubled = Origin(self.origin.source, lambda rows: lines(rows // 2), {**names, "item": either})
        return build_feedback(
            columns,
            origin=doubled,
            duplicates=rules.duplicates,
            ids=rules.ids,
            notes=notes,
            direction=self._direction,
        )


def _repeat_twice(column: LabelCodes) -> LabelCodes:
    return LabelCodes(np.repeat(column.codes, 2), column.labels)


# -- the arrays -----------------------------------------------------------------------------------------


# Each comparison is a list of two, so there is nothing to sort but lists by their graders. What is built here
# from a million comparisons is what `build_arrays` builds from their two million rows, in a fraction of the
# time. It says nothing of what is wrong with a cell: that is left to the general way.


class Comparisons(NamedTuple):
    """Comparisons, in order: their two items by number, and who judged them. No label is without a row.

    better : 1 where the first is better, -1 where the second is, 0 for a tie
    grader : None where each comparison counts as a grader of its own
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    items: pl.Series
    better: NDArray[np.int8]
    grader: LabelCodes | None = None
    task: LabelCodes | None = None
    weights: NDArray[np.float64] | None = None

    def is_plain(self) -> bool:
        """Whether no cell is empty and no label too long."""
        columns = [
            LabelCodes(self.first, self.items),
            LabelCodes(self.second, self.items),
            self.grader,
            self.task,
        ]
        return all(_is_plain(column) for column in columns if column is not None)


def from_comparisons(
    comparisons: Comparisons, *, notes: tuple[str, ...] = (), direction: Direction | None = None
) -> Feedback:
    """Feedback of plain comparisons of different items, each a list of its own."""
    count = len(comparisons.first)
    task = comparisons.task or LabelCodes(np.zeros(count, dtype=np.int32), pl.Series([ONLY_TASK]))
    grader = comparisons.grader or LabelCodes(
        np.arange(count, dtype=np.int32), _comparison_labels(np.arange(count), count)
    )
    keys = task.codes.astype(np.int64) * len(grader.labels) + grader.codes
    order = stable_order(keys, len(task.labels) * len(grader.labels))
    keys = keys[order]
    several = bool((keys[1:] == keys[:-1]).any())  # a grader has several lists in a task
    first, second, item_tasks, item_labels = _number_items(comparisons, task)
    weights = (
        None
        if comparisons.weights is None or bool((comparisons.weights == 1).all())
        else comparisons.weights[order]
    )
    items, bucket_starts = _entries(first[order], second[order], comparisons.better[order])
    return Feedback(
        items=items,
        bucket_starts=bucket_starts,
        list_starts=np.arange(0, 2 * count + 1, 2),
        list_graders=grader.codes[order],
        list_tasks=task.codes[order],
        item_tasks=item_tasks,
        item_labels=item_labels,
        grader_labels=grader.labels,
        task_labels=task.labels,
        weights=weights,
        list_labels=_comparison_labels(order, count) if several else None,
        notes=notes,
        direction=direction,
    )


def _is_plain(column: LabelCodes) -> bool:
    longest: int = column.labels.str.len_chars().max() or 0  # type: ignore[assignment]
    return int(column.codes.min(initial=0)) >= 0 and longest <= LONGEST


def _number_items(
    comparisons: Comparisons, task: LabelCodes
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], pl.Series]:
    """The items of every comparison, numbered within their tasks; the task of each item, and its label."""
    count, names = len(comparisons.first), comparisons.items
    if len(task.labels) == 1:
        return comparisons.first, comparisons.second, np.zeros(len(names), dtype=np.int32), names
    both = np.concatenate([comparisons.first, comparisons.second]).astype(np.int64)
    dense_numbers, keys = number_densely(both + np.tile(task.codes.astype(np.int64) * len(names), 2))
    numbers = dense_numbers.astype(np.int32)
    tasks = (keys // len(names)).astype(np.int32)
    return numbers[:count], numbers[count:], tasks, names.gather(keys % len(names))


def _entries(
    first: NDArray[np.int32], second: NDArray[np.int32], better: NDArray[np.int8]
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Items and where a bucket opens: the better one first, in a tie the one with the lower number."""
    turned = (better < 0) | ((better == 0) & (second < first))
    items = np.empty(2 * len(first), dtype=np.int32)
    items[0::2] = np.where(turned, second, first)
    items[1::2] = np.where(turned, first, second)
    bucket_starts = np.ones(len(items), dtype=bool)
    bucket_starts[1::2] = better != 0
    return items, bucket_starts


def _comparison_labels(rows: NDArray[np.int64], count: int) -> pl.Series:
    """Comparisons by their numbers from 1, all of one width, so that they sort as they stand in the file."""
    return pl.Series("", rows + (10 ** len(str(count)) + 1)).cast(pl.String).str.slice(1)
