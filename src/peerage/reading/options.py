"""How a feedback file is read: every option once, for the command line and the service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from peerage._options import OptionSet, option
from peerage.feedback.choices import Duplicates, Ids, Missing
from peerage.reading.formats import FORMATS, check_format
from peerage.reading.rules import DirectionOption, OpenOptions, Rules, Zeros, scale_words

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.reading.content import FileSet
    from peerage.reading.file_sets import FileSetReader


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
    direction: DirectionOption = option(
        "auto",
        str,
        "What the numbers are: ranks, where 1 is best, or scores, where larger is better.",
        choices=get_args(DirectionOption),
    )
    lower_is_better: bool = option(False, bool, "Scores of which the lower is better.")
    zeros: Zeros = option(
        "auto",
        str,
        "Zeros in a matrix of scores: scores, or empty where an item was not reviewed.",
        choices=get_args(Zeros),
    )
    words: str | None = option(
        None,
        str,
        "The marks of a scale, best first; A to F are known.",
        examples=('"excellent,good,fair,poor"',),
    )
    sheet: str | None = option(None, str, "Which sheet of an Excel file; the first if not given.")
    ids: Ids = option(
        "exact",
        str,
        "Labels that differ in case, blanks or Unicode form: fold joins them, exact does not.",
        choices=get_args(Ids),
    )
    question: str | None = option(
        None, str, "Which question of a form is read, where several are about several items."
    )
    skip_rows: int = option(0, int, "Rows above the header to leave out; titles are found out.", low=0)
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
        return {name: getattr(self, name) for name in ("sheet", "encoding", "delimiter", "skip_rows")}

    @property
    def rules(self) -> dict[str, Any]:
        """What to make of values that do not speak for themselves."""
        names = ("duplicates", "missing", "direction", "lower_is_better", "zeros", "ids")
        named = {name: getattr(self, name) for name in names}
        return {**named, "words": self.words or (), "question": self.question, "criteria": self.criteria}

    def file_set_reader(self, files: FileSet) -> FileSetReader:
        """The files one after the other, as :meth:`read` reads them."""
        from peerage.reading.file_sets import FileSetReader

        check_format(self.format)
        rules = Rules(
            duplicates=self.duplicates,
            missing=self.missing,
            direction=self.direction,
            lower_is_better=self.lower_is_better,
            zeros=self.zeros,
            words=scale_words(self.words or ()),
            ids=self.ids,
        )
        rules.check()
        return FileSetReader(files, self.format, OpenOptions(**self.opening), self.columns, rules)

    def read(self, source: Any) -> Feedback:
        """The feedback, as :func:`peerage.read` reads it with these options."""
        from peerage.reading.reader import read

        given: dict[str, Any] = {**self.opening, **self.columns}
        return read(source, self.format, **self.rules, **given)
