"""The options that say how a feedback file is read, shared by every command that reads one."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from io import BytesIO
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from peerage.cli._flags import with_flags

if TYPE_CHECKING:
    from peerage.feedback import Feedback

PANEL = "How to read the file"

FeedbackFile = Annotated[
    str,
    typer.Argument(metavar="FILE", help="The feedback: CSV, Excel, PGF, PrefLib, Parquet …, or - for stdin."),
]


def _option(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=PANEL, **more)


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a feedback file; the fields are the options."""

    format: Annotated[
        str,
        _option(
            "--format",
            "--from",
            help="auto; a layout: long, pairs, matrix; or a file: csv, excel, parquet, pgf, preflib.",
        ),
    ] = "auto"
    column: Annotated[
        list[str] | None,
        _option(
            "--column",
            "-c",
            metavar="NAME=HEADER",
            help="What the file calls a column: -c item=paper; -c score= for none.",
        ),
    ] = None
    duplicates: Annotated[
        Literal["error", "first", "last", "mean"],
        _option(help="What to do where a grader reviews an item twice in one list."),
    ] = "error"
    missing: Annotated[
        Literal["error", "drop"], _option(help="What to do with reviews that have neither rank nor score.")
    ] = "error"
    sheet: Annotated[str | None, _option(help="Which sheet of an Excel file; the first if not given.")] = None
    encoding: Annotated[str | None, _option(help="Encoding of a text file; found out if not given.")] = None
    delimiter: Annotated[str | None, _option(help="What separates the columns; found out if not given.")] = (
        None
    )

    @property
    def columns(self) -> dict[str, str]:
        """The given column names, as `peerage.read` wants them."""
        pairs = [text.partition("=") for text in self.column or ()]
        for name, equals, header in pairs:
            if not (name and equals):
                raise typer.BadParameter(
                    f"{name + equals + header!r} is not NAME=HEADER, as in item=paper", param_hint="--column"
                )
        return {name.strip(): header.strip() for name, _, header in pairs}

    @property
    def options(self) -> dict[str, Any]:
        """How to open the file, as `peerage.read` wants it."""
        return {"sheet": self.sheet, "encoding": self.encoding, "delimiter": self.delimiter}

    def read(self, source: str | BytesIO) -> Feedback:
        """The feedback in a file, or on standard input where the path is `-`."""
        from peerage.reading import read

        rules = {"duplicates": self.duplicates, "missing": self.missing}
        return read(source, self.format, **rules, **self.options, **self.columns)  # type: ignore[arg-type]


class _StandardInput(BytesIO):
    name = "standard input"  # what messages call it


def standard_input() -> BytesIO:
    """All of standard input, for those who need it twice."""
    return _StandardInput(sys.stdin.buffer.read())


def reads_feedback(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of :class:`Reading`; it receives them as one argument `reading`."""
    hints = inspect.get_annotations(Reading, eval_str=True)
    flags = [
        inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name]
        )
        for one in fields(Reading)
    ]
    return with_flags("reading", flags, lambda given: Reading(**given))(command)
