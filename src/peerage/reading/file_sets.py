"""A table in many files, read one after the other: memory holds the text of one of them at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peerage.errors import DataError, Problem
from peerage.feedback.cells import NUMBERS, ProblemCollector, parse_numbers
from peerage.feedback.labels import LabelCodes
from peerage.reading import long
from peerage.reading.content import content_of
from peerage.reading.exports import clean_export
from peerage.reading.formats import LAYOUTS, TABLE_FILES, recognise_file, recognise_layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.reading.content import FileSet
    from peerage.reading.reading import Reading
    from peerage.reading.table import InputTable
    from peerage.reading.vocabulary import HeaderHint


class FileRows(NamedTuple):
    """The rows of one file: labels as numbers, NaN for empty numbers, and the line of every row."""

    path: str
    labels: dict[str, LabelCodes]
    numbers: dict[str, NDArray[np.float64]]
    lines: NDArray[np.int64]


class TableSchema(NamedTuple):
    """What all files of a set must have in common, and the line of the first one's header."""

    header: tuple[str, ...]
    hint: HeaderHint
    names: Mapping[str, str]
    line: int | None
    ignored: tuple[str, ...]


@dataclass(slots=True)
class FileSetReader:
    """The rows of all files, one file after the other.

    ``notes`` and ``schema`` are filled on the way; ``on_file`` is called before each file is read.
    """

    files: FileSet
    reading: Reading
    on_file: Callable[[str], None] = lambda path: None
    notes: dict[str, None] = field(default_factory=dict)
    _schema: TableSchema | None = None

    def __iter__(self) -> Iterator[FileRows]:
        for path in self.files.paths:
            self.on_file(path)
            yield self._read(path)

    @property
    def schema(self) -> TableSchema:
        assert self._schema is not None, "no file was read yet"
        return self._schema

    def _read(self, path: str) -> FileRows:
        table, reading = self._open(path)
        # parts keep no shown order, which nothing that is fitted in parts uses
        reading = replace(reading, columns={**reading.columns, "shown": ""})
        ready = long.prepare_columns(table, reading)
        schema = TableSchema(table.header, ready.hint, ready.origin.names, table.header_line, ready.ignored)
        self._schema = self._schema or schema
        _refuse_other(self._schema, schema, self.files.paths[0], path)
        self.notes |= dict.fromkeys(self._named(note, path) for note in ready.notes)
        return _parsed(path, ready)

    def _open(self, path: str) -> tuple[InputTable, Reading]:
        content = content_of(path)
        self.files.digests[path] = content.sha256
        kind = recognise_file(content, self.reading.format)
        if kind not in TABLE_FILES:
            raise DataError(f"only tables can be read in parts, and this is {kind}", source=path)
        table = TABLE_FILES[kind].reader.open_table(content.data, self.reading.opening, content.name)
        table, roles = clean_export(table, self.reading.columns)
        known = self.reading.format in LAYOUTS
        layout = LAYOUTS[self.reading.format] if known else recognise_layout(table, roles)
        if layout.reader is not long:
            rule = f"only files with a row per review can be read in parts, and this looks like {layout.name}"
            raise DataError(Problem(rule, fix="read it as one file"), source=path)
        return table, replace(self.reading, columns=roles)

    def _named(self, note: str, path: str) -> str:
        """A note on one file with its name; a note on columns is about all files."""
        return note if self.files.is_single or note.startswith("column") else f"{path}: {note}"


def _refuse_other(first: TableSchema, other: TableSchema, name: str, path: str) -> None:
    """Refuse a file that is no piece of the same table: another header, or other ways to write numbers."""
    if other.header != first.header:
        rule = f"its columns are {', '.join(other.header)}; those of {name} are {', '.join(first.header)}"
        raise DataError(Problem(rule, line=1, fix="give all parts the same columns"), source=path)
    if other.hint != first.hint:
        raise DataError(f"its ranks or scores are not written as those of {name} are", source=path)


def _parsed(path: str, ready: long.LongColumns) -> FileRows:
    complaints = ProblemCollector(ready.origin)
    labels = {role: column for role, column in ready.columns.items() if isinstance(column, LabelCodes)}
    numbers = {
        role: parse_numbers(complaints, role, column, in_range=role != "rank")
        for role, column in ready.columns.items()
        if role in NUMBERS
    }
    complaints.raise_all()
    lines = np.asarray(ready.origin.lines(np.arange(len(labels["grader"].codes))))
    return FileRows(path, labels, numbers, lines.astype(np.int64))


LINES = re.compile(r"\blines? \d+(?:, \d+)*")


class RowLocator(NamedTuple):
    """Where rows are that messages know by the number of their line over all files.

    ``ends`` are the last lines of each file, counted over all of them.
    """

    paths: Sequence[str]
    ends: NDArray[np.int64]
    is_single: bool = False  # the one file there is needs no name

    def find(self, number: int) -> tuple[int, int]:
        """The file, and the line there."""
        which = int(np.searchsorted(self.ends, number))
        return which, number - (int(self.ends[which - 1]) if which else 0)

    def rewrite(self, text: str, here: int = -1) -> str:
        """A sentence with the lines it names as they are in their files; in file `here`, without its name."""
        return LINES.sub(lambda match: self._lines(match[0], here), text)

    def _lines(self, text: str, here: int) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", text)]
        places = [self.find(number) for number in numbers if 0 < number <= self.ends[-1]]
        if self.is_single:
            return f"{text.split()[0]} {', '.join(str(line) for _, line in places)}"
        return ", ".join(
            f"line {line}" if which == here else f"{self.paths[which]} line {line}" for which, line in places
        )

    def of_first_file(self, error: DataError) -> DataError:
        """The same error, of the first file that it is about."""
        places = [None if problem.line is None else self.find(problem.line) for problem in error.problems]
        first = min((place[0] for place in places if place is not None), default=None)
        if first is None:
            return error
        problems = [
            replace(problem, rule=self.rewrite(problem.rule, first), line=place[1])
            for problem, place in zip(error.problems, places, strict=True)
            if place is not None and place[0] == first
        ]
        return DataError(problems, source=self.paths[first], total=error.total)
