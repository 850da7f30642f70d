"""Many files to feedback in parts, range of graders by range, in words and numbers as if read at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from peerage._words import listed
from peerage.errors import DataError
from peerage.feedback.arrays import FOLDED, ONLY_TASK
from peerage.feedback.cells import joined_note, missing_note, repeated_note
from peerage.feedback.choices import Direction
from peerage.feedback.container import Feedback
from peerage.feedback.labels import LabelCodes
from peerage.reading.parts import direction_of
from peerage.reading.streamed.joining import Joining
from peerage.reading.streamed.names import Numbering
from peerage.reading.streamed.ranges import Ranges, Rows, renumber
from peerage.reading.streamed.spill import Pieces, built, refuse, spilled
from peerage.reading.streamed.survey import Survey, lists_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.reading.parts import PartStream

Step = Callable[[str], None]
Cut = Callable[["NDArray[np.int64]"], "NDArray[np.int64]"]  # reviews of every grader to the edges of parts
AT_A_TIME = 250_000  # reviews of a range, about


class Edges(NamedTuple):
    """Graders with whom parts begin, and ranges; the last of each is the end."""

    parts: NDArray[np.int64]
    ranges: NDArray[np.int64]


@dataclass(slots=True)
class _Known:
    """What is known of all reviews before parts are written."""

    pieces: Pieces
    numberings: dict[str, Numbering]
    ranges: Ranges
    survey: Survey
    parts: NDArray[np.int64]  # their edges

    def labels(self, role: str) -> pl.Series:
        return self.numberings[role].labels

    @property
    def list_names(self) -> int:
        return len(self.labels("list")) if "list" in self.numberings else 1


class Sink(Protocol):
    """What takes the parts and the tables of labels."""

    def add_part(self, feedback: Feedback, first_grader: int) -> None:
        """The next run of graders, lists by grader: items by their numbers in the whole, graders from 0."""

    def add_table(self, name: str, frame: pl.DataFrame) -> None:
        """Labels by their numbers."""


def stream_parts(
    stream: PartStream,
    sink: Sink,
    folder: Path,
    *,
    cut: Cut,
    at_a_time: int = AT_A_TIME,
    on_step: Step = lambda step: None,
) -> dict[str, Any]:
    """Hand on parts and labels, and return what is true of all reviews.

    Rows wait on disk in ``folder``; about ``at_a_time`` of them are worked on in memory.
    """
    stream.on_file = lambda path: on_step(f"reading {path}")
    pieces = spilled(stream, folder)
    on_step("numbering labels")
    known = _surveyed(pieces, cut, at_a_time, on_step)
    direction = direction_of(
        stream, lambda: known.survey.seen(known.ranges, pieces.ordering, known.list_names)
    )
    _refuse_repeats(known, direction)
    on_step("writing parts")
    facts = _written(known, direction, sink)
    _write_labels(known, sink)
    return {
        **facts,
        "items": len(known.survey.item_keys),
        "graders": len(known.labels("grader")),
        "tasks": len(known.labels("task")),
        "list_labels": known.survey.several_lists,
        "direction": direction,
        "notes": _notes(known),
    }


def _surveyed(pieces: Pieces, cut: Cut, at_a_time: int, on_step: Step) -> _Known:
    fold = pieces.stream.rules.ids == "fold"
    numberings = {role: names.numbering(fold=fold and role in FOLDED) for role, names in pieces.names.items()}
    if "task" not in numberings:
        numberings["task"] = Numbering(np.zeros(1, dtype=np.int32), pl.Series([ONLY_TASK]), [])
    reviews = pieces.names["grader"].reviews(numberings["grader"])
    renumber(pieces, numberings)
    known = _known(pieces, numberings, _edges(reviews, cut, at_a_time), on_step)
    if not known.survey.repeated or pieces.stream.rules.duplicates == "error":
        return known
    # parts are cut by the reviews that stay
    left = np.concatenate(known.survey.reviews)
    return _known(pieces, numberings, _edges(left, cut, at_a_time), on_step)


def _edges(reviews: NDArray[np.int64], cut: Cut, at_a_time: int) -> Edges:
    """Where parts are cut, and where the ranges that one part is made of."""
    parts = cut(reviews)
    before = np.cumsum(reviews) - reviews
    run = before // at_a_time
    begins = np.flatnonzero(run[1:] != run[:-1]) + 1
    return Edges(parts, np.union1d(parts, begins))


def _known(pieces: Pieces, numberings: dict[str, Numbering], edges: Edges, on_step: Step) -> _Known:
    on_step("sorting by grader")
    ranges = Ranges(pieces, edges.ranges)
    survey = Survey(len(numberings["task"].labels), len(numberings["item"].labels))
    known = _Known(pieces, numberings, ranges, survey, edges.parts)
    for which in range(len(ranges)):
        rows = ranges[which]
        survey.look(which, rows, lists_of(rows, pieces.ordering, survey.n_items, known.list_names))
    return known


def _refuse_repeats(known: _Known, direction: Direction) -> None:
    """What reading at once refuses once it is known which way numbers run: ranks below 1, and repeats."""
    survey, pieces = known.survey, known.pieces
    too_low = [which for which, least in enumerate(survey.least) if least < 1 and direction.best != "high"]
    if direction.measure == "scores":
        too_low = []  # of which the order alone is read
    repeated = survey.repeated if pieces.stream.rules.duplicates == "error" else []
    for ranges in (too_low, repeated):
        refuse(pieces, [_columns(known, known.ranges[which], direction) for which in ranges])


def _columns(
    known: _Known, rows: Rows, direction: Direction, *, named: bool = True
) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """The columns of a range as feedback is built from, and the number of each row among all."""
    columns: dict[str, Any] = {
        role: _coded(rows, role, numbering.labels, named=named)
        for role, numbering in known.numberings.items()
    }
    numbers = {role: rows.numbers(role) for role in known.pieces.numbers}
    values = numbers.pop(known.pieces.ordering)
    if direction.measure == "scores" and direction.best == "low":
        values = 1.0 + np.unique(values, return_inverse=True)[1].astype(np.float64)  # an order, and no more
    numbers.pop("rank", None)
    told = {"score" if direction.best == "high" else "rank": values}
    others = {role: pl.Series(given, nan_to_null=True) for role, given in {**numbers, **told}.items()}
    return columns | others, rows.rows


def _coded(rows: Rows, role: str, labels: pl.Series, *, named: bool) -> LabelCodes:
    """The labels that the range has; their names only where a message may need them."""
    codes = rows.codes(role)
    if role == "grader":
        own = np.arange(rows.first_grader, rows.first_grader + rows.graders)
        codes = codes - np.int32(rows.first_grader)
    else:
        own, codes = _used(codes, len(labels))
    names = labels.gather(own) if named or role == "list" else pl.repeat("", len(own), eager=True)
    return LabelCodes(codes, names)


def _used(codes: NDArray[np.int32], size: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    if size > 8 * len(codes):  # a range must not cost what all labels cost
        own, places = np.unique(codes, return_inverse=True)
        return own.astype(np.int64), places.astype(np.int32)
    seen = np.zeros(size, dtype=bool)
    seen[codes] = True
    return np.flatnonzero(seen), (np.cumsum(seen, dtype=np.int32) - np.int32(1))[codes]


def _written(known: _Known, direction: Direction, sink: Sink) -> dict[str, Any]:
    """Every range as a part; what is refused only here is refused after all of them were tried."""
    refused: list[int] = []
    scores = weights = False
    ordered_by = "rank"
    part: Joining | None = None
    lists = reviews = 0
    for which in range(len(known.ranges)):
        rows = known.ranges[which]
        columns, numbers = _columns(known, rows, direction, named=False)
        try:
            piece = built(known.pieces, columns, numbers)
        except DataError:
            refused.append(which)
        if refused:  # nothing is handed on any more, but what else is wrong is to be told, too
            continue
        scores |= piece.scores is not None
        weights |= piece.weights is not None
        ordered_by = piece.ordered_by
        part = part or _begun(known, rows)
        part.add(_in_the_whole(known, rows, piece))
        end = rows.first_grader + rows.graders
        if end in known.parts:
            whole, part = part.whole(), None
            lists, reviews = lists + whole.n_lists, reviews + whole.n_entries
            sink.add_part(whole, end - whole.n_graders)
    refuse(known.pieces, [_columns(known, known.ranges[which], direction) for which in refused])
    return {
        "ordered_by": ordered_by,
        "scores": scores,
        "weights": weights,
        "lists": lists,
        "reviews": reviews,
    }


def _begun(known: _Known, rows: Rows) -> Joining:
    """A part of which this is the first range, with room for all of them."""
    end = known.parts[np.searchsorted(known.parts, rows.first_grader, side="right")]
    first, last = np.searchsorted(known.ranges.starts, (rows.first_grader, end))
    reviews = sum(int(known.survey.reviews[which].sum()) for which in range(first, last))
    return Joining(sum(known.survey.lists[first:last]), reviews)


def _in_the_whole(known: _Known, rows: Rows, part: Feedback) -> Feedback:
    """A range with the items and tasks of the whole, its lists by grader."""
    tasks = rows.codes("task")
    keys = np.unique(tasks.astype(np.int64) * known.survey.n_items + rows.codes("item"))
    places = np.searchsorted(known.survey.item_keys, keys).astype(np.int32)
    whole = replace(
        part,
        items=places[part.items],
        list_tasks=np.unique(tasks)[part.list_tasks],
        item_tasks=np.empty(0, dtype=np.int32),  # those of the whole come once, with the labels
        item_labels=pl.Series([], dtype=pl.String),
        list_labels=_list_labels(known, rows, part),
    )
    return whole.take_lists(np.argsort(part.list_graders, kind="stable")) if part.n_tasks > 1 else whole


def _list_labels(known: _Known, rows: Rows, part: Feedback) -> pl.Series | None:
    """Names of lists, also in a part that would not need them, where others do."""
    if not known.survey.several_lists or part.list_labels is not None:
        return part.list_labels
    pairs = rows.codes("task").astype(np.int64) * rows.graders + (rows.codes("grader") - rows.first_grader)
    _, first = np.unique(pairs, return_index=True)
    return known.labels("list").gather(rows.codes("list")[first])


def _write_labels(known: _Known, sink: Sink) -> None:
    keys, items = known.survey.item_keys, known.labels("item")
    tasks = (keys // len(items)).astype(np.int32)
    sink.add_table("items", pl.DataFrame({"task": tasks, "item": items.gather(keys % len(items))}))
    sink.add_table("graders", pl.DataFrame({"grader": known.labels("grader")}))
    sink.add_table("tasks", pl.DataFrame({"task": known.labels("task")}))


def _notes(known: _Known) -> tuple[str, ...]:
    """What reading at once would say, in its order."""
    pieces, survey = known.pieces, known.survey
    said = [
        joined_note(role, known.numberings[role].joined) for role in FOLDED if known.numberings[role].joined
    ]
    if pieces.n_without:
        said.append(missing_note(pieces.n_without, pieces.ordering, pieces.lines_without()))
    if survey.n_again:
        lines = listed([row + 1 for row in survey.again], survey.n_again)
        said.append(repeated_note(survey.n_again, pieces.stream.rules.duplicates, lines))
    place = pieces.place
    return (*pieces.stream.notes, *(place.words(note) for note in said))
