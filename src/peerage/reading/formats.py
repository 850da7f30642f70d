"""Every format that feedback comes in, once: what it is called, and which module reads it.

A new format is one new module of this package and one line in a table below; `read`, `look_at`, the command
line, the web form and the tests of the documentation read these tables. Nothing is imported before a format
is wanted. What a module must offer is what its kind of format calls for:

- a layout: `suits(table, given)`, `roles(table, given)`, `columns(table, given)`, `feedback_from(table, …)`;
- a system that exports tables: `suits(table)`, `cleaned(table, given)`;
- a file that holds a table: `suits(data)`, `open_table(data, …)`, `preview(data, …)`;
- a file of lists: `suits(head)`, `feedback_from(data, …)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from peerage.feedback.choices import Duplicates, Missing
    from peerage.feedback.container import Feedback
    from peerage.reading.rules import Rules
    from peerage.reading.sources.cleaning import Cleaned
    from peerage.reading.table import Opening, Preview, Table

Given = Mapping[str, str]


class LayoutReader(Protocol):
    """What a module offers that reads one layout of tables."""

    def suits(self, table: Table, given: Given) -> bool:
        """Whether the table looks so."""

    def roles(self, table: Table, given: Given) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The roles that must have a column, and those that may."""

    def columns(self, table: Table, given: Given) -> dict[str, int]:
        """The position of each role's column."""

    def feedback_from(self, table: Table, given: Given, rules: Rules) -> Feedback:
        """The feedback in it."""


class SourceReader(Protocol):
    """What a module offers that knows the exports of one system."""

    def suits(self, table: Table) -> bool:
        """Whether the system wrote it."""

    def cleaned(self, table: Table, given: Given) -> Cleaned:
        """What is left without the system's own, and which column plays which role."""


class TableReader(Protocol):
    """What a module offers that opens one kind of file with a table in it."""

    def suits(self, data: bytes) -> bool:
        """Whether the first bytes are those of such a file."""

    def open_table(self, data: bytes, how: Opening, source: str | None) -> Table:
        """The table."""

    def preview(self, data: bytes, how: Opening, source: str | None, rows: int) -> Preview:
        """What can be shown of it even where the table cannot be opened."""


class ListReader(Protocol):
    """What a module offers that reads files of lists, which have no columns."""

    def suits(self, head: str) -> bool:
        """Whether the text begins like such a file."""

    def feedback_from(
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
    """One format: its name, what it is in a few words, and the module that reads it."""

    name: str
    words: str
    home: str

    def _module(self) -> object:
        return import_module(f"{__package__}.{self.home}")


@dataclass(frozen=True, slots=True)
class Layout(Format):
    """A way to write reviews into a table, whatever file the table is in."""

    @property
    def reader(self) -> LayoutReader:
        """The module."""
        return cast("LayoutReader", self._module())


@dataclass(frozen=True, slots=True)
class Source(Format):
    """A system that exports tables in its own way; what it adds is taken away before they are read."""

    @property
    def reader(self) -> SourceReader:
        """The module."""
        return cast("SourceReader", self._module())


@dataclass(frozen=True, slots=True)
class TableFile(Format):
    """A kind of file that holds a table; a binary one is known by its first bytes."""

    binary: bool = False

    @property
    def reader(self) -> TableReader:
        """The module."""
        return cast("TableReader", self._module())


@dataclass(frozen=True, slots=True)
class ListFile(Format):
    """A kind of text file with a list per line; known by the ending of its name, or by how it begins."""

    endings: tuple[str, ...] = ()

    @property
    def reader(self) -> ListReader:
        """The module."""
        return cast("ListReader", self._module())


F = TypeVar("F", bound=Format)


def _by_name(formats: Iterable[F]) -> dict[str, F]:
    return {one.name: one for one in formats}


# In each table, the first that suits is taken; the first layout is also what a table is taken for that suits
# none, since its messages say what is missing. Text that is nothing else is the first file.
LAYOUTS = _by_name(
    [
        Layout("long", "one row per review", "long"),
        Layout("pairs", "one row per comparison of two", "pairs"),
        Layout("places", "one row per grader, one column per place", "places"),
        Layout("orders", "one row per grader, a ranking in one cell", "orders"),
        Layout("matrix", "one row per grader, one column per item", "matrix"),
    ]
)
TABLE_FILES = _by_name(
    [
        TableFile("csv", "a text table", "text"),
        TableFile("excel", "an Excel workbook", "excel", binary=True),
        TableFile("parquet", "a Parquet file", "parquet", binary=True),
    ]
)
LIST_FILES = _by_name(
    [
        ListFile("pgf", "a PGF file", "pgf", (".pgf",)),
        ListFile("preflib", "a PrefLib file", "preflib", (".soc", ".soi", ".toc", ".toi")),
        ListFile("lines", "a text of rankings, one per line", "lines"),
    ]
)
SOURCES = _by_name(
    [
        Source("google-forms", "Google Forms", "sources.google_forms"),
        Source("microsoft-forms", "Microsoft Forms", "sources.microsoft_forms"),
        Source("qualtrics", "Qualtrics", "sources.qualtrics"),
        Source("limesurvey", "LimeSurvey", "sources.limesurvey"),
        Source("canvas", "Canvas", "sources.canvas"),
        Source("moodle-workshop", "Moodle Workshop", "sources.moodle_workshop"),
        Source("conferences", "HotCRP or Microsoft CMT", "sources.conferences"),
    ]
)
FORMATS = ("auto", *LAYOUTS, *TABLE_FILES, *LIST_FILES)
