"""Every format that feedback comes in, once: what it is called, how it is recognised, and what reads it.

A new format is one new module of this package, or a class in one, and one line in a table below; `read`,
`inspect`, the command line, the web form and the tests of the documentation read these tables. Nothing is
imported before a format is wanted. What a reader must offer is what its kind of format calls for: see the
protocols. Content decides which format it is, where nobody says: the ending of a name is often wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from peerage.errors import DataError, Problem

if TYPE_CHECKING:
    from peerage.feedback.choices import Duplicates, Missing
    from peerage.feedback.container import Feedback
    from peerage.reading.content import Content
    from peerage.reading.rules import OpenOptions, Rules
    from peerage.reading.table import CleanedTable, InputTable, TablePreview

ColumnNames = Mapping[str, str]


class LayoutReader(Protocol):
    """What a module or class offers that reads one layout of tables."""

    def suits(self, table: InputTable, column_names: ColumnNames) -> bool:
        """Whether the table looks so."""

    def roles(self, table: InputTable, column_names: ColumnNames) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The roles that must have a column, and those that may."""

    def locate_columns(self, table: InputTable, column_names: ColumnNames) -> dict[str, int]:
        """The position of each role's column."""

    def read_feedback(self, table: InputTable, column_names: ColumnNames, rules: Rules) -> Feedback:
        """The feedback in it."""


class ExportReader(Protocol):
    """What a class offers that knows the exports of one system."""

    def suits(self, table: InputTable) -> bool:
        """Whether the system wrote it."""

    def clean(self, table: InputTable, column_names: ColumnNames) -> CleanedTable:
        """What is left without the system's own, and which column plays which role."""


class TableReader(Protocol):
    """What a module offers that opens one kind of file with a table in it."""

    def suits(self, data: bytes) -> bool:
        """Whether the first bytes are those of such a file."""

    def open_table(self, data: bytes, how: OpenOptions, source: str | None) -> InputTable:
        """The table."""

    def preview(self, data: bytes, how: OpenOptions, source: str | None, rows: int) -> TablePreview:
        """What can be shown of it even where the table cannot be opened."""


class ListReader(Protocol):
    """What a module or class offers that reads files of lists, which have no columns."""

    def suits(self, head: str) -> bool:
        """Whether the text begins like such a file."""

    def read_feedback(
        self,
        data: bytes,
        *,
        source: str | None,
        encoding: str | None,
        duplicates: Duplicates,
        missing: Missing,
    ) -> Feedback:
        """The feedback in it."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name, what it is in a few words, and what reads it: a `module`, or a `module:Class`."""

    name: str
    words: str
    home: str

    def _reader(self) -> object:
        module_name, _, class_name = self.home.partition(":")
        module = import_module(f"{__package__}.{module_name}")
        return getattr(module, class_name)() if class_name else module


@dataclass(frozen=True, slots=True)
class Layout(Format):
    """A way to write reviews into a table, whatever file the table is in."""

    @property
    def reader(self) -> LayoutReader:
        return cast("LayoutReader", self._reader())


@dataclass(frozen=True, slots=True)
class SystemExport(Format):
    """A system that exports tables in its own way; what it adds is taken away before they are read."""

    @property
    def reader(self) -> ExportReader:
        return cast("ExportReader", self._reader())


@dataclass(frozen=True, slots=True)
class TableFile(Format):
    """A kind of file that holds a table; a binary one is known by its first bytes."""

    binary: bool = False

    @property
    def reader(self) -> TableReader:
        return cast("TableReader", self._reader())


@dataclass(frozen=True, slots=True)
class ListFile(Format):
    """A kind of text file with a list per line; known by the ending of its name, or by how it begins."""

    endings: tuple[str, ...] = ()

    @property
    def reader(self) -> ListReader:
        return cast("ListReader", self._reader())


F = TypeVar("F", bound=Format)


def _by_name(formats: Iterable[F]) -> dict[str, F]:
    return {entry.name: entry for entry in formats}


# In each table, the first that suits is taken; the first layout is also what a table is taken for that suits
# none, since its messages say what is missing. Text that is nothing else is the first file.
LAYOUTS = _by_name(
    [
        Layout("long", "one row per review", "long"),
        Layout("pairs", "one row per comparison of two", "pairs"),
        Layout("places", "one row per grader, one column per place", "ballots:PlaceColumns"),
        Layout("orders", "one row per grader, a ranking in one cell", "ballots:RankingColumn"),
        Layout("matrix", "one row per grader, one column per item", "matrix"),
    ]
)
TABLE_FILES = _by_name(
    [
        TableFile("csv", "a text table", "text"),
        TableFile("excel", "an Excel workbook", "excel", binary=True),
        TableFile("parquet", "a Parquet file", "frames", binary=True),
    ]
)
LIST_FILES = _by_name(
    [
        ListFile("pgf", "a PGF file", "pgf", (".pgf",)),
        ListFile("preflib", "a PrefLib file", "preflib", (".soc", ".soi", ".toc", ".toi")),
        ListFile("lines", "a text of rankings, one per line", "ballots:RankingLines"),
    ]
)
EXPORTS = _by_name(
    [
        SystemExport("google-forms", "Google Forms", "exports:GoogleForms"),
        SystemExport("microsoft-forms", "Microsoft Forms", "exports:MicrosoftForms"),
        SystemExport("qualtrics", "Qualtrics", "exports:Qualtrics"),
        SystemExport("limesurvey", "LimeSurvey", "exports:LimeSurvey"),
        SystemExport("canvas", "Canvas", "exports:Canvas"),
        SystemExport("moodle-workshop", "Moodle Workshop", "exports:MoodleWorkshop"),
        SystemExport("conferences", "HotCRP or Microsoft CMT", "exports:ConferenceReviews"),
    ]
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


def recognise_table_file(content: Content) -> TableFile:
    """The kind of file as far as tables go: known by its first bytes, or text."""
    if not content.data:
        raise DataError("the file is empty", source=content.name)
    suitable = (kind for kind in TABLE_FILES.values() if kind.binary and kind.reader.suits(content.data))
    return next(suitable, TEXT)


def recognise_layout(table: InputTable, column_names: ColumnNames) -> Layout:
    """The layout of a table."""
    layouts = list(LAYOUTS.values())
    return next((layout for layout in layouts if layout.reader.suits(table, column_names)), layouts[0])


def _head(data: bytes) -> str:
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data[:HEAD_BYTES].decode("utf-16" if wide else "utf-8-sig", errors="replace")


def _refuse_other_kind(content: Content, actual: TableFile, format_name: str) -> None:
    binary = (
        format_name in TABLE_FILES and TABLE_FILES[format_name].binary
    )  # that one's reader says itself what is wrong
    if actual.binary and not binary:
        problem = Problem(f"the file is {actual.words}, not {format_name}", fix="leave out the format")
        raise DataError(problem, source=content.name)
