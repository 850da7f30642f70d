"""Reading feedback: every format a class comes in, through one function."""

from __future__ import annotations

from typing import Any

from peerage.errors import DataError
from peerage.feedback import Duplicates, Feedback, Missing
from peerage.reading.content import content_of
from peerage.reading.criteria import read_criteria
from peerage.reading.formats import LAYOUTS, LIST_FILES, TABLE_FILES
from peerage.reading.frames import is_frame, read_frame
from peerage.reading.recognition import check_format, kind_of, layout_of
from peerage.reading.table import Opening, Table
from peerage.reading.weights import Weights


def read(
    source: Any,
    format: str = "auto",  # noqa: A002 - the word people look for
    *,
    duplicates: Duplicates = "error",
    missing: Missing = "error",
    sheet: str | int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    criteria: Weights = (),
    **columns: str | None,
) -> Feedback:
    """Read feedback from a file or a table.

    Parameters
    ----------
    source : path, "-" for standard input, bytes, an open binary file, or a Polars, pandas or Arrow table
    format : "auto", a layout ("long", "pairs", "matrix") or a kind of file ("csv", "excel", "parquet",
        "pgf", "preflib"). What is not said is found out.
    duplicates : what to do where a list holds an item twice: "error", keep the "first" or the "last", or
        take the "mean".
    missing : what to do with reviews without rank and score: "error" or "drop".
    sheet : name or number (from 1) of the sheet of a workbook; the first if not given.
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
    if criteria:
        told = {
            name: value for name, value in locals().items() if name not in ("source", "criteria", "columns")
        }
        return read_criteria(source, criteria, {**told, **columns})
    check_format(format)
    given = {role: name for role, name in columns.items() if name is not None}
    if is_frame(source):
        return _from_table(read_frame(source), format, given, duplicates, missing)
    content = content_of(source)
    kind = kind_of(content, format)
    if kind in LIST_FILES:
        if given:
            raise DataError(f"{kind} files have no columns to name, but {next(iter(given))}= was given")
        return LIST_FILES[kind].reader.feedback_from(
            content.data, source=content.name, encoding=encoding, duplicates=duplicates, missing=missing
        )
    how = Opening(sheet, encoding, delimiter)
    table = TABLE_FILES[kind].reader.open_table(content.data, how, content.name)
    del content  # a large file's bytes would otherwise wait beside its columns
    return _from_table(table, format, given, duplicates, missing)


def _from_table(
    table: Table, told: str, given: dict[str, str], duplicates: Duplicates, missing: Missing
) -> Feedback:
    layout = LAYOUTS[told] if told in LAYOUTS else layout_of(table, given)
    return layout.reader.feedback_from(table, given, duplicates=duplicates, missing=missing)
