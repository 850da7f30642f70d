"""Reading feedback: every format a class comes in, through one function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from peerage.errors import DataError
from peerage.feedback import Duplicates, Feedback, Missing
from peerage.reading.content import content_of
from peerage.reading.formats import LAYOUTS, LIST_FILES, TABLE_FILES
from peerage.reading.frames import is_frame, read_frame
from peerage.reading.recognition import check_format, kind_of, layout_of
from peerage.reading.rules import DirectionWish, Rules, Zeros, scale_words
from peerage.reading.table import Opening, Table


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
    sheet: str | int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
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
    direction : what the numbers are: "ranks" (1 is best) or "scores" (larger is better). By default that is
        found out, from the names of columns and from the numbers, and refused where it is not plain; what was
        decided, and why, is ``feedback.direction``.
    lower_is_better : the numbers are scores of which the lower is better; their order is what is read.
    zeros : in a matrix of scores, whether zeros are "scores" or "empty": items that were not reviewed.
    words : the marks of a scale, best first, as in "excellent,good,fair,poor"; A to F are known without.
    sheet : name or number (from 1) of the sheet of a workbook; the first if not given.
    encoding, delimiter : of a text file; found out if not given.
    **columns : what the file calls its columns, as in ``grader="reviewer", item="paper"``. The roles are
        grader, item, rank, score, task, list, weight; for comparisons left, right, winner or top, bottom.
        ``score=""`` says that the file has no scores, whatever its columns are called.

    Raises :class:`peerage.DataError` listing what is wrong, line by line; nothing partial is used.

    >>> read({"grader": ["ada", "ada"], "item": ["x", "y"], "rank": [1, 2]}).n_entries
    2
    """
    check_format(format)
    rules = Rules(
        duplicates=duplicates,
        missing=missing,
        direction=direction,
        lower_is_better=lower_is_better,
        zeros=zeros,
        words=scale_words(words),
    )
    rules.check()
    given = {role: name for role, name in columns.items() if name is not None}
    if is_frame(source):
        return _from_table(read_frame(source), format, given, rules)
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
    return _from_table(table, format, given, rules)


def _from_table(table: Table, told: str, given: dict[str, str], rules: Rules) -> Feedback:
    layout = LAYOUTS[told] if told in LAYOUTS else layout_of(table, given)
    return layout.reader.feedback_from(table, given, rules)
