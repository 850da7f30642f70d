"""Every format that feedback comes in, once: what it is called, how it is recognised, and what reads it.

A new format is one new module of this package, or a class in one, and one line in a table below; `read`,
`inspect`, the command line, the web form and the tests of the documentation read these tables. Nothing is
imported before a format is wanted. What a reader must offer is what its kind of format calls for: see the
protocols. Content decides which format it is, where nobody says: the ending of a name is often wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from peerage.errors import DataError, Problem

if TYPE_CHECKING:
    from peerage.reading.content import Content
    from peerage.reading.reading import OpenOptions, Reading
    from peerage.reading.table import CleanedTable, InputTable, ParsedReviews

ColumnNames = Mapping[str, str]


class LayoutReader(Protocol):
    """What a module or class offers that reads one layout of tables."""

    def suits(self, table: InputTable, column_names: ColumnNames) -> bool:
        """Whether the table looks so."""

    def read_reviews(self, table: InputTable, reading: Reading) -> ParsedReviews:
        """The reviews in it; raises OpenQuestion where the reading leaves open what the table means."""


class ExportReader(Protocol):
    """What a class offers that knows the exports of one system."""

    def suits(self, table: InputTable) -> bool:
        """Whether the system wrote it."""

    def clean(self, table: InputTable, column_names: ColumnNames) -> CleanedTable:
        """What is left without the system's own, and which column plays which role."""


class TableReader(Protocol):
    """What a module or class offers that opens one kind of file with a table in it."""

    def suits(self, data: bytes) -> bool:
        """Whether the first bytes are those of such a file."""

    def open_table(self, data: bytes, how: OpenOptions, source: str | None) -> InputTable:
        """The table."""

    def preview(self, data: bytes, how: OpenOptions, source: str | None, rows: int) -> dict[str, Any]:
        """Fields of an `Inspection` that are known even where the table cannot be opened."""


class ListReader(Protocol):
    """What a class offers that reads files of lists, which have no columns."""

    def suits(self, head: str) -> bool:
        """Whether the text begins like such a file."""

    def read_reviews(self, data: bytes, *, source: str | None, reading: Reading) -> ParsedReviews:
        """The reviews in it."""


R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Format(Generic[R]):
    """One format.

    Attributes
    ----------
    name, words : what it is called, and what it is in a few words.
    home : what reads it, a `module` or a `module:Class`.
    binary : of files: whether it is known by its first bytes.
    endings : of files of lists: how their names end.
    required, optional : of layouts: the roles that must have a column, and those that may.
    """

    name: str
    words: str
    home: str
    binary: bool = False
    endings: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ("grader", "task", "weight")

    @property
    def reader(self) -> R:
        module_name, _, class_name = self.home.partition(":")
        module = import_module(f"{__package__}.{module_name}")
        return cast("R", getattr(module, class_name)() if class_name else module)


def _by_name(*formats: Format[R]) -> dict[str, Format[R]]:
    return {entry.name: entry for entry in formats}


# In each table, the first that suits is taken; `long` is also what a table is taken for that suits none,
# since its messages say what is missing. Text that is nothing else is the first file.
LAYOUTS: dict[str, Format[LayoutReader]] = _by_name(
    Format("long", "one row per review", "long", required=("grader", "item"),
           optional=("rank", "score", "task", "list", "weight", "shown")),
    Format("slots", "one row per grader, an item and its score in turn", "numbered:SlotColumns"),
    Format("pairs", "one row per comparison of two", "pairs",
           optional=("left", "right", "winner", "top", "bottom", "grader", "task", "weight")),
    Format("places", "one row per grader, one column per place", "numbered:PlaceColumns"),
    Format("orders", "one row per grader, a ranking in one cell", "ballots:RankingColumn",
           required=("order",)),
    Format("matrix", "one row per grader, one column per item", "matrix:Matrix"),
    Format("transposed", "one row per item, one column per grader", "matrix:Transposed",
           required=("item",), optional=("task",)),
)  # fmt: skip
TABLE_FILES: dict[str, Format[TableReader]] = _by_name(
    Format("csv", "a text table", "text"),
    Format("excel", "an Excel workbook", "excel", binary=True),
    Format("parquet", "a Parquet file", "table:Parquet", binary=True),
)
LIST_FILES: dict[str, Format[ListReader]] = _by_name(
    Format("pgf", "a PGF file", "list_files:Pgf", endings=(".pgf",)),
    Format("preflib", "a PrefLib file", "list_files:PrefLib", endings=(".soc", ".soi", ".toc", ".toi")),
    Format("lines", "a text of rankings, one per line", "ballots:RankingLines"),
)
EXPORTS: dict[str, Format[ExportReader]] = _by_name(
    Format("google-forms", "Google Forms", "exports:GoogleForms"),
    Format("microsoft-forms", "Microsoft Forms", "exports:MicrosoftForms"),
    Format("qualtrics", "Qualtrics", "exports:Qualtrics"),
    Format("limesurvey", "LimeSurvey", "exports:LimeSurvey"),
    Format("canvas", "Canvas", "exports:Canvas"),
    Format("moodle-workshop", "Moodle Workshop", "exports:MoodleWorkshop"),
    Format("conferences", "HotCRP or Microsoft CMT", "exports:ConferenceReviews"),
)
FORMATS = ("auto", *LAYOUTS, *TABLE_FILES, *LIST_FILES)
HEAD_BYTES = 4096  # bytes by which a text is known
TEXT = next(iter(TABLE_FILES.values()))


# -- which one it is: as told, or by the content ----------------------------------------------------------


def check_format(format_name: str) -> None:
    """Refuse the name of a format that there is not."""
    if format_name not in FORMATS:
        raise DataError(f"format {format_name!r} is not known; use one of {', '.join(FORMATS)}")


def recognise_file(content: Content, format_name: str = "auto") -> str:
    """The kind of file: a name from the tables of files and of lists."""
    table = recognise_table_file(content)
    if format_name in LIST_FILES or format_name in TABLE_FILES:
        _refuse_other_kind(content, table, format_name)
        return format_name
    if format_name in LAYOUTS or table.binary:
        return table.name
    ending = Path(content.name).suffix.lower() if content.name else ""
    head = _head(content.data)
    by_ending = (kind.name for kind in LIST_FILES.values() if ending in kind.endings)
    by_head = (kind.name for kind in LIST_FILES.values() if kind.reader.suits(head))
    return next(by_ending, None) or next(by_head, TEXT.name)


def recognise_table_file(content: Content) -> Format[TableReader]:
    """The kind of file as far as tables go: known by its first bytes, or text."""
    if not content.data:
        raise DataError("the file is empty", source=content.name)
    suitable = (kind for kind in TABLE_FILES.values() if kind.binary and kind.reader.suits(content.data))
    return next(suitable, TEXT)


def recognise_layout(table: InputTable, column_names: ColumnNames) -> Format[LayoutReader]:
    """The layout of a table."""
    layouts = sorted(LAYOUTS.values(), key=lambda layout: layout.name != "slots")  # several items in a row
    suitable = (layout for layout in layouts if layout.reader.suits(table, column_names))
    return next(suitable, LAYOUTS["long"])


def _head(data: bytes) -> str:
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data[:HEAD_BYTES].decode("utf-16" if wide else "utf-8-sig", errors="replace")


def _refuse_other_kind(content: Content, actual: Format[TableReader], format_name: str) -> None:
    binary = format_name in TABLE_FILES and TABLE_FILES[format_name].binary
    if actual.binary and not binary:  # of a binary format, its own reader says what is wrong
        problem = Problem(f"the file is {actual.words}, not {format_name}", fix="leave out the format")
        raise DataError(problem, source=content.name)
