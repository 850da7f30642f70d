"""A table in many files, read one after the other: memory holds numbers, never the text of all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from peerage.errors import DataError, DirectionError, Problem
from peerage.feedback.cells import NUMBERS, Origin, ProblemCollector, parse_numbers
from peerage.feedback.choices import Direction
from peerage.feedback.container import Feedback, build_feedback
from peerage.feedback.labels import LabelCodes
from peerage.reading import long
from peerage.reading.content import content_of
from peerage.reading.direction import decide_direction, direction_finder
from peerage.reading.exports import clean_export
from peerage.reading.formats import LAYOUTS, TABLE_FILES, recognise_file, recognise_layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.reading.content import Parts
    from peerage.reading.direction import HeaderHint
    from peerage.reading.rank_evidence import NumberSummary
    from peerage.reading.rules import OpenOptions, Rules
    from peerage.reading.table import InputTable


LARGE = 100 << 20  # bytes of text of all parts beyond which they wait on disk and memory holds the result
PACKED_TIGHTER = 4  # times the size of a Parquet file is about that of its text


class Part(NamedTuple):
    """One file: labels as numbers, and the line of every row, as a first one where they follow each other."""

    path: str
    rows: int
    labels: dict[str, LabelCodes]
    numbers: dict[str, NDArray[np.float64]]
    lines: int | NDArray[np.int32]


class PartLines(Protocol):
    """A part, as far as the lines of its rows go."""

    @property
    def path(self) -> str:
        """What messages call it."""

    @property
    def rows(self) -> int:
        """How many there are."""

    @property
    def lines(self) -> int | NDArray[np.int32]:
        """The line of every row, or of the first one where they follow each other."""


class Same(NamedTuple):
    """What all parts must have in common, and the line of the first one's header."""

    header: tuple[str, ...]
    claim: HeaderHint
    names: Mapping[str, str]
    line: int | None


@dataclass(slots=True)
class PartStream:
    """The parts one after the other; what they have in common and what is to be said is known at the end."""

    parts: Parts
    told: str
    how: OpenOptions
    given: Mapping[str, str]
    rules: Rules
    notes: dict[str, None] = field(default_factory=dict)
    first: Same | None = None
    on_file: Callable[[str], None] = lambda path: None  # called before each is read

    def __iter__(self) -> Iterator[Part]:
        for path in self.parts.paths:
            self.on_file(path)
            table, roles = _opened(self.parts, path, self.told, self.how, self.given)
            ready = long.prepare_columns(table, roles, self.rules)
            same = Same(table.header, ready.hint, ready.origin.names, table.header_line)
            self.first = self.first or same
            _refuse_other(self.first, same, self.parts.paths[0], path)
            self.notes |= dict.fromkeys(self._named(note, path) for note in ready.notes)
            yield _numbered(path, ready)

    @property
    def same(self) -> Same:
        """What all of them have in common, once the first was read."""
        assert self.first is not None
        return self.first

    def _named(self, note: str, path: str) -> str:
        """What is said of one part; what is said of its columns is said of all parts."""
        return note if self.parts.alone or note.startswith("column") else f"{path}: {note}"


def direction_of(stream: PartStream, look: Callable[[], NumberSummary]) -> Direction:
    """Which way the numbers of parts that were read run; ``look`` is called where their names do not tell."""
    same = stream.same
    return decide_direction(same.claim, stream.rules, look, stream.parts.name, same.line)


def read_parts(parts: Parts, told: str, how: OpenOptions, given: Mapping[str, str], rules: Rules) -> Feedback:
    """The feedback of all parts, as if they were one file."""
    stream = PartStream(parts, told, how, given, rules)
    if sum(map(_as_text, parts.paths)) > LARGE:
        from peerage.reading.streamed.gathering import read_streamed

        return read_streamed(stream)
    read = list(stream)
    columns = _joined(read)
    return _built(parts, read, columns, stream.same, rules, tuple(stream.notes))


def _as_text(path: str) -> int:
    """About how many bytes a file has as text."""
    return Path(path).stat().st_size * (PACKED_TIGHTER if path.endswith(".parquet") else 1)


def _opened(
    parts: Parts, path: str, told: str, how: OpenOptions, given: Mapping[str, str]
) -> tuple[InputTable, dict[str, str]]:
    content = content_of(path)
    parts.digests[path] = content.sha256
    kind = recognise_file(content, told)
    if kind not in TABLE_FILES:
        raise DataError(f"only tables can be read in parts, and this is {kind}", source=path)
    table, roles = clean_export(TABLE_FILES[kind].reader.open_table(content.data, how, content.name), given)
    layout = LAYOUTS[told] if told in LAYOUTS else recognise_layout(table, roles)
    if layout.reader is not long:
        rule = f"only files with a row per review can be read in parts, and this looks like {layout.name}"
        raise DataError(Problem(rule, fix="read it as one file"), source=path)
    return table, roles


def _refuse_other(first: Same, other: Same, name: str, path: str) -> None:
    """Parts that are not pieces of one table: another header, or numbers that are written another way."""
    if other.header != first.header:
        rule = f"its columns are {', '.join(other.header)}; those of {name} are {', '.join(first.header)}"
        raise DataError(Problem(rule, line=1, fix="give all parts the same columns"), source=path)
    if other.claim != first.claim:
        raise DataError(f"its ranks or scores are not written as those of {name} are", source=path)


def _numbered(path: str, ready: long.LongColumns) -> Part:
    complaints = ProblemCollector(ready.origin)
    labels = {role: column for role, column in ready.columns.items() if isinstance(column, LabelCodes)}
    numbers = {
        role: parse_numbers(complaints, role, column)
        for role, column in ready.columns.items()
        if role in NUMBERS
    }
    complaints.raise_all()
    rows = len(labels["grader"].codes)
    lines = np.asarray(ready.origin.lines(np.arange(rows)))
    plain = rows > 0 and bool((np.diff(lines) == 1).all())
    return Part(path, rows, labels, numbers, int(lines[0]) if plain else lines.astype(np.int32))


def _joined(read: list[Part]) -> dict[str, Any]:
    """All rows: labels numbered anew among those of all parts."""
    columns: dict[str, Any] = {
        role: pl.Series(np.concatenate([part.numbers[role] for part in read]), nan_to_null=True)
        for role in read[0].numbers
    }
    for role in read[0].labels:
        labels = pl.concat([part.labels[role].labels for part in read]).unique().sort()
        order = pl.Enum(labels)
        places = [part.labels[role].labels.cast(order).to_physical().to_numpy() for part in read]
        codes = [
            np.append(place.astype(np.int32), np.int32(-1))[part.labels[role].codes]
            for place, part in zip(places, read, strict=True)
        ]
        columns[role] = LabelCodes(np.concatenate(codes), labels)
    return columns


def _built(
    parts: Parts,
    read: list[Part],
    columns: dict[str, Any],
    same: Same,
    rules: Rules,
    notes: tuple[str, ...],
) -> Feedback:
    """As of one file; what is refused is said of the first part that it is about, with the line there."""
    ends = np.cumsum([part.rows for part in read])
    place = Place(read, ends, alone=parts.alone)
    origin = Origin(parts.name, lambda rows: np.asarray(rows) + 1, same.names)
    try:
        found = build_feedback(
            columns,
            origin=origin,
            duplicates=rules.duplicates,
            missing=rules.missing,
            ids=rules.ids,
            notes=notes,
            find_direction=direction_finder(same.claim, rules, source=parts.name, line=same.line),
        )
    except DirectionError:
        raise
    except DataError as error:
        raise place.told(error) from error
    said = tuple(place.words(note) for note in found.notes[len(notes) :])
    return replace(found, notes=(*notes, *said))


LINES = re.compile(r"\blines? \d+(?:, \d+)*")


class Place(NamedTuple):
    """Where a row is, which messages call by its number over all parts, from 1."""

    parts: Sequence[PartLines]
    ends: NDArray[np.int64]
    alone: bool = False  # the one file there is needs no name

    def of(self, number: int) -> tuple[int, int]:
        """The part, and the line there."""
        which = int(np.searchsorted(self.ends, number - 1, side="right"))
        part = self.parts[which]
        row = number - 1 - int(self.ends[which]) + part.rows
        return which, part.lines + row if isinstance(part.lines, int) else int(part.lines[row])

    def words(self, text: str, here: int = -1) -> str:
        """A sentence with the lines it names where they are; the part's name goes without saying `here`."""
        return LINES.sub(lambda found: self._lines(found[0], here), text)

    def _lines(self, text: str, here: int) -> str:
        numbers = [int(one) for one in re.findall(r"\d+", text)]
        places = [self.of(number) for number in numbers if 0 < number <= self.ends[-1]]
        if self.alone:
            return f"{text.split()[0]} {', '.join(str(line) for _, line in places)}"
        return ", ".join(
            f"line {line}" if which == here else f"{self.parts[which].path} line {line}"
            for which, line in places
        )

    def told(self, error: DataError) -> DataError:
        """The same error, of the first part that it is about."""
        at = [None if one.line is None else self.of(one.line) for one in error.problems]
        known = [one for one in at if one is not None]
        if not known:
            return error
        first = min(which for which, _ in known)
        mine = [
            replace(one, rule=self.words(one.rule, first), line=here[1])
            for one, here in zip(error.problems, at, strict=True)
            if here is not None and here[0] == first
        ]
        return DataError(mine, source=self.parts[first].path, total=error.total)
