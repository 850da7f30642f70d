"""Many files to feedback, a batch of graders at a time, in words and numbers as if they were one table.

Rows wait in a `RowStore` until all labels are known. Everything that reading at once would refuse is refused
before the first part is built.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._words import listed
from peerage.errors import KEPT_PROBLEMS, DataError, OpenQuestion, Problem
from peerage.feedback.arrays import FOLDED, LONGEST, ONLY_TASK
from peerage.feedback.cells import Origin, joined_note, missing_note, repeated_note
from peerage.feedback.choices import Direction, DirectionFinder
from peerage.feedback.container import Feedback, build_feedback
from peerage.feedback.labels import LabelCodes
from peerage.feedback.partition import concat_parts
from peerage.reading.direction import decide_direction
from peerage.reading.file_sets import FileSetReader, RowLocator
from peerage.reading.long import ask_about_contradiction, rank_score_agreement
from peerage.reading.reading import complete_reading
from peerage.reading.row_store import Numbering, ReviewSurvey, RowStore
from peerage.reading.sentences import (
    LIST_KEYS,
    LOOKED_AT,
    ListExample,
    describe,
    describe_lists,
    find_list,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.choices import Numbers
    from peerage.reading.file_sets import FileRows
    from peerage.reading.reading import Reading

OnStep = Callable[[str], None]
Cut = Callable[["NDArray[np.int64]"], "NDArray[np.int64]"]  # reviews of every grader to the edges of parts

BATCH = 250_000  # reviews that are built together, about
LARGE = 100 << 20  # bytes of text of all files beyond which rows wait on disk
PARQUET_RATIO = 4  # times the size of a Parquet file is about that of its text
ORDERING = ("rank", "value", "score")


def read_file_set(reader: FileSetReader) -> Feedback:
    """The feedback of all files, as if they were one."""
    if sum(map(_text_size, reader.files.paths)) <= LARGE:
        return read_in_batches(reader)
    with _scratch_folder() as folder:
        return read_in_batches(reader, folder)


def read_in_batches(reader: FileSetReader, folder: Path | None = None, batch: int = BATCH) -> Feedback:
    """The feedback of all files; memory holds little more than its arrays where rows wait in a folder."""
    batched = BatchedFeedback(reader, folder, cut=lambda reviews: np.array([0, len(reviews)]), batch=batch)
    ((_, whole),) = batched.parts()
    if len(batched.task_labels) > 1:  # lists are sorted by task first
        whole = whole.take_lists(np.argsort(whole.list_tasks, kind="stable"))
    whole = replace(
        whole,
        item_tasks=batched.item_tasks,
        item_labels=batched.item_labels,
        grader_labels=batched.grader_labels,
        task_labels=batched.task_labels,
        direction=batched.direction,
        notes=batched.notes,
    )
    complete = complete_reading(reader.reading, batched.said, whole.direction)
    return replace(whole, reading=complete, sentences=describe(whole, None, complete))


def _text_size(path: str) -> int:
    return Path(path).stat().st_size * (PARQUET_RATIO if path.endswith(".parquet") else 1)


@contextmanager
def _scratch_folder() -> Iterator[Path]:
    """A folder for rows that wait, gone afterwards; where it is full, how to have it elsewhere."""
    with tempfile.TemporaryDirectory(prefix="peerage-") as folder:
        try:
            yield Path(folder)
        except OSError as error:
            if not str(error.filename).startswith(folder):
                raise
            reason = f"{error.strerror}; the variable TMPDIR names another place"
            raise OSError(error.errno, reason, error.filename) from error


class BatchedFeedback:
    """Feedback of many files, checked and numbered, of which one part after the other can be built.

    Parameters
    ----------
    folder : where rows wait; in memory if not given.
    cut : says which graders make a part, from the number of reviews of each.
    batch : reviews, about, that are worked on at a time.
    """

    def __init__(
        self,
        reader: FileSetReader,
        folder: Path | None,
        *,
        cut: Cut,
        batch: int = BATCH,
        on_step: OnStep = lambda step: None,
    ) -> None:
        self.reader, self.reading = reader, reader.reading
        self.store = RowStore(folder)
        self.missing = _FaultyRows()
        self._first_lists: list[dict[str, str]] = []  # of the first file, by their labels
        reader.on_file = lambda path: on_step(f"reading {path}")
        self._read_rows()
        on_step("numbering labels")
        self.numberings = self._numberings()
        on_step("sorting by grader")
        reviews = self.store.labels["grader"].reviews(self.numberings["grader"])
        self.store.sort_into_batches(_batch_edges(reviews, cut(reviews), batch), self.numberings)
        self.survey = self._survey()
        self.item_keys = self.survey.item_keys
        self.direction = self._decide()
        self._refuse_batches()
        self._ask_about_contradiction()
        self.edges = cut(self.survey.grader_reviews)  # repeated reviews that were merged do not count

    # -- all rows -------------------------------------------------------------------------------

    def _read_rows(self) -> None:
        """Read all files; what is wrong with single rows is refused."""
        broken = _FaultyRows()
        n_reviews = 0
        for rows in self.reader:
            self.ordering = next(name for name in ORDERING if name in rows.numbers)
            self._first_lists = self._first_lists or _first_lists(rows)
            first_line = self.store.n_lines
            faulty, complaints = _broken(rows)
            broken.add(rows, faulty, first_line, complaints)
            is_review = ~np.isnan(rows.numbers[self.ordering])
            without = np.flatnonzero(~is_review)
            self.missing.add(rows, without, first_line, len(without))
            self.store.add(rows, is_review)
            n_reviews += int(is_review.sum())
        self._refuse_faulty(broken)
        if self.reading.missing == "error":
            self._refuse_faulty(self.missing, choices=[{"missing": "drop"}])
        if n_reviews == 0:
            raise DataError("there are no reviews in it", source=self.reader.files.name)

    def _numberings(self) -> dict[str, Numbering]:
        fold = self.reading.ids == "fold"
        numberings = {"task": Numbering(np.zeros(1, dtype=np.int32), pl.Series([ONLY_TASK]), [])}
        for role, index in self.store.labels.items():
            numberings[role] = index.numbering(fold=fold and role in FOLDED)
        return numberings

    def _survey(self) -> ReviewSurvey:
        sizes = (len(self.numberings["task"].labels), len(self.numberings["item"].labels))
        survey = ReviewSurvey(self.ordering, *sizes, has_lists="list" in self.numberings)
        for graders in self.store.batches:
            survey.add(self.store.rows(graders), graders)
        return survey

    def _decide(self) -> Direction:
        schema = self.reader.schema
        return decide_direction(
            schema.hint,
            self.reading,
            lambda: self.survey.numbers_seen(self.store),
            self.reader.files.name,
            schema.line,
        )

    @property
    def said(self) -> dict[str, Any]:
        """The options that would say how the files were read."""
        schema = self.reader.schema
        roles = {"score" if role == "value" else role: name for role, name in schema.names.items()}
        return {"format": "long", "columns": roles, "ignore": schema.ignored}

    def describe(self, reading: Reading) -> tuple[str, ...]:
        """What reading a single file at once says of it; nothing where there are several."""
        if not self.reader.files.is_single:
            return ()
        return describe_lists(self._lists_in_file(), self.item_labels, self.grader_labels, reading)

    def _lists_in_file(self) -> Iterator[ListExample]:
        for labels in self._first_lists:
            grader = self.grader_labels.index_of(labels["grader"])
            if grader is None:
                continue
            columns, lines = self._columns(
                self.store.rows(range(grader, grader + 1)), range(grader, grader + 1)
            )
            which = find_list(feedback := self._build(columns, lines), labels)
            if which is None:
                continue
            known = {role: column for role, column in columns.items() if role in labels}
            mine = [column.codes == column.labels.index_of(labels[role]) for role, column in known.items()]
            yield ListExample(feedback, which, tuple(lines[np.logical_and.reduce(mine)][:50].tolist()))

    # -- what they are called -------------------------------------------------------------------

    @property
    def item_tasks(self) -> NDArray[np.int32]:
        return (self.item_keys // self.survey.n_items).astype(np.int32)

    @property
    def item_labels(self) -> pl.Series:
        return self.numberings["item"].labels.gather(self.item_keys % self.survey.n_items)

    @property
    def grader_labels(self) -> pl.Series:
        return self.numberings["grader"].labels

    @property
    def task_labels(self) -> pl.Series:
        return self.numberings["task"].labels

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading at once would say, in its order."""
        joined = {role: self.numberings[role].joined for role in FOLDED}
        notes = [joined_note(role, groups) for role, groups in joined.items() if groups]
        if self.missing.total:
            lines = listed(self.missing.lines, self.missing.total)
            notes.append(missing_note(self.missing.total, self.ordering, lines))
        if self.survey.n_repeated:
            lines = listed(self.survey.repeated_lines, self.survey.n_repeated)
            notes.append(repeated_note(self.survey.n_repeated, self.reading.duplicates, lines))
        return (*self.reader.notes, *map(self._locator.rewrite, notes))

    # -- what is refused ------------------------------------------------------------------------

    @property
    def _locator(self) -> RowLocator:
        return RowLocator(self.store.paths, np.array(self.store.ends), self.reader.files.is_single)

    def _refuse_faulty(self, faulty: _FaultyRows, choices: Sequence[Mapping[str, Any]] = ()) -> None:
        if faulty.total:
            rows = pl.concat(faulty.rows)
            batches = [(rows.to_dict(), np.array(faulty.lines))]
            self._refuse(batches, faulty.total, choices, find_direction=_never)

    def _refuse_batches(self) -> None:
        """Refuse what takes all rows of a list to know, in the order in which reading at once does."""
        are_ranks = self.direction.best != "high" and self.direction.measure != "scores"
        repeats = [{"duplicates": choice} for choice in ("last", "first", "mean")]
        for batches, may_be_refused, choices in [
            (self.survey.below_one, are_ranks, []),
            (self.survey.repeated, self.reading.duplicates in ("error", "keep"), repeats),
            (self.survey.unequal_weights, True, []),
        ]:
            if may_be_refused:
                rows = (self._columns(self.store.rows(graders), graders) for graders in batches)
                self._refuse(rows, choices=choices)

    def _ask_about_contradiction(self) -> None:
        names = self.reader.schema.names
        if self.ordering != "rank" or "score" not in names:
            return
        batches = (
            self._build(*self._columns(self.store.rows(graders), graders)) for graders in self.store.batches
        )
        agreement = np.concatenate([rank_score_agreement(batch) for batch in batches])
        ask_about_contradiction(agreement, self.reader.files.name, names)

    def _refuse(
        self,
        batches: Iterable[tuple[dict[str, Any], NDArray[np.int64]]],
        total: int = 0,
        choices: Sequence[Mapping[str, Any]] = (),
        find_direction: DirectionFinder | None = None,
    ) -> None:
        """Raise what building feedback from these rows complains of."""
        problems: list[Problem] = []
        complaints = 0
        for columns, lines in batches:
            try:
                self._build(columns, lines, find_direction)
            except DataError as error:
                problems += error.problems
                complaints += error.total
        if problems:
            problems.sort(key=lambda problem: (problem.line or 0, problem.column or ""))
            refusal = DataError(problems, source=self.reader.files.name, total=max(total, complaints))
            refusal = self._locator.of_first_file(refusal)
            if choices:
                raise OpenQuestion(
                    refusal.problems, choices=choices, source=refusal.source, total=refusal.total
                )
            raise refusal

    # -- feedback -------------------------------------------------------------------------------

    def parts(self) -> Iterator[tuple[int, Feedback]]:
        """The first grader of every part, and its feedback.

        Items are by their numbers in the whole, graders from 0 and without names, lists in order of grader.
        """
        edges = np.union1d(self.edges, self.store.edges)
        lists, reviews = self.survey.grader_lists, self.survey.grader_reviews
        for first, end in pairwise(self.edges.tolist()):
            inside = edges[(edges >= first) & (edges <= end)].tolist()
            batches = (self._batch(range(*graders)) for graders in pairwise(inside))
            yield first, concat_parts(batches, int(lists[first:end].sum()), int(reviews[first:end].sum()))

    def _batch(self, graders: range) -> Feedback:
        rows = self.store.rows(graders)
        built = self._build(*self._columns(rows, graders))
        keys = self.survey.keys_of_items(rows).unique().sort()
        numbers = np.searchsorted(self.item_keys, keys.to_numpy()).astype(np.int32)
        batch = replace(
            built,
            items=numbers[built.items],
            list_tasks=rows["task"].unique().sort().to_numpy()[built.list_tasks],
            item_tasks=np.empty(0, dtype=np.int32),  # those of the whole come once, with the labels
            item_labels=pl.Series([], dtype=pl.String),
            list_labels=self._list_labels(rows, built),
            notes=(),
        )
        return batch.take_lists(np.argsort(built.list_graders, kind="stable")) if built.n_tasks > 1 else batch

    def _columns(self, rows: pl.DataFrame, graders: range) -> tuple[dict[str, Any], NDArray[np.int64]]:
        """The columns that feedback is built from, and the line of each row."""
        columns: dict[str, Any] = {}
        for role, numbering in self.numberings.items():
            codes, first = rows[role].to_numpy(), np.int32(graders.start)
            if role == "grader":
                columns[role] = LabelCodes(codes - first, numbering.labels[graders.start : graders.stop])
            else:
                own, places = np.unique(codes, return_inverse=True)
                columns[role] = LabelCodes(places.astype(np.int32), numbering.labels.gather(own))
        values = rows[self.ordering]
        ends = (self.direction.measure, self.direction.best)
        if ends in (("scores", "low"), ("ranks", "high")):  # an order, and no more
            values = values.rank("dense", descending=self.direction.best == "high").cast(pl.Float64)
        others = {role: rows[role] for role in rows.columns if role in ("score", "weight")}
        others.pop(self.ordering, None)
        is_score = self.direction.measure == "scores" and self.direction.best == "high"
        measure = "score" if is_score else "rank"
        return {**columns, **others, measure: values}, rows["line"].to_numpy()

    def _build(
        self,
        columns: dict[str, Any],
        lines: NDArray[np.int64],
        find_direction: DirectionFinder | None = None,
    ) -> Feedback:
        """Feedback from some rows, whose direction is known or (`_never`) not reached."""
        return build_feedback(
            columns,
            origin=Origin(self.reader.files.name, lambda rows: lines[rows], self.reader.schema.names),
            duplicates=self.reading.duplicates,
            missing=self.reading.missing,
            find_direction=find_direction,
        )

    def _list_labels(self, rows: pl.DataFrame, batch: Feedback) -> pl.Series | None:
        """Names of lists, also in a batch that would not need them, where others do."""
        if not self.survey.several_lists or batch.list_labels is not None:
            return batch.list_labels
        lists = rows.unique(["task", "grader"], keep="first").sort("task", "grader")
        return self.numberings["list"].labels.gather(lists["list"])


def _first_lists(rows: FileRows) -> list[dict[str, str]]:
    """The lists of a file in its order, by their labels, as far as the first rows go."""
    keys = {role: column for role, column in rows.labels.items() if role in LIST_KEYS}
    first = zip(*(column.codes[:LOOKED_AT].tolist() for column in keys.values()), strict=True)
    return [
        {role: column.labels[code] for (role, column), code in zip(keys.items(), codes, strict=True)}
        for codes in dict.fromkeys(first)
        if min(codes) >= 0
    ]


def _never(numbers: Numbers) -> Direction:
    raise AssertionError("rows that are refused have no direction")


def _batch_edges(reviews: NDArray[np.int64], parts: NDArray[np.int64], batch: int) -> NDArray[np.int64]:
    """Graders with whom batches begin, of which parts are made; the last is the end."""
    run = (np.cumsum(reviews) - reviews) // batch
    return np.union1d(parts, np.flatnonzero(run[1:] != run[:-1]) + 1)


@dataclass(slots=True)
class _FaultyRows:
    """Rows that may be refused: the first of them as they were written, and how many complaints there are."""

    rows: list[pl.DataFrame] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # over all files
    total: int = 0

    def add(self, file: FileRows, rows: NDArray[np.int64], first_line: int, complaints: int) -> None:
        self.total += complaints
        shown = rows[: KEPT_PROBLEMS - len(self.lines)]
        if len(shown) == 0:
            return
        labels = {
            role: pl.Series(
                [None if code < 0 else names[code] for code in codes[shown].tolist()], dtype=pl.String
            )
            for role, (codes, names) in file.labels.items()
        }
        numbers = {role: pl.Series(values[shown], nan_to_null=True) for role, values in file.numbers.items()}
        self.rows.append(pl.DataFrame({**labels, **numbers}))
        self.lines += (file.lines[shown] + first_line).tolist()


def _broken(rows: FileRows) -> tuple[NDArray[np.int64], int]:
    """Rows with an empty label, or one that is too long; and how many such labels they have."""
    wrong = np.zeros(len(rows.lines), dtype=np.int64)
    for codes, labels in rows.labels.values():
        long = (labels.str.len_chars() > LONGEST).to_numpy()
        wrong += np.append(long, True)[codes]  # an empty label is -1, the last
    return np.flatnonzero(wrong), int(wrong.sum())
