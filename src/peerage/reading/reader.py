"""Reading feedback: every format a class comes in, through one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import polars as pl

from peerage._options import named
from peerage._words import plural
from peerage.errors import DataError, DirectionError, Problem
from peerage.feedback.choices import Duplicates, Ids, Missing
from peerage.feedback.container import Criterion, Feedback, build_feedback
from peerage.reading.content import content_of, file_set_of
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
from peerage.reading.frames import is_frame, read_frame
from peerage.reading.packed import Packed, packed_at
from peerage.reading.rules import (
    DirectionOption,
    OpenOptions,
    Rules,
    Weights,
    Zeros,
    parse_criteria,
    scale_words,
)
from peerage.reading.table import InputTable

DIFFERENT_RANGE = 2.0  # the range of one criterion over that of another from which it is noted


def read(
    source: Any,
    format: str = "auto",  # noqa: A002 - the word people look for
    *,
    duplicates: Duplicates = "error",
    missing: Missing = "error",
    direction: DirectionOption = "auto",
    lower_is_better: bool = False,
    zeros: Zeros = "auto",
    words: str | Sequence[str] = (),
    ids: Ids = "exact",
    question: str | None = None,
    sheet: str | int | None = None,
    skip_rows: int = 0,
    encoding: str | None = None,
    delimiter: str | None = None,
    criteria: Weights = (),
    **columns: str | None,
) -> Feedback:
    """Read feedback from a file or a table.

    Parameters
    ----------
    source : path, "-" for standard input, bytes, an open binary file, or a Polars, pandas or Arrow table; or
        a pattern such as "reviews/*.parquet": files of one layout, a row per review, read one by one, so that
        memory holds numbers only; or a folder that :func:`peerage.pack` made
    format : "auto", a layout ("long", "pairs", "matrix") or a kind of file ("csv", "excel", "parquet",
        "pgf", "preflib"). What is not said is found out.
    duplicates : what to do where a list holds an item twice: "error", keep the "first" or the "last", or
        take the "mean".
    missing : what to do with reviews without rank and score: "error" or "drop".
    direction : what the numbers are: "ranks" (1 is best) or "scores" (larger is better). By default that is
        found out, from the names of columns and from the numbers, and refused where it is not plain; what was
        decided, and why, is ``feedback.direction``.
    lower_is_better : the numbers are scores of which the lower is better; their order is what is read.
    zeros : in a matrix of scores, whether zeros are "scores" or "empty": items that were not reviewed.
    words : the marks of a scale, best first, as in "excellent,good,fair,poor"; A to F are known without.
    ids : "fold" takes labels that differ in nothing but case, blanks or Unicode form for one and says so.
    question : which question of a form is read, where several are about several items.
    sheet : name or number (from 1) of the sheet of a workbook; the first if not given.
    skip_rows : how many rows above the header to leave out; titles are found out.
    encoding, delimiter : of a text file; found out if not given.
    criteria : columns of scores with their weights, as in ``{"clarity": 2, "method": 1}``. The score of a
        review is their weighted mean, and ``feedback.criteria`` has each on its own.
    **columns : what the file calls its columns, as in ``grader="reviewer", item="paper"``. The roles are
        grader, item, rank, score, task, list, weight; for comparisons left, right, winner or top, bottom.
        ``score=""`` says that the file has no scores, whatever its columns are called.

    Raises :class:`peerage.DataError` listing what is wrong, line by line; nothing partial is used.

    >>> read({"grader": ["ada", "ada"], "item": ["x", "y"], "rank": [1, 2]}).n_entries
    2
    """
    options = {
        name: value for name, value in locals().items() if name not in ("source", "criteria", "columns")
    }
    packed = packed_at(source)
    if packed is not None:
        return _read_packed(packed, {**options, "criteria": criteria, **columns})
    if criteria:
        if file_set_of(source) is not None:
            raise DataError("criteria can be read from one file, not from parts", source=str(source))
        return _read_criteria(source, criteria, {**options, **columns})
    check_format(format)
    rules = Rules(
        duplicates=duplicates,
        missing=missing,
        direction=direction,
        lower_is_better=lower_is_better,
        zeros=zeros,
        words=scale_words(words),
        ids=ids,
    )
    rules.check()
    column_names = {role: name for role, name in columns.items() if name is not None}
    if is_frame(source):
        return _read_table(read_frame(source), format, column_names, rules, question)
    files = file_set_of(source)
    how = OpenOptions(sheet, encoding, delimiter, skip_rows)
    if files is not None:
        from peerage.reading.batches import read_file_set
        from peerage.reading.file_sets import FileSetReader

        return read_file_set(FileSetReader(files, format, how, column_names, rules))
    content = content_of(source)
    kind = recognise_file(content, format)
    if kind in LIST_FILES:
        if column_names:
            raise DataError(
                f"{kind} files have no columns to name, but {next(iter(column_names))}= was given"
            )
        feedback = LIST_FILES[kind].reader.read_feedback(
            content.data, source=content.name, encoding=encoding, duplicates=duplicates, missing=missing
        )
        return _merge_spellings(feedback, rules) if ids == "fold" else feedback
    table = TABLE_FILES[kind].reader.open_table(content.data, how, content.name)
    del content  # a large file's bytes would otherwise wait beside its columns
    try:
        return _read_table(table, format, column_names, rules, question)
    except DirectionError:
        raise
    except DataError as error:
        raise _with_sheets(error, table) from error


def open_table(
    source: Any,
    *,
    sheet: str | int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    skip_rows: int = 0,
) -> InputTable:
    """The table in a file or in memory, its cells still as they are; takes what :func:`peerage.read` takes.

    Rosters and staff grades come this way. The format is found out; lists (PGF, PrefLib) are no tables.
    """
    if is_frame(source):
        return read_frame(source)
    content = content_of(source)
    how = OpenOptions(sheet, encoding, delimiter, skip_rows)
    return recognise_table_file(content).reader.open_table(content.data, how, content.name)


def as_feedback(source: Any) -> Feedback:
    """Feedback as it is; a file or a table is read, as :func:`peerage.read` does without being told more."""
    return source if isinstance(source, Feedback) else read(source)


def _read_packed(packed: Packed, options: dict[str, Any]) -> Feedback:
    """What was packed; it was read with options then, and others cannot change that any more."""
    usual = {"format": "auto", **(read.__kwdefaults__ or {})}
    other = [name for name, value in options.items() if value != usual.get(name) and (value or value == 0)]
    if other:
        rule = f"{named(other[0])} says how to read files, and these were read when they were packed"
        fix = "leave it out, or pack the files again with it"
        raise DataError(Problem(rule, fix=fix), source=str(packed.folder))
    return packed.feedback()


def _merge_spellings(feedback: Feedback, rules: Rules) -> Feedback:
    """The same with spellings of one name as one; lists have no columns that could be joined before."""
    frame = feedback.to_frame()
    if feedback.ordered_by == "score":
        frame = frame.drop("rank")
    columns = {name: frame[name] for name in frame.columns}
    columns["list"] = pl.Series(feedback.entry_lists).cast(pl.String).str.zfill(9)  # each stays its own
    return build_feedback(
        columns,
        duplicates=rules.duplicates,
        ids="fold",
        notes=feedback.notes,
        direction=feedback.direction,
    )


def _with_sheets(error: DataError, table: InputTable) -> DataError:
    """With the other sheets of the workbook: perhaps the reviews are in one of them."""
    others = [Problem(note) for note in table.notes if note.startswith("sheet ")]
    return DataError([*error.problems, *others], source=error.source, total=error.total) if others else error


def _read_table(
    table: InputTable, format_name: str, column_names: dict[str, str], rules: Rules, question: str | None
) -> Feedback:
    table, column_names = clean_export(table, column_names, question)
    layout = LAYOUTS[format_name] if format_name in LAYOUTS else recognise_layout(table, column_names)
    return layout.reader.read_feedback(table, column_names, rules)


# -- several criteria: a column of scores for each, read one by one and averaged by their weights ------------


def _read_criteria(source: Any, criteria: Weights, options: dict[str, Any]) -> Feedback:
    """The feedback by all criteria together, with each on its own beside it."""
    weights = parse_criteria(criteria)
    layout = "long" if options["format"] == "auto" else options["format"]
    options = {**options, "rank": "", "format": layout}
    content = source if is_frame(source) else content_of(source)
    each = tuple(
        Criterion(name, weight, _check_scores(read(content, **{**options, "score": name}), name))
        for name, weight in weights.items()
    )
    reviews, notes = _weighted_means(each)
    first = each[0].feedback
    kept = [note for note in first.notes if not note.startswith(("column ignored", "columns ignored"))]
    names = ", ".join(f"{name} ({weight:g})" for name, weight in weights.items())
    return replace(
        Feedback.from_columns(**reviews.to_dict()),
        criteria=each,
        direction=first.direction,
        notes=(*kept, f"graded by the criteria {names}", *notes),
    )


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
