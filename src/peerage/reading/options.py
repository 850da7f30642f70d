"""How a feedback file is read: every option once, for the command line and the service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from peerage._options import OptionSet, option
from peerage.feedback import Duplicates, Missing
from peerage.reading.formats import FORMATS

if TYPE_CHECKING:
    from peerage.feedback import Feedback


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(OptionSet):
    """How to read feedback; :func:`peerage.read` takes the same by keyword, and explains it."""

    format: str = option("auto", str, "A layout (long, pairs, matrix) or a kind of file.", choices=FORMATS)
    columns: Mapping[str, str] = option(
        {},
        dict,
        "What the file calls a column, or that it has none.",
        metavar="NAME=HEADER",
        examples=("item=paper", "score="),
    )
    duplicates: Duplicates = option(
        "error",
        str,
        "What to do where a grader reviews an item twice in one list.",
        choices=get_args(Duplicates),
    )
    missing: Missing = option(
        "error",
        str,
        "What to do with reviews that have neither rank nor score.",
        choices=get_args(Missing),
    )
    sheet: str | None = option(None, str, "Which sheet of an Excel file; the first if not given.")
    encoding: str | None = option(None, str, "Encoding of a text file.")
    delimiter: str | None = option(None, str, "What separates the columns.")

    criteria: Mapping[str, float] = option(
        {},
        dict,
        "Columns of scores by several criteria, and how much each counts.",
        metavar="NAME=WEIGHT,…",
        examples=("clarity=2,method=1",),
    )

    @property
    def opening(self) -> dict[str, Any]:
        """How to open the file."""
        return {"sheet": self.sheet, "encoding": self.encoding, "delimiter": self.delimiter}

    def read(self, source: Any) -> Feedback:
        """The feedback, as :func:`peerage.read` reads it with these options."""
        from peerage.reading.reader import read

        given: dict[str, Any] = {**self.opening, **self.columns}
        return read(
            source,
            self.format,
            duplicates=self.duplicates,
            missing=self.missing,
            criteria=self.criteria,
            **given,
        )
