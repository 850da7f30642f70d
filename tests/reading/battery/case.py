"""A file of the battery with its truth, and how rows become bytes without losing whose line is which."""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.reading.battery.truth import Key, Truth


@dataclass(frozen=True)
class Lines:
    """Where a list stands: a sentence about it names all of `sure`, and none that is not `possible`."""

    sure: frozenset[int]
    possible: frozenset[int]


@dataclass(frozen=True)
class Case:
    """A file. `truth=None` must never be graded; `own` must be refused without offering a reading.

    `usual`: headers say it in the usual words, values do not contradict, no column is open.
    `refusable`: why a refusal is all right.
    """

    name: str
    filename: str
    data: bytes
    truth: Truth | None
    usual: bool = False
    refusable: str = ""
    own: bool = False
    lines: dict[Key, Lines] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """Cells, and the lists that they belong to: a sentence about such a list names the line.

    Of a list in `maybe`, it may or may not: a row that counts for nothing, an empty cell.
    """

    cells: Sequence[object]
    keys: tuple[Key, ...] = ()
    maybe: tuple[Key, ...] = ()


class Table:
    """Rows in the order of the file."""

    def __init__(self, *heads: Sequence[object]) -> None:
        self.rows = [Row(head) for head in heads]

    def add(self, cells: Sequence[object], *keys: Key, maybe: tuple[Key, ...] = ()) -> "Table":
        self.rows.append(Row(cells, keys, maybe))
        return self


def _places(numbered: Iterable[tuple[int, Row]]) -> dict[Key, Lines]:
    sure: dict[Key, set[int]] = defaultdict(set)
    possible: dict[Key, set[int]] = defaultdict(set)
    for number, row in numbered:
        for key in row.keys + row.maybe:
            possible[key].add(number)
        for key in row.keys:
            sure[key].add(number)
    return {key: Lines(frozenset(sure[key]), frozenset(possible[key])) for key in possible}


def csv_case(
    name: str,
    truth: Truth | None,
    table: Table,
    *,
    filename: str = "reviews.csv",
    delimiter: str = ",",
    encoding: str = "utf-8",
    quote_all: bool = False,
    usual: bool = False,
    refusable: str = "",
) -> Case:
    texts = [_csv_row(row.cells, delimiter, quote_all=quote_all) for row in table.rows]
    number, numbered = 1, []
    for row, text in zip(table.rows, texts, strict=True):
        numbered.append((number, row))
        number += text.count("\n")
    data = "".join(texts).encode(encoding)
    return Case(name, filename, data, truth, usual, refusable, lines=_places(numbered))


def _csv_row(cells: Sequence[object], delimiter: str, *, quote_all: bool) -> str:
    text = io.StringIO()
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting).writerow(cells)
    return text.getvalue()


def book_case(name: str, truth: Truth, sheets: dict[str, Table], *, usual: bool = False) -> Case:
    numbered = [pair for table in sheets.values() for pair in enumerate(table.rows, 1)]
    data = as_workbook({title: [row.cells for row in table.rows] for title, table in sheets.items()})
    return Case(name, "reviews.xlsx", data, truth, usual, lines=_places(numbered))


def text_case(
    name: str, truth: Truth, rows: Sequence[Row], *, usual: bool = False, filename: str = "rankings.txt"
) -> Case:
    """Each row has one cell, the line."""
    data = "".join(f"{row.cells[0]}\n" for row in rows).encode()
    return Case(name, filename, data, truth, usual, lines=_places(enumerate(rows, 1)))


def as_workbook(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    import xlsxwriter

    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as workbook:
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            for number, row in enumerate(rows):
                for column, cell in enumerate(row):
                    if cell is not None:
                        sheet.write(number, column, cell)
    return stream.getvalue()


def number(value: float, comma: bool = False) -> str:
    return f"{value:g}".replace(".", ",") if comma else f"{value:g}"
