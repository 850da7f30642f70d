"""Whole rankings, as people write them down: in one cell, or one per line.

`P3 > P1 = P7 > P2`; also `P3;P1;P2;`, as Microsoft Forms has it, or `P3, P1, P2`, or `1. P3 2. P1`. Of `<`,
of arrows, and of lists whose name does not say it, the direction is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from peerage._options import named, named_column
from peerage.errors import KEPT_PROBLEMS, DataError, OpenQuestion, Problem
from peerage.feedback.cells import Origin
from peerage.feedback.choices import DecidedBy, Direction
from peerage.reading.columns import MOST_CHOICES
from peerage.reading.content import to_utf8
from peerage.reading.direction import RANKS, WORST_FIRST
from peerage.reading.reading import Reading
from peerage.reading.rows import OPTIONAL, ask_for_grader, find_row_columns, load_rows, row_reviews
from peerage.reading.table import InputTable, ParsedReviews, RoleColumns
from peerage.reading.vocabulary import HeaderHint, hint_in_name, hint_in_names

_SIGNS = (
    ("arrow", re.compile(r"\s*(?:-+>|=+>|→|⇒|»)\s*")),
    ("better", re.compile(r"\s*(?:>+|≻)\s*")),
    ("worse", re.compile(r"\s*(?:<+|≺)\s*")),
)
_TIE_SIGN = re.compile(r"\s*(?:=+|~|≈)\s*")
_NUMBER = re.compile(r"(?:^|(?<=[\s,;]))(\d{1,2})[.):]\s+(?=\S)")
_LINE_NUMBER = re.compile(r"\s*(\d+)[.)]\s+(?=\S)")
_GRADER_AND_ORDER = re.compile(r"([^:>=<→\t]+?)\s*[:\t]\s*(.*)", re.DOTALL)
_GRADER_DASH = re.compile(r"([^:>=<→\t]+?)\s+[-–—]\s+((?:(?!\s[-–—]\s).)*)")
SAMPLED_CELLS = 100
MOST_COLUMNS = 60  # looked at for rankings


class WrittenRanking(NamedTuple):
    """A ranking as it is written: tied items together, in the order of the text, and how that is marked."""

    buckets: list[list[str]]
    sign: str  # better, worse, arrow, tie, number or list


def parse_ranking(text: str, *, lists: bool = False) -> WrittenRanking | None:
    """What a text says; None where it is no ranking. Lists without signs count if ``lists``."""
    text = text.strip()
    for sign, pattern in _SIGNS:
        parts = pattern.split(text)
        if len(parts) > 1:
            buckets = [[label for label in map(str.strip, _tied(part)) if label] for part in parts]
            others = (other for name, other in _SIGNS if name != sign and other.search(text))
            return (
                WrittenRanking(buckets, sign)
                if (all(buckets) and not any(others)) or (sign == "arrow" and all(buckets))
                else None
            )
    places = list(_NUMBER.finditer(text))
    if len(places) > 1 and places[0].start() == 0:
        ends = [match.start() for match in places[1:]] + [len(text)]
        numbered = sorted(
            (int(match[1]), text[match.end() : end].strip(" ,;\n\t"))
            for match, end in zip(places, ends, strict=True)
        )
        return (
            WrittenRanking([[label] for _, label in numbered], "number")
            if all(label for _, label in numbered)
            else None
        )
    tied = _TIE_SIGN.split(text)
    if len(tied) > 1 and all(map(str.strip, tied)):
        return WrittenRanking([list(map(str.strip, tied))], "tie")
    if not lists or re.fullmatch(r"[+-]?\d+,\d+", text):  # a decimal comma
        return None
    for mark in ("\n", ";", ","):
        items = [item.strip() for item in text.split(mark) if item.strip()]
        if len(items) > 1:
            return WrittenRanking([[item] for item in items], "list")
    return None


def _tied(part: str) -> list[str]:
    if part.startswith("{") and part.endswith("}"):
        return part[1:-1].split(",")
    return _TIE_SIGN.split(part)


def decide_order(
    signs: set[str], hint: HeaderHint, reading: Reading, name: str, source: str | None, line: int | None
) -> Direction:
    """Whether what stands first is best: as somebody said, as a name or a sign says, or asked."""

    def first(why: str, by: DecidedBy) -> Direction:
        return Direction("orders", "first", why, by)

    def last(why: str, by: DecidedBy) -> Direction:
        return Direction("orders", "last", why, by)

    if reading.direction == "ranks":
        return first("you said so", "you")
    if reading.direction == "worst-first":
        return last("you said so", "you")
    if reading.direction != "auto":
        rule = f"{name!r} holds rankings, and no numbers"
        raise DataError(Problem(rule, fix="leave that option out"), source=source)
    signs = signs - {"tie"} or {"better"}
    by_sign = {"better": "low", "worse": "high"}.get(next(iter(signs))) if len(signs) == 1 else None
    if hint.best is not None and (by_sign is None or hint.best == by_sign):
        return (first if hint.best == "low" else last)(f"{hint.name!r} says so", "names")
    if by_sign == "low" and hint.best is None and not hint.contradicts:
        return first("the better items stand before >", "values")
    plain = hint.best is None and not hint.contradicts and not hint.remark
    if signs <= {"list", "number"} and hint.measure == "ranks" and plain:
        return first(f"{hint.name!r} is the name of rankings", "names")
    rule = f"{name!r} holds rankings, and nothing says whether the best or the worst stands first"
    choices = [WORST_FIRST, RANKS] if by_sign == "high" or hint.best == "high" else [RANKS, WORST_FIRST]
    either, other = named("direction", "ranks"), named("direction", "worst-first")
    fix = f"say {either} if what stands first is best, {other} if it is worst"
    raise OpenQuestion(Problem(rule, line=line, fix=fix), choices=choices, source=source)


def option_of_order(direction: Direction) -> dict[str, str]:
    """The option that says it."""
    return WORST_FIRST if direction.best == "last" else RANKS


# -- a ranking in one cell --------------------------------------------------------------------------------


class RankingColumn:
    """A ranking in one cell: `P3 > P1 = P7 > P2`, or `P3;P1;P2;`, as Microsoft Forms writes it."""

    def suits(self, table: InputTable, column_names: Mapping[str, str]) -> bool:
        """Whether a column was named, or one holds rankings."""
        return bool(column_names.get("order")) or bool(_ranking_columns(table, column_names))

    def read_reviews(self, table: InputTable, reading: Reading) -> ParsedReviews:
        """Rankings that are written out; every row is one list."""
        name = self._order_column(table, reading.columns)
        positions = find_row_columns(table, {**reading.columns, "order": name}, ("order", *OPTIONAL))
        name = table.header[positions["order"]]
        ask_for_grader(table, positions, (), reading)
        cells = load_rows(table, reading, positions, {})
        parsed = self._parse(cells, name, table)
        if not parsed:
            raise table.error("there are no rankings in it")
        hint = hint_in_name(name).combine(hint_in_names(table.titles))
        signs = {ranking.sign for ranking in parsed.values()}
        direction = decide_order(signs, hint, reading, name, table.source, table.header_line)
        entries = [
            (row, item, rank)
            for row, ranking in parsed.items()
            for rank, bucket in enumerate(_best_first(ranking, direction), start=1)
            for item in bucket
        ]
        rows, items, ranks = (list(column) for column in zip(*entries, strict=True))
        return row_reviews(
            "orders", table, cells, positions, (), np.array(rows, dtype=np.int64),
            {"item": pl.Series(items), "rank": ranks},
            said=option_of_order(direction), direction=direction,
        )  # fmt: skip

    def _order_column(self, table: InputTable, column_names: Mapping[str, str]) -> str:
        if column_names.get("order"):
            return column_names["order"]
        names = [table.header[which] for which in _ranking_columns(table, column_names)]
        if len(names) == 1:
            return names[0]
        fix = f"say which one holds the order with {named_column('order')}"
        rule = f"{', '.join(map(repr, names))} could each be the order"
        if not names:
            rule = "no column holds rankings such as 'A > B > C'"
        raise table.question(rule, fix, [{"columns": {"order": name}} for name in names[:MOST_CHOICES]])

    def _parse(self, cells: RoleColumns, name: str, table: InputTable) -> dict[int, WrittenRanking]:
        parsed: dict[int, WrittenRanking] = {}
        problems: list[Problem] = []
        for row, cell in enumerate(cells.frame["order"].cast(pl.String)):
            text = (cell or "").strip()
            ranking = parse_ranking(text, lists=True)
            if ranking is not None:
                parsed[row] = ranking
            elif text and len(problems) < KEPT_PROBLEMS:
                line = int(cells.lines(np.array([row]))[0])
                fix = "write the items best first, as in A > B = C"
                problems.append(Problem("is not a ranking", line=line, column=name, value=text, fix=fix))
        if problems:
            raise DataError(problems, source=table.source)
        return parsed


def _best_first(ranking: WrittenRanking, direction: Direction) -> list[list[str]]:
    return ranking.buckets if direction.best == "first" else ranking.buckets[::-1]


def _ranking_columns(table: InputTable, column_names: Mapping[str, str]) -> list[int]:
    taken = {name.strip() for name in column_names.values()}
    looked_at = range(min(len(table.header), MOST_COLUMNS))
    sample = table.first_rows(looked_at, SAMPLED_CELLS)
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
    signs = [ranking.sign for cell in cells if (ranking := parse_ranking(cell)) is not None]
    if 10 * len(signs) >= 9 * len(cells) and set(signs) != {"tie"}:
        return True
    lists = [ranking for cell in cells if (ranking := parse_ranking(cell, lists=True)) is not None]
    if 10 * len(lists) < 9 * len(cells):
        return False
    hint = hint_in_name(name)
    differ = len({tuple(bucket[0] for bucket in ranking.buckets) for ranking in lists}) > 1
    return _recur(lists) and (hint.measure == "ranks" or hint.best is not None or differ)


# -- a ranking per line -----------------------------------------------------------------------------------


class RankingLines:
    """Rankings line by line, with or without who made them: `P3 > P1 = P7 > P2`, `ada: P3 > P1`.

    A first line that is none may say what stands first: `Rankings, worst first`.
    """

    def suits(self, head: str) -> bool:
        """Whether every line that says something is a ranking, and the first of them is no header of a table.

        What ends where the beginning is cut off does not count.
        """
        lines = [line for line in head.splitlines() if line.strip() and not _is_comment(line)][:50]
        whole = lines[:-1] if len(lines) > 20 else lines
        if len(whole) > 1 and _parse_line(whole[0]) is None and _is_title(whole[0]):
            whole = whole[1:]
        if (unnumbered := _without_line_numbers(whole)) is not None:
            parsed = [_parse_line(line, lists=True) for line in unnumbered]
            return None not in parsed and _recur([ranking for _, ranking in filter(None, parsed)])
        parsed = [_parse_line(line) for line in whole]
        signs = {ranking[1].sign for ranking in parsed if ranking is not None}
        return None not in parsed and bool(signs - {"tie"})

    def read_reviews(self, data: bytes, *, source: str | None, reading: Reading) -> ParsedReviews:
        """Lines of rankings; a line that names nobody is a grader of its own."""
        text, notes = to_utf8(data, reading.encoding, source)
        parsed: list[tuple[int, str | None, WrittenRanking]] = []
        problems: list[Problem] = []
        title = ""
        lines = {
            number: line
            for number, line in enumerate(text.decode("utf-8").split("\n"), 1)
            if line.strip() and not _is_comment(line)
        }
        numbered = [number for number, line in lines.items() if _LINE_NUMBER.match(line)]
        unnumbered = _without_line_numbers([lines[number] for number in numbered])
        if unnumbered is not None:
            lines |= dict(zip(numbered, unnumbered, strict=True))
        for number, line in lines.items():
            ranking = _parse_line(line, lists=unnumbered is not None and number in numbered)
            if ranking is not None:
                parsed.append((number, *ranking))
            elif not parsed and not title and not problems and _is_title(line):
                title = line.strip()
                notes = (*notes, f"1 line above the rankings left out: {title!r}")
            else:
                fix = "write the items best first, as in 'ada: A > B = C'"
                problems.append(Problem("is not a ranking", line=number, value=line.strip(), fix=fix))
        if problems:
            raise DataError(problems, source=source)
        if not parsed:
            raise DataError("there are no rankings in it", source=source)
        signs = {ranking.sign for _, _, ranking in parsed}
        direction = decide_order(signs, hint_in_name(title), reading, "the text", source, None)
        nameless = sum(name is None for _, name, _ in parsed)
        if nameless:
            notes = (*notes, f"no grader names: each of {nameless} lines counts as a grader of its own")
        rows = [
            (number, name or f"line {number}", item, rank)
            for number, name, ranking in parsed
            for rank, bucket in enumerate(_best_first(ranking, direction), 1)
            for item in bucket
        ]
        numbers, graders, items, ranks = (list(column) for column in zip(*rows, strict=True))
        line_numbers = np.array(numbers)
        columns = {
            "grader": pl.Series(graders),
            "list": pl.Series([f"{number:09d}" for number in numbers]),
            "item": pl.Series(items),
            "rank": pl.Series(ranks),
        }
        return ParsedReviews(
            columns,
            Origin(source, lambda entries: line_numbers[entries]),
            notes,
            direction=direction,
            said={"format": "lines", **option_of_order(direction)},
        )


def _is_comment(line: str) -> bool:
    """`# a remark` is one, `#3 > #1` a ranking."""
    return line.startswith("#") and (line[1:2].isspace() or _parse_line(line) is None)


def _is_title(line: str) -> bool:
    """Words without signs, and not the header of a table."""
    return not re.search(r"[<>=;\t|]", line) and (
        "," not in line or bool(hint_in_name(line).best) or bool(hint_in_name(line).measure)
    )


def _without_line_numbers(lines: Sequence[str]) -> list[str] | None:
    """Lines that are numbered 1) 2) 3), without their numbers; None where they are not."""
    numbers = [_LINE_NUMBER.match(line) for line in lines]
    if len(lines) < 2 or [match and int(match[1]) for match in numbers] != list(range(1, len(lines) + 1)):
        return None
    return [_LINE_NUMBER.sub("", line, count=1) for line in lines]


def _recur(rankings: Sequence[WrittenRanking]) -> bool:
    """Whether most items are in several rankings; otherwise the numbers of the lines may be ranks."""
    counts = Counter(item for ranking in rankings for bucket in ranking.buckets for item in bucket)
    return sum(count for count in counts.values() if count > 1) >= 0.8 * sum(counts.values())


def _parse_line(line: str, *, lists: bool = False) -> tuple[str | None, WrittenRanking] | None:
    """Who made it, and the ranking; lists without a grader count if ``lists``."""
    match = _GRADER_AND_ORDER.fullmatch(line.strip()) or _GRADER_DASH.fullmatch(line.strip())
    grader, order = (match[1].strip(), match[2]) if match else (None, line)
    lists = (lists or bool(re.match(r"[^:,;\"]+:\s", line))) and '"' not in order and ";" not in order
    ranking = parse_ranking(order, lists=lists)
    if ranking is None and match:
        grader, order, ranking = None, line, parse_ranking(line)
    if ranking is None or (ranking.sign != "list" and {",", ";", "\t"} & set(order)):
        return None
    return grader, ranking
