"""The options that say how a feedback file is read, shared by every command that reads one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from peerage.cli._flags import Command, Flag, flags_of, with_flags
from peerage.reading.formats import LAYOUTS, LIST_FILES, TABLE_FILES
from peerage.reading.options import ReadingOptions
from peerage.reading.rules import parse_criteria

PANEL = "How to read the file (what is not said is found out)"
FORMAT = f"auto; a layout: {', '.join(LAYOUTS)}; or a file: {', '.join([*TABLE_FILES, *LIST_FILES])}."
FLAGS = {
    "format": Flag(("--format", "--from"), FORMAT, free=True),
    "columns": Flag(("--column", "-c")),
}

FeedbackFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="The feedback: CSV, Excel, PGF, PrefLib, Parquet …, or - for stdin; parts as 'reviews/*.csv';"
        " or a folder that peerage pack made.",
    ),
]


def named_columns(texts: Sequence[str] | None) -> dict[str, str]:
    """Column names from `NAME=HEADER`, as the readers want them."""
    pairs = [text.partition("=") for text in texts or ()]
    for name, equals, header in pairs:
        if not (name and equals):
            raise typer.BadParameter(
                f"{name + equals + header!r} is not NAME=HEADER, as in item=paper", param_hint="--column"
            )
    return {name.strip(): header.strip() for name, _, header in pairs}


def reads_feedback(command: Command) -> Command:
    """Give a command the flags of :class:`ReadingOptions`; it receives them as one argument `reading`."""
    flags = flags_of(ReadingOptions, ReadingOptions.table(), PANEL, FLAGS)
    return with_flags("reading", flags, _options)(command)


def _options(given: dict[str, Any]) -> ReadingOptions:
    criteria = parse_criteria(",".join(given["criteria"] or ()))
    return ReadingOptions(**{**given, "columns": named_columns(given["columns"]), "criteria": criteria})
