"""The options that say how a feedback file is read, shared by every command that reads one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from peerage.cli._flags import with_flags
from peerage.reading import LAYOUTS, LIST_FILES, TABLE_FILES

if TYPE_CHECKING:
    from peerage.feedback import Feedback
    from peerage.reading import Content

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
            help=f"auto; a layout: {', '.join(LAYOUTS)};"
            f" or a file: {', '.join([*TABLE_FILES, *LIST_FILES])}.",
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
        return named_columns(self.column)

    @property
    def options(self) -> dict[str, Any]:
        """How to open the file, as `peerage.read` wants it."""
        return {"sheet": self.sheet, "encoding": self.encoding, "delimiter": self.delimiter}

    def read(self, source: str | Content) -> Feedback:
        """The feedback in a file, or on standard input where the path is `-`."""
        from peerage.reading import read

        rules = {"duplicates": self.duplicates, "missing": self.missing}
        return read(source, self.format, **rules, **self.options, **self.columns)  # type: ignore[arg-type]


def named_columns(texts: Sequence[str] | None) -> dict[str, str]:
    """Column names from `NAME=HEADER`, as the readers want them."""
    pairs = [text.partition("=") for text in texts or ()]
    for name, equals, header in pairs:
        if not (name and equals):
            raise typer.BadParameter(
                f"{name + equals + header!r} is not NAME=HEADER, as in item=paper", param_hint="--column"
            )
    return {name.strip(): header.strip() for name, _, header in pairs}


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
