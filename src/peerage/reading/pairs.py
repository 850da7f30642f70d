"""Tables of comparisons: one row says which of two items is better."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from peerage._options import named, named_column
from peerage._words import listed_lines, plural
from peerage.errors import KEPT_PROBLEMS, DataError, OpenQuestion, Problem
from peerage.feedback.cells import Origin, ProblemCollector, as_series, parse_numbers
from peerage.feedback.choices import Direction, Missing
from peerage.feedback.comparisons import Comparisons, from_comparisons
from peerage.feedback.container import Feedback, build_feedback
from peerage.feedback.labels import (
    LabelCodes,
    drop_unused_labels,
    sort_labels,
)
from peerage.reading.columns import candidate_columns, find_columns, has_column, note_ignored, unused_columns
from peerage.reading.reading import Reading
from peerage.reading.table import CodedColumns, InputTable, ParsedReviews, load_coded_columns
from peerage.reading.vocabulary import is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEFT_WORDS = (
    "left", "l", "a", "first", "model_a", "item_a", "item1", "the left", "the first", "the first one",
    "links", "gauche", "izquierda",
)  # fmt: skip
RIGHT_WORDS = (
    "right", "r", "b", "second", "model_b", "item_b", "item2", "the right", "the second", "the second one",
    "rechts", "droite", "derecha",
)  # fmt: skip
TIE_WORDS = (
    "tie", "tied", "draw", "equal", "same", "both", "neither", "=", "0.5", "tie (bothbad)", "no preference",
    "unentschieden", "gleich", "egalite", "égalité", "empate",
)  # fmt: skip
OPTIONAL = ("grader", "task", "weight")
EMPTY_WORDS = ("na", "nan", "null")
EXAMPLES = 200  # comparisons among which examples are chosen
_LEFT, _RIGHT, _TIE, _EMPTY, _UNKNOWN = np.arange(5, dtype=np.int8)
_BETTER = np.array([1, -1, 0], dtype=np.int8)  # by outcome
_OTHER = np.array([_RIGHT, _LEFT, _TIE, _EMPTY, _UNKNOWN])  # where the loser is named


_BETTER_QUESTION = re.compile(
    r"\b(?:better|best|prefer(?:red)?|winner|stronger|won|besser|bevorzugt|mieux|meilleur|prefere|mejor|prefieres?)\b",
    re.IGNORECASE,
)
_WORSE_QUESTION = re.compile(r"\b(?:worse|weaker|worst|loser|lost|schlechter|pire|peor)\b", re.IGNORECASE)


def suits(table: InputTable, column_names: Mapping[str, str]) -> bool:
    """Whether there are columns for two items and the better one, by their names or by what they hold."""
    if any(column_names.get(role) for role in ("left", "top")):
        return True
    if _has_sides(table, column_names):
        return True
    if all(has_column(table, column_names, role) for role in ("top", "bottom")):
        return not any(re.search(r"\b(?:middle|mitte|milieu|medio)\b", name.lower()) for name in table.header)
    return bool(_sides_by_cells(table, column_names))


def _has_sides(table: InputTable, column_names: Mapping[str, str]) -> bool:
    if column_names.get("top") or (column_names.get("bottom") and not column_names.get("left")):
        return False
    both = all(has_column(table, column_names, role) for role in ("left", "right"))
    return both and any(has_column(table, column_names, role) for role in ("winner", "bottom"))


def _sides(table: InputTable, column_names: Mapping[str, str]) -> tuple[str, ...]:
    """The columns that say what was compared, and which was better, or worse."""
    if not _has_sides(table, column_names):
        return ("top", "bottom")
    return ("left", "right", "winner" if has_column(table, column_names, "winner") else "bottom")


def _sides_by_cells(table: InputTable, column_names: Mapping[str, str]) -> tuple[int, int, int] | None:
    """Two columns and a third that repeats one of them in every row, or answers which of them is better."""
    width = min(len(table.header), 8)
    if width < 3 or any(column_names.get(role) for role in ("item", "rank", "score", "order")):
        return None
    taken = {name for name in column_names.values() if name}
    cells = [
        column.cast(pl.String).str.strip_chars().to_list() for column in table.first_rows(range(width), 200)
    ]
    free = [which for which in range(width) if table.header[which] not in taken]
    return _repeated_side(table, cells, free) or _answered_side(table, cells, free)


def _repeated_side(
    table: InputTable, cells: Sequence[list[str | None]], free: Sequence[int]
) -> tuple[int, int, int] | None:
    for answer in free:
        name = table.header[answer]
        asks = _BETTER_QUESTION.search(name) or _WORSE_QUESTION.search(name)
        if not asks and (len(free) > 5 or any(map(is_number, cells[answer]))):
            continue
        for left, right in combinations([which for which in free if which != answer], 2):
            if _repeats_either(cells[answer], cells[left], cells[right]):
                return left, right, answer
    return None


def _answered_side(
    table: InputTable, cells: Sequence[list[str | None]], free: Sequence[int]
) -> tuple[int, int, int] | None:
    """A column of codes beside two that are called left and right, or after two and called a question."""
    answers = {which: {str(cell).lower() for cell in cells[which] if cell} for which in free}
    sides = [candidate_columns(table.header, role) for role in ("left", "right")]
    if all(len(side) == 1 for side in sides):
        left, right = sides[0][0], sides[1][0]
        for answer in free:
            coded = len(answers[answer]) > 1 and any(answers[answer] <= codes for codes in _CODES)
            if answer not in (left, right) and coded:
                return left, right, answer
    asked = [which for which in free if _BETTER_QUESTION.search(table.header[which])]
    if len(asked) == 1 and asked[0] >= 2:
        sided = {*LEFT_WORDS, *RIGHT_WORDS, "1", "2"}
        if answers[asked[0]] & sided and answers[asked[0]] <= {*sided, *TIE_WORDS, "0"}:
            return asked[0] - 2, asked[0] - 1, asked[0]
    return None


def _repeats_either(answers: list[str | None], left: list[str | None], right: list[str | None]) -> bool:
    rows = [row for row in zip(answers, left, right, strict=True) if row[0] and row[1] and row[2]]
    named = [row for row in rows if row[0] in row[1:]]
    ties = sum((row[0] or "").lower() in TIE_WORDS for row in rows)
    differ = all(row[1] != row[2] for row in rows)
    differ &= len(rows) == len(answers) and len({label for row in rows for label in row[1:]}) > 2
    sides = {row[0] == row[1] for row in named}
    return (
        len(named) >= 2 and len(named) + ties == len(rows) and differ and (len(sides) == 2 or len(named) < 4)
    )


def _locate_columns(table: InputTable, column_names: Mapping[str, str]) -> dict[str, int]:
    """The position of each role's column."""
    by_cells = not _has_sides(table, column_names) and not all(
        has_column(table, column_names, role) for role in ("top", "bottom")
    )
    if by_cells and (found := _sides_by_cells(table, column_names)):
        left, right, answer = (table.header[which] for which in found)
        better, worse = _BETTER_QUESTION.search(answer), _WORSE_QUESTION.search(answer)
        rule = f"{answer!r} repeats {left!r} or {right!r}: it may say which of the two is better"
        sides = {"left": left, "right": right}
        winner, loser = (
            {"columns": {**sides, role: answer}, "format": "pairs"} for role in ("winner", "bottom")
        )
        choices = [loser] if worse and not better else [winner] if better else [winner, loser]
        named_sides = f"{named_column('left', left)}, {named_column('right', right)}"
        fix = f"say {named_sides} and {named_column('winner', answer)}"
        raise table.question(rule, fix, choices)
    return find_columns(table, column_names, required=_sides(table, column_names), optional=OPTIONAL)


def read_reviews(table: InputTable, reading: Reading) -> ParsedReviews:
    """Comparisons, each a list of its own; without graders each also has its own grader."""
    sides = _sides(table, reading.columns)
    positions = _locate_columns(table, reading.columns)
    cells = load_coded_columns(table, positions, others=("weight",))
    if cells.rows == 0:
        raise table.error("the table has a header but no rows")
    names = {role: table.header[which] for role, which in positions.items()}
    used = [*positions.values()]
    if sides[-1] == "winner":
        used += candidate_columns(table.header, "bottom", used)  # says the same once more
    notes = (*table.notes, *note_ignored(table, used), *cells.notes)
    origin = Origin(table.source, cells.lines, names)
    items = _compared_items(cells.labels[sides[0]], cells.labels[sides[1]])
    _refuse_self_comparisons(items, sides, origin)
    outcome = np.full(cells.rows, _LEFT)
    if len(sides) == 3:
        answer = cells.labels[sides[2]]
        outcome = _outcomes(answer, items, names, reading, table)
        kept, left_out = _rows_with_winner(answer, items, outcome, origin, reading.missing)
        notes += left_out
        if kept is not None:
            cells, items, outcome = cells.only(kept), items.only(kept), outcome[kept]
            origin = Origin(table.source, cells.lines, names)
        if sides[2] == "bottom":
            outcome = _OTHER[outcome]
    if cells.rows == 0:
        raise table.error("there are no comparisons in it")
    comparisons = _ComparisonRows(cells, sides, items, outcome, origin)
    said = {"format": "pairs", "columns": names, "ignore": unused_columns(table, used)}
    first = comparisons.only(np.arange(min(cells.rows, EXAMPLES)))
    return ParsedReviews(
        first.columns(cells.rows), first.doubled_origin, notes, direction=comparisons.direction, said=said,
        feedback=comparisons.feedback(reading, notes),
    )  # fmt: skip


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
    labels = sort_labels(pl.concat([first.labels, second.labels]).unique())
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


def _outcomes(
    winner: LabelCodes, items: _ComparedItems, names: Mapping[str, str], reading: Reading, table: InputTable
) -> NDArray[np.int8]:
    """Who won each row. The winner is named as the item itself, or as the side it stood on.

    Items may be called '1' and '2', so one reading is chosen for the whole column: the item's own name
    unless the words for the sides explain more rows. A name is looked at once, not in every row.
    """
    codes, labels = winner
    # the item of each label, and of an empty cell behind them; -2 for none, as -1 is an empty cell
    won = np.append(_numbers_among(labels, items.labels, unknown=-2), np.int32(-2))[codes]
    by_item = np.where(won == items.first, _LEFT, np.where(won == items.second, _RIGHT, _UNKNOWN))
    words = labels.str.to_lowercase()
    said = {
        side: tuple(code.lower() for code, meant in reading.winner.items() if meant == side)
        for side in _SIDES
    }
    left, right = (*LEFT_WORDS, names["left"], *said["left"]), (*RIGHT_WORDS, names["right"], *said["right"])
    by_side = _match_words(words, {_LEFT: left, _RIGHT: right})[codes]
    by_name = np.count_nonzero(by_item != _UNKNOWN) >= np.count_nonzero(by_side != _UNKNOWN)
    outcome = by_item if by_name and not reading.winner else by_side
    neither = _match_words(words, {_TIE: (*TIE_WORDS, *said["tie"]), _EMPTY: EMPTY_WORDS}, empty=_EMPTY)[
        codes
    ]
    outcome = np.where(outcome == _UNKNOWN, neither, outcome)
    if not reading.winner and (outcome == _UNKNOWN).any():
        _ask_about_codes(labels, names, table)
    return outcome


_SIDES = ("left", "right", "tie")
_CODES: dict[frozenset[str], list[str]] = {  # what codes may mean, the most likely first: left, right, tie
    frozenset("01"): ["1 0", "0 1"],
    frozenset("12"): ["1 2", "2 1"],
    frozenset("012"): ["1 2 0", "2 1 0", "0 1 2"],
    frozenset("123"): ["1 2 3", "2 1 3"],
    frozenset(("-1", "1")): ["1 -1", "-1 1"],
    frozenset(("-1", "0", "1")): ["1 -1 0", "-1 1 0"],
    frozenset(("<", ">")): ["> <", "< >"],
    frozenset(("yes", "no")): ["yes no", "no yes"],
    frozenset(("true", "false")): ["true false", "false true"],
    frozenset(("ja", "nein")): ["ja nein", "nein ja"],
    frozenset(("oui", "non")): ["oui non", "non oui"],
}  # fmt: skip


def _ask_about_codes(labels: pl.Series, names: Mapping[str, str], table: InputTable) -> None:
    """Codes such as 0 and 1 stand for a side; which one, only the person who made the file knows."""
    numbers = {label.lower() for label in labels if label.lower() not in (*TIE_WORDS, *EMPTY_WORDS)}
    possible = next((meanings for codes, meanings in _CODES.items() if numbers and numbers <= codes), None)
    if possible is None:
        return
    column = names.get("winner", names.get("bottom"))
    choices = [
        {
            "winner": {
                code: side for code, side in zip(meaning.split(), _SIDES, strict=False) if code in numbers
            }
        }
        for meaning in possible
    ]
    listed = ", ".join(sorted(numbers))
    rule = f"holds the codes {listed}, and nothing says which of them is {names['left']!r}"
    fix = f"say {named('winner', '0=left')} or the like"
    raise table.question(rule, fix, choices, column=column)


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
        choices = () if len(unknown) else ({"missing": "drop"},)
        raise OpenQuestion(problems, choices=choices, source=origin.source, total=len(refused))
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

    def feedback(self, reading: Reading, notes: tuple[str, ...]) -> Feedback:
        """Each a list of its own, numbered as in the file."""
        if "grader" not in self.cells.labels:
            explanation = f"each of the {plural(self.cells.rows, 'comparison')} counts as a grader of its own"
            notes = (*notes, f"no grader column: {explanation}")
        plain = self._comparisons() if reading.ids == "exact" else None
        if plain is not None and plain.is_plain():
            return from_comparisons(plain, notes=notes, direction=self.direction)
        return build_feedback(
            self.columns(),
            origin=self.doubled_origin,
            duplicates=reading.duplicates,
            ids=reading.ids,
            notes=notes,
            direction=self.direction,
        )

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
    def direction(self) -> Direction:
        column = self.origin.names[self.sides[-1 if len(self.sides) == 3 else 0]]
        return Direction("comparisons", "first", f"{column!r} names it", "names")

    def only(self, rows: NDArray[np.int64]) -> _ComparisonRows:
        """These rows."""
        cells = self.cells.only(rows)
        origin = replace(self.origin, lines=cells.lines)
        return replace(
            self, cells=cells, items=self.items.only(rows), outcome=self.outcome[rows], origin=origin
        )

    def columns(self, total: int | None = None) -> dict[str, Any]:
        """Two rows for every comparison, of which there may be more in ``total``."""
        count, outcome = self.cells.rows, self.outcome
        width = len(str(total or count))
        number = pl.Series(np.arange(1, count + 1)).cast(pl.String).str.zfill(width)
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
        return columns

    @property
    def doubled_origin(self) -> Origin:
        names, lines = self.origin.names, self.origin.lines
        either = f"{names[self.sides[0]]}' or '{names[self.sides[1]]}"
        return Origin(self.origin.source, lambda rows: lines(rows // 2), {**names, "item": either})


def _repeat_twice(column: LabelCodes) -> LabelCodes:
    return LabelCodes(np.repeat(column.codes, 2), column.labels)
