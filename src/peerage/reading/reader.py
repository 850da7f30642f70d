"""Reading feedback: every format a class comes in, through one function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from peerage._naming import named
from peerage.errors import DataError, DirectionError, Problem
from peerage.feedback.builder import build
from peerage.feedback.choices import Duplicates, Ids, Missing
from peerage.feedback.container import Feedback
from peerage.reading.content import content_of, file_set_of
from peerage.reading.criteria import read_criteria
from peerage.reading.formats import LAYOUTS, LIST_FILES, TABLE_FILES
from peerage.reading.frames import is_frame, read_frame
from peerage.reading.packed import Packed, packed_at
from peerage.reading.recognition import check_format, kind_of, layout_of, recognised
from peerage.reading.rules import DirectionWish, Rules, Zeros, scale_words
from peerage.reading.table import Opening, Table
from peerage.reading.weights import Weights


def read(
    source: Any,
    format: str = "auto",  # noqa: A002 - the word people look for
    *,
    duplicates: Duplicates = "error",
    missing: Missing = "error",
    direction: DirectionWish = "auto",
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
    told = {name: value for name, value in locals().items() if name not in ("source", "criteria", "columns")}
    packed = packed_at(source)
    if packed is not None:
        return _unpacked(packed, {**told, "criteria": criteria, **columns})
    if criteria:
        if file_set_of(source) is not None:
            raise DataError("criteria can be read from one file, not from parts", source=str(source))
        return read_criteria(source, criteria, {**told, **columns})
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
    given = {role: name for role, name in columns.items() if name is not None}
    if is_frame(source):
        return _from_table(read_frame(source), format, given, rules, question)
    files = file_set_of(source)
    if files is not None:
        from peerage.reading.batches import read_file_set
        from peerage.reading.file_sets import FileSetReader

        opening = Opening(sheet, encoding, delimiter, skip_rows)
        return read_file_set(FileSetReader(files, format, opening, given, rules))
    content = content_of(source)
    kind = kind_of(content, format)
    if kind in LIST_FILES:
        if given:
            raise DataError(f"{kind} files have no columns to name, but {next(iter(given))}= was given")
        found = LIST_FILES[kind].reader.feedback_from(
            content.data, source=content.name, encoding=encoding, duplicates=duplicates, missing=missing
        )
        return _folded(found, rules) if ids == "fold" else found
    how = Opening(sheet, encoding, delimiter, skip_rows)
    table = TABLE_FILES[kind].reader.open_table(content.data, how, content.name)
    del content  # a large file's bytes would otherwise wait beside its columns
    try:
        return _from_table(table, format, given, rules, question)
    except DirectionError:
        raise
    except DataError as error:
        raise _with_sheets(error, table) from error


def _unpacked(packed: Packed, told: dict[str, Any]) -> Feedback:
    """What was packed; it was read with options then, and others cannot change that any more."""
    usual = {"format": "auto", **(read.__kwdefaults__ or {})}
    other = [name for name, value in told.items() if value != usual.get(name) and (value or value == 0)]
    if other:
        rule = f"{named(other[0])} says how to read files, and these were read when they were packed"
        fix = "leave it out, or pack the files again with it"
        raise DataError(Problem(rule, fix=fix), source=str(packed.folder))
    return packed.feedback()


def _folded(feedback: Feedback, rules: Rules) -> Feedback:
    """The same with spellings of one name as one; lists have no columns that could be joined before."""
    frame = feedback.to_frame()
    if feedback.ordered_by == "score":
        frame = frame.drop("rank")
    columns = {name: frame[name] for name in frame.columns}
    columns["list"] = pl.Series(feedback.entry_lists).cast(pl.String).str.zfill(9)  # each stays its own
    return build(
        columns,
        duplicates=rules.duplicates,
        ids="fold",
        notes=feedback.notes,
        direction=feedback.direction,
    )


def _with_sheets(error: DataError, table: Table) -> DataError:
    """With the other sheets of the workbook: perhaps the reviews are in one of them."""
    others = [Problem(note) for note in table.notes if note.startswith("sheet ")]
    return DataError([*error.problems, *others], source=error.source, total=error.total) if others else error


def _from_table(
    table: Table, told: str, given: dict[str, str], rules: Rules, question: str | None
) -> Feedback:
    table, given = recognised(table, given, question)
    layout = LAYOUTS[told] if told in LAYOUTS else layout_of(table, given)
    return layout.reader.feedback_from(table, given, rules)
