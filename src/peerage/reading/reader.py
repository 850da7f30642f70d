"""Reading feedback: every format a class comes in, through one function.

What a file means is named in it, said by options, or asked. `read` tries what was said; where something is
open (`OpenQuestion`), every answer is tried, and those that lead to feedback are offered together
(`AmbiguousReadingError`), each a complete reading with sentences from the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import polars as pl

from peerage._options import named
from peerage._words import plural
from peerage.errors import AmbiguousReadingError, DataError, OpenQuestion, Problem
from peerage.feedback.container import Criterion, Feedback, build_feedback
from peerage.feedback.python_lists import is_python_lists, refuse_ambiguous
from peerage.reading.ballots import parse_ranking
from peerage.reading.content import Content, content_of, file_set_of
from peerage.reading.exports import clean_export
from peerage.reading.formats import (
    LAYOUTS,
    LIST_FILES,
    TABLE_FILES,
    check_format,
    recognise_file,
    recognise_layout,
    recognise_table_file,
)
from peerage.reading.long import ask_about_contradiction, rank_score_agreement
from peerage.reading.packed import Packed, packed_at
from peerage.reading.reading import (
    HeaderOption,
    OpenOptions,
    Reading,
    chosen_reading,
    complete_reading,
)
from peerage.reading.sentences import describe
from peerage.reading.table import InputTable, ParsedReviews, is_frame, keep_cells, read_frame

DIFFERENT_RANGE = 2.0  # the range of one criterion over that of another from which it is noted
MOST_READINGS = 12  # that are offered
MOST_TRIES = 60  # answers that are tried to find them
SMALL = 8 << 20  # bytes of a file whose cells are kept at once: it may be read in several ways


@dataclass(frozen=True, slots=True)
class ProposedReading:
    """A way to read a file that was tried: what it means, in words, and what came of it."""

    reading: Reading
    sentences: tuple[str, ...]
    feedback: Feedback


def read(
    source: Any,
    format: str = "auto",  # noqa: A002 - the word people look for
    *,
    reading: Reading | str | os.PathLike[str] | None = None,
    **options: Any,
) -> Feedback:
    """Read feedback from a file or a table.

    Parameters
    ----------
    source : path, "-" for standard input, bytes, an open binary file, or a Polars, pandas or Arrow table; or
        a pattern such as ``"reviews/*.parquet"``: files of one layout, a row per review, read one by one, so
        that memory holds numbers only; or a folder that :func:`peerage.pack` made
    format : "auto", a layout ("long", "pairs", "slots", "places", "orders", "matrix", "transposed") or a kind
        of file ("csv", "excel", "parquet", "pgf", "preflib", "lines")
    reading : a :class:`Reading`, or the path of a `reading.toml`; what ``options`` say goes before it
    **options : the fields of :class:`Reading`, such as ``direction="scores"`` or ``ignore=["Email"]``; and
        what the file calls its columns, as in ``grader="reviewer", item="paper"``. The roles are grader,
        item, rank, score, task, list, weight, shown; for comparisons left, right, winner or top, bottom.
        ``score=""`` says that the file has no scores, whatever its columns are called.

    Raises :class:`peerage.AmbiguousReadingError` where the file does not say what it means, with every way to
    read it; :class:`peerage.DataError` listing what is wrong, line by line. Nothing partial is used.

    >>> read({"grader": ["ada", "ada"], "item": ["x", "y"], "rank": [1, 2]}).n_entries
    2
    """
    chosen = chosen_reading(reading, format, options)
    check_format(chosen.format)
    packed = packed_at(source)
    if packed is not None:
        return _read_packed(packed, chosen)
    files = file_set_of(source)
    if files is not None:
        if chosen.criteria:
            raise DataError("criteria can be read from one file, not from parts", source=str(source))
        from peerage.reading.batches import read_file_set
        from peerage.reading.file_sets import FileSetReader

        return confirmed(lambda attempt: read_file_set(FileSetReader(files, attempt)), chosen)
    opened = read_frame(source) if is_frame(source) else _OpenedFile(content_of(source))
    return confirmed(lambda attempt: _read_opened(opened, attempt), chosen)


def open_table(
    source: Any,
    *,
    sheet: str | int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    skip_rows: int = 0,
    header: HeaderOption = "first",
) -> InputTable:
    """The table in a file or in memory, its cells still as they are; takes what :func:`peerage.read` takes.

    Rosters and staff grades come this way. The format is found out; lists (PGF, PrefLib) are no tables.
    """
    if is_frame(source):
        return read_frame(source)
    content = content_of(source)
    how = OpenOptions(sheet, encoding, delimiter, skip_rows, header)
    return recognise_table_file(content).reader.open_table(content.data, how, content.name)


def as_feedback(source: Any) -> Feedback:
    """Feedback as it is, lists as they are; a file or a table as :func:`peerage.read` reads it untold."""
    if isinstance(source, Feedback):
        return source
    if is_python_lists(source):
        refuse_ambiguous(source)
        return Feedback.from_lists(source)
    try:
        return read(source)
    except DataError as error:
        if not isinstance(source, Mapping) or isinstance(error, AmbiguousReadingError):
            raise
        rule = "a dictionary is read as a table, with a list for each column"
        fix = "for {grader: [best, second, …]} say Feedback.from_orders(…)"
        raise DataError([*error.problems, Problem(rule, fix=fix)]) from None


def _read_packed(packed: Packed, reading: Reading) -> Feedback:
    """What was packed; it was read with options then, and others cannot change that any more."""
    said = {**reading.columns, **{name: value for name, value in reading.said().items() if name != "columns"}}
    if said:
        rule = f"{named(next(iter(said)))} says how to read files, and these were read when they were packed"
        fix = "leave it out, or pack the files again with it"
        raise DataError(Problem(rule, fix=fix), source=str(packed.folder))
    return packed.feedback()


# -- what is open is asked --------------------------------------------------------------------------------


def confirmed(attempt: Callable[[Reading], Feedback], reading: Reading) -> Feedback:
    """What the attempt reads; where something is open, every answer is tried, and what works is offered."""
    try:
        return attempt(reading)
    except OpenQuestion as question:
        if not question.choices:
            raise DataError(question.problems, source=question.source, total=question.total) from None
        exploration = _Exploration(attempt)
        exploration.answer(reading, question)
        source, total = question.source, question.total
    problems = list(dict.fromkeys(exploration.problems))
    if not exploration.proposals:
        raise DataError(problems, source=source, total=max(total, len(problems)))
    raise AmbiguousReadingError(
        problems, readings=exploration.proposals, source=source, total=max(total, len(problems))
    )


class _Exploration:
    """All answers to all questions, the most likely first, until enough of them lead to feedback."""

    def __init__(self, attempt: Callable[[Reading], Feedback]) -> None:
        self.attempt = attempt
        self.proposals: list[ProposedReading] = []
        self.problems: list[Problem] = []  # of the most likely answers
        self.tries = 0

    def answer(self, reading: Reading, question: OpenQuestion) -> None:
        first = not self.proposals
        if first:
            self.problems += question.problems
        for choice in question.choices:
            if len(self.proposals) == MOST_READINGS or self.tries == MOST_TRIES:
                return
            self.tries += 1
            said = reading.with_choice(choice)
            try:
                self._propose(self.attempt(said))
            except OpenQuestion as further:
                if said != reading:
                    self.answer(said, further)
            except DataError as error:
                if not self.proposals:
                    self.problems += error.problems

    def _propose(self, feedback: Feedback) -> None:
        if not any(feedback.equals(other.feedback) for other in self.proposals):
            self.proposals.append(ProposedReading(feedback.reading, feedback.sentences, feedback))


# -- one attempt ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _OpenedFile:
    """A file whose tables are opened once, and parsed once where they are wanted again."""

    content: Content
    _tables: dict[tuple[str, OpenOptions], InputTable] = field(default_factory=dict)

    def table(self, kind: str, how: OpenOptions) -> InputTable:
        known = self._tables.get((kind, how))
        content = self.content
        table = known or TABLE_FILES[kind].reader.open_table(content.data, how, content.name)
        if known or len(content.data) <= SMALL:
            table = keep_cells(table)
        self._tables[kind, how] = table
        return table


def _read_opened(opened: _OpenedFile | InputTable, reading: Reading) -> Feedback:
    if reading.criteria:
        return _read_criteria(opened, reading)
    return _read_any_table(opened, reading) if isinstance(opened, InputTable) else _read_file(opened, reading)


def _read_file(file: _OpenedFile, reading: Reading) -> Feedback:
    content = file.content
    kind = recognise_file(content, reading.format)
    if kind in LIST_FILES:
        if any(reading.columns.values()):
            role = next(role for role, name in reading.columns.items() if name)
            raise DataError(f"{kind} files have no columns to name, but {role}= was given")
        reviews = LIST_FILES[kind].reader.read_reviews(content.data, source=content.name, reading=reading)
        return _build(reviews, reading)
    table = file.table(kind, reading.opening)
    try:
        return _read_any_table(table, reading)
    except OpenQuestion:
        raise
    except DataError as error:
        if table.other_sheets and reading.sheet is None:  # perhaps the reviews are in another one
            notes = [Problem(note) for note in table.notes if note.startswith("sheet ")]
            raise OpenQuestion(
                [*error.problems, *notes],
                choices=[{"sheet": sheet} for sheet in table.other_sheets],
                source=error.source,
                total=error.total,
            ) from error
        raise


def _read_any_table(table: InputTable, reading: Reading) -> Feedback:
    _refuse_own_files(table)
    if table.alike_sheets and reading.sheet is None:
        alike = " and ".join(map(repr, table.alike_sheets))
        have = "has" if len(table.alike_sheets) == 1 else "have"
        rule = f"sheet {alike} {have} the columns of {table.sheet!r}"
        fix = f"say {named('sheet', 'all')}, or {named('sheet', table.sheet)}"
        sheets = ("all", table.sheet, *table.alike_sheets)
        raise table.question(rule, fix, [{"sheet": sheet} for sheet in sheets], line=None)
    if len(table.header) < 2 and table.other_sheets and reading.sheet is None:
        rule = f"sheet {table.sheet!r} has one column, and reviews take more"
        choices = [{"sheet": sheet} for sheet in table.other_sheets]
        raise table.question(rule, f"say which one with {named('sheet')}", choices, line=None)
    table = _with_joined_names(table, reading)
    asked = reading
    table, column_names = clean_export(table, reading.columns, reading.question)
    reading = replace(reading, columns=column_names)
    layout = (
        LAYOUTS[reading.format] if reading.format in LAYOUTS else recognise_layout(table, reading.columns)
    )
    _ask_about_header(table, reading, layout.name)
    return _build(layout.reader.read_reviews(table, reading), asked, table)


def _ask_about_header(table: InputTable, reading: Reading, layout: str) -> None:
    """A first line that repeats what stands below it, or is a ranking itself, is no header."""
    if reading.header == "none" or reading.format in LAYOUTS or table.header_line is None:
        return
    width = min(len(table.header), 12)
    cells = table.first_rows(range(width), 200)
    repeated = sum(
        bool((column.cast(pl.String).str.strip_chars() == table.header[which]).any())
        for which, column in enumerate(cells)
        if table.header[which]
    )
    written = layout == "orders" and any(parse_ranking(name) is not None for name in table.header)
    if repeated >= min(2, width) or written or _is_shaped_like_rows(table.header, cells):
        rule = f"the first line looks like those below it ({', '.join(map(repr, table.header[:4]))})"
        fix = f"say {named('header', 'none')} if it holds no names, or else the layout with {named('format')}"
        raise table.question(rule, fix, [{"header": "none"}])


def _is_shaped_like_rows(header: Sequence[str], cells: pl.DataFrame) -> bool:
    """`s01, , 100, 60` above `s02, 51, , 45`: a label like those below it, and numbers above numbers."""
    shape = re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", header[0]))
    labels = cells.to_series(0).cast(pl.String).str.strip_chars().drop_nulls()
    shapes = {re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", label)) for label in labels}
    numbers = [float(name) for name in header[1:] if re.fullmatch(r"\d+([.]\d+)?", name)]
    counted = sorted(numbers) == [float(number) for number in range(1, len(numbers) + 1)]
    return "9" in shape and "a" in shape and shapes == {shape} and len(numbers) > 1 and not counted


def _with_joined_names(table: InputTable, reading: Reading) -> InputTable:
    """With a column for a grader named by several: `First name+Last name`."""
    name = reading.columns.get("grader") or ""
    parts = name.split("+")
    if name in table.header or len(parts) < 2 or not set(parts) <= set(table.header):
        return table
    used = [table.header.index(part) for part in parts]
    others = [which for which in range(len(table.header)) if which not in used]

    def load(columns: Sequence[int]) -> pl.DataFrame:
        frame = table.load([*used, *others])
        texts = [frame.to_series(place).cast(pl.String).str.strip_chars() for place in range(len(used))]
        joined = pl.select(pl.concat_str(texts, separator=" ")).to_series().alias("joined names")
        whole = pl.DataFrame([joined, *frame.get_columns()[len(used) :]])
        return whole.select(whole.columns[which] for which in columns)

    header = (name, *(table.header[which] for which in others))
    return replace(table, header=header, load=load, load_first=None)


def _refuse_own_files(table: InputTable) -> None:
    """Files that say who reviews what hold no reviews."""
    header = [name.lower() for name in table.header]
    people = [name for name in header if name != "email"]
    own = people[:3] == ["grader", "item", "slot"] or people[:2] == ["grader", "item_1"]
    if own and not {"rank", "score"} & set(header):
        rule = "this is a list of who reviews what, as Peerage writes it: it holds no reviews"
        raise table.error(rule, "give the file with the ranks or scores")


def _build(reviews: ParsedReviews, reading: Reading, table: InputTable | None = None) -> Feedback:
    """The feedback, with the complete reading and its sentences."""
    feedback = reviews.feedback
    if feedback is None:
        feedback = build_feedback(
            reviews.columns,
            origin=reviews.origin,
            duplicates=reading.duplicates,
            missing=reading.missing,
            ids=reading.ids,
            notes=reviews.notes,
            find_direction=reviews.find_direction,
            direction=reviews.direction,
        )
    if table is not None:
        ask_about_contradiction(rank_score_agreement(feedback), reviews.origin.source, reviews.origin.names)
    if reviews.unreviewed and feedback.n_tasks == 1:
        feedback = feedback.with_items(reviews.unreviewed)
    header, sheets, sheet = (
        ((), (), None) if table is None else (table.header, table.other_sheets, table.sheet)
    )
    chosen = sheet if sheets or sheet == "all" else None
    complete = complete_reading(reading, reviews.said, feedback.direction, header, chosen)
    return replace(feedback, reading=complete, sentences=describe(feedback, reviews, complete, sheets))


# -- several criteria: a column of scores for each, read one by one and averaged by their weights ------------


def _read_criteria(opened: _OpenedFile | InputTable, reading: Reading) -> Feedback:
    """The feedback by all criteria together, with each on its own beside it."""
    weights = dict(reading.criteria)
    layout = "long" if reading.format == "auto" else reading.format
    single = replace(reading, criteria={}, format=layout)

    def read_one(name: str) -> Feedback:
        attempt = replace(single, columns={**single.columns, "rank": "", "score": name})
        return _check_scores(_read_opened(opened, attempt), name)

    each = tuple(Criterion(name, weight, read_one(name)) for name, weight in weights.items())
    reviews, notes = _weighted_means(each)
    first = each[0].feedback
    kept = [note for note in first.notes if not note.startswith(("column ignored", "columns ignored"))]
    names = ", ".join(f"{name} ({weight:g})" for name, weight in weights.items())
    whole = replace(
        Feedback.from_columns(**reviews.to_dict()),
        criteria=each,
        direction=first.direction,
        notes=(*kept, f"graded by the criteria {names}", *notes),
    )
    columns = {role: name for role, name in first.reading.columns.items() if role not in ("rank", "score")}
    ignore = tuple(name for name in first.reading.ignore if name not in weights)
    complete = replace(first.reading, criteria=weights, columns=columns, ignore=ignore)
    return replace(whole, reading=complete, sentences=describe(whole, None, complete))


def _check_scores(feedback: Feedback, name: str) -> Feedback:
    if feedback.scores is None or feedback.ordered_by != "score":
        raise DataError(
            f"the criterion {name!r} holds ranks, and only scores (larger is better) can be averaged over"
            " criteria"
        )
    return feedback


def _weighted_means(criteria: Sequence[Criterion]) -> tuple[pl.DataFrame, list[str]]:
    """The reviews with the weighted mean of their scores, and what is to be known about it.

    A review that lacks a criterion would have a mean of others than the rest: it stays out.
    """
    frames = [_scores(criterion, number) for number, criterion in enumerate(criteria)]
    keys = [name for name in frames[0].columns if not name.startswith("score")]
    whole = reduce(lambda left, right: left.join(right, on=keys, how="inner"), frames)
    weight = sum(criterion.weight for criterion in criteria)
    weighted = (pl.col(f"score{k}") * criterion.weight for k, criterion in enumerate(criteria))
    mean = pl.sum_horizontal(weighted) / weight
    lost = max(len(frame) for frame in frames) - len(whole)
    notes = _notes_on_ranges(criteria)
    if lost:
        note = f"{plural(lost, 'review')} without a score for every criterion left out of the whole"
        notes = [note, *notes]
    return whole.select(*keys, score=mean), notes


def _scores(criterion: Criterion, number: int) -> pl.DataFrame:
    frame = criterion.feedback.to_frame().drop("rank")
    return frame.drop_nulls("score").rename({"score": f"score{number}"})


def _notes_on_ranges(criteria: Sequence[Criterion]) -> list[str]:
    """A criterion of 0 to 100 beside one of 1 to 5 counts for far more than its weight says."""
    ends = {criterion.name: _range(criterion.feedback) for criterion in criteria}
    spans = [high - low for low, high in ends.values() if high > low]
    if not spans or max(spans) < DIFFERENT_RANGE * min(spans):
        return []
    ranges = ", ".join(f"{name} from {low:g} to {high:g}" for name, (low, high) in ends.items())
    return [f"criteria have different ranges ({ranges}): a weight multiplies the points as they were given"]


def _range(feedback: Feedback) -> tuple[float, float]:
    scores = pl.Series(feedback.scores).drop_nans()
    return float(scores.min()), float(scores.max())  # type: ignore[arg-type]
