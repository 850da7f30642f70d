"""Files to numbers, on disk: the text of one file in memory at a time, and the labels of all."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from peerage._files import naming_file
from peerage._words import SHOWN_LINES, listed
from peerage.errors import KEPT_PROBLEMS, DataError, Problem
from peerage.feedback.arrays import LONGEST
from peerage.feedback.cells import Origin
from peerage.feedback.container import Feedback, build_feedback
from peerage.reading.parts import Place
from peerage.reading.streamed.names import Names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.choices import Decision, Numbers
    from peerage.reading.parts import Part, PartStream

ORDERING = ("rank", "value", "score")


class Piece(NamedTuple):
    """The rows of one file, and where they are on disk, a record per review."""

    path: str
    rows: int
    lines: int | NDArray[np.int32]
    records: Path


@dataclass(slots=True)
class Faults:
    """Rows that will be refused: the first of them, and how many complaints there are."""

    frames: list[pl.DataFrame] = field(default_factory=list)
    total: int = 0

    def add(self, part: Part, rows: NDArray[np.int64], offset: int, complaints: int) -> None:
        """Some rows of a part, the first of which is row `offset` of all."""
        self.total += complaints
        room = KEPT_PROBLEMS - sum(map(len, self.frames))
        shown = rows[: max(room, 0)]
        if len(shown):
            self.frames.append(rows_of(part, shown).with_columns(pl.Series("row", shown + offset)))


def rows_of(part: Part, rows: NDArray[np.int64]) -> pl.DataFrame:
    """Rows as they were written, for messages."""
    columns: dict[str, Any] = {
        role: pl.Series([None if code < 0 else labels[int(code)] for code in codes[rows]], dtype=pl.String)
        for role, (codes, labels) in part.labels.items()
    }
    return pl.DataFrame(columns | {role: values[rows] for role, values in part.numbers.items()})


@dataclass(slots=True)
class Pieces:
    """All rows, labels as numbers in the order they were met; on disk in a folder."""

    folder: Path
    stream: PartStream
    pieces: list[Piece] = field(default_factory=list)
    names: dict[str, Names] = field(default_factory=dict)
    ordering: str = ""
    numbers: tuple[str, ...] = ()
    without: list[int] = field(default_factory=list)  # the first rows that have no number to order them
    n_without: int = 0
    reviews: int = 0

    @property
    def place(self) -> Place:
        """Where rows are, for messages."""
        ends = np.cumsum([piece.rows for piece in self.pieces])
        return Place(self.pieces, ends, alone=self.stream.parts.alone)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The number of each file's first row among all rows."""
        rows = np.array([piece.rows for piece in self.pieces], dtype=np.int64)
        return np.cumsum(rows) - rows

    def lines_without(self) -> str:
        """Where rows without a number are, as numbers of rows from 1."""
        return listed([row + 1 for row in self.without], self.n_without)

    def origin(self, rows: NDArray[np.int64]) -> Origin:
        """Where rows came from, by their numbers among all, from 1; the place says the file and the line."""
        return Origin(
            self.stream.parts.name, lambda which: rows[np.asarray(which)] + 1, self.stream.same.names
        )


def spilled(stream: PartStream, folder: Path) -> Pieces:
    """Read all files; what is wrong with single rows is refused, as reading them at once would."""
    found = Pieces(folder, stream)
    broken, empty = Faults(), Faults()
    offset = 0
    for part in stream:
        if not found.pieces:
            found.names = {role: Names() for role in part.labels}
            found.numbers = tuple(part.numbers)
            found.ordering = next(name for name in ORDERING if name in part.numbers)
        wrong, complaints = _broken(part)
        broken.add(part, wrong, offset, complaints)
        missing = np.isnan(part.numbers[found.ordering])
        without = np.flatnonzero(missing)
        empty.add(part, without, offset, len(without))
        found.without += [int(row) + offset for row in without[: SHOWN_LINES - len(found.without)]]
        found.n_without += len(without)
        found.pieces.append(_piece(found, part, ~missing))
        found.reviews += len(missing) - len(without)
        offset += part.rows
    _refuse(found, broken)
    if stream.rules.missing == "error":
        _refuse(found, empty)
    if found.reviews == 0:
        raise DataError("there are no reviews in it", source=stream.parts.name)
    return found


def _broken(part: Part) -> tuple[NDArray[np.int64], int]:
    """Rows with an empty label, or one that is too long; and how many such labels they have."""
    wrong = np.zeros(part.rows, dtype=np.int64)
    for codes, labels in part.labels.values():
        long = (labels.str.len_chars() > LONGEST).to_numpy()
        wrong += np.append(long, True)[codes]  # an empty label is -1, the last
    return np.flatnonzero(wrong), int(wrong.sum())


def _piece(found: Pieces, part: Part, kept: NDArray[np.bool_]) -> Piece:
    kinds = [(role, np.int32) for role in part.labels] + [(role, np.float64) for role in part.numbers]
    records = np.empty(int(kept.sum()), dtype=np.dtype([*kinds, ("row", np.int32)]))
    for role, (codes, labels) in part.labels.items():
        names = found.names[role]
        numbers = np.append(names.met(labels), np.int32(-1))[codes]
        names.count(numbers, kept)
        records[role] = numbers[kept]
    for role, values in part.numbers.items():
        records[role] = values[kept]
    records["row"] = np.flatnonzero(kept)
    path = found.folder / f"piece-{len(found.pieces):05d}.npy"
    save(path, records)
    return Piece(part.path, part.rows, _kept_lines(part, path.with_name(f"lines-{path.name}")), path)


def save(path: Path, records: NDArray[Any]) -> None:
    """Put records aside; a full disk is said of their file."""
    with naming_file(path, "there is no room to work in"), path.open("wb") as file:
        np.save(SimpleNamespace(write=file.write), records)  # NumPy's own writing may lose the end in silence


def _kept_lines(part: Part, path: Path) -> int | NDArray[np.int32]:
    """Where lines do not follow each other, they are kept on disk, too."""
    if isinstance(part.lines, int):
        return part.lines
    save(path, part.lines)
    lines: NDArray[np.int32] = np.load(path, mmap_mode="r")
    return lines


def _refuse(found: Pieces, faults: Faults) -> None:
    if not faults.total:
        return
    frame = pl.concat(faults.frames)
    columns = {name: frame[name] for name in frame.columns if name != "row"}
    refuse(found, [(columns, frame["row"].to_numpy())], faults.total)


def refuse(found: Pieces, rows: list[tuple[dict[str, Any], NDArray[np.int64]]], total: int = 0) -> None:
    """Raise what building feedback from these rows complains of, called by their numbers among all."""
    problems: list[Problem] = []
    complaints = 0
    for columns, numbers in rows:
        try:
            built(found, columns, numbers)
        except DataError as error:
            problems += error.problems
            complaints += error.total
    if problems:
        problems.sort(key=lambda problem: (problem.line or 0, problem.column or ""))
        whole = DataError(problems, source=found.stream.parts.name, total=max(total, complaints))
        raise found.place.told(whole)


def built(found: Pieces, columns: dict[str, Any], rows: NDArray[np.int64]) -> Feedback:
    """Feedback from some rows, by the rules of all; their direction is known, or not reached."""
    rules = found.stream.rules
    return build_feedback(
        columns,
        origin=found.origin(rows),
        duplicates=rules.duplicates,
        missing=rules.missing,
        find_direction=_never if "value" in columns else None,
    )


def _never(numbers: Numbers) -> Decision:
    raise AssertionError("rows that are refused have no direction")
