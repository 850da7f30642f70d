"""How commands read feedback and rosters: their flags, a reading kept in a file, and standard input.

Where a file does not say what it means, `_question.py` asks; then the command starts again with the answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage._options import option_style
from peerage.cli._options import Command, Flag, flags_of, named_columns, show_flags
from peerage.cli._terminal import RosterFlags
from peerage.errors import AmbiguousReadingError, DataError, NoPointsError
from peerage.reading.content import Content, content_of
from peerage.reading.formats import LAYOUTS, LIST_FILES, TABLE_FILES
from peerage.reading.reading import Reading, parse_criteria

if TYPE_CHECKING:
    from peerage.roster.container import Roster
    from peerage.roster.input import Input

READING_PANEL = "How to read the file (what it does not say is asked)"
_FORMAT = f"auto; a layout: {', '.join(LAYOUTS)}; or a file: {', '.join([*TABLE_FILES, *LIST_FILES])}."
READING_FLAGS = {
    "format": Flag(("--format", "--from"), _FORMAT, free=True),
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
RosterColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--roster-column",
        metavar="NAME=HEADER",
        help="What the roster calls a column, such as student=Login or item= for none; may be repeated.",
    ),
]

_FILE = inspect.Parameter(
    "reading_file",
    inspect.Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        str | None,
        typer.Option(
            "--reading",
            metavar="FILE",
            rich_help_panel=READING_PANEL,
            help="A reading.toml, as grade --out writes it; flags beside it win.",
        ),
    ],
)


def reads_feedback(command: Command) -> Command:
    """Give a command the flags of :class:`Reading`; it receives them as one argument `reading`.

    Where the file is ambiguous, the command runs a second time, with the reading that was chosen.
    """
    flags = [_FILE, *flags_of(Reading, Reading.table(), READING_PANEL, READING_FLAGS)]
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)

    @wraps(command)
    def reading_command(context: typer.Context, *args: Any, **values: Any) -> None:
        mine = {flag.name: values.pop(flag.name, flag.default) for flag in flags}
        typed = {name for name in mine if _is_typed(context, name)}
        with _standard_input_kept(), _points_refused(context):
            try:
                command(*args, **values, reading=_reading(mine, typed))
            except AmbiguousReadingError as error:
                from peerage.cli._question import choose_reading

                chosen = choose_reading(error, context, {flag.name for flag in flags})
                command(*args, **values, reading=chosen)

    show_flags(reading_command, command, "reading", flags)
    signature = inspect.signature(reading_command)
    parameters = [context, *signature.parameters.values()]
    reading_command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    reading_command.__annotations__["context"] = typer.Context
    return reading_command


@contextmanager
def _points_refused(context: typer.Context) -> Iterator[None]:
    """Where nothing makes points, print the commands that would."""
    try:
        yield
    except NoPointsError as error:
        from peerage.cli._question import refuse_points

        refuse_points(error, context)


def _is_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _reading(values: Mapping[str, Any], typed: set[str]) -> Reading:
    """The reading in the file, if one was named, with what was typed beside it."""
    said: dict[str, Any] = {
        name: tuple(values[name] or ()) if option.kind is list else values[name]
        for name, option in Reading.table().items()
    }
    said["criteria"] = parse_criteria(",".join(values["criteria"] or ()))
    said["columns"] = named_columns(values["columns"])
    said["winner"] = named_columns(values["winner"], "--winner")
    if values["reading_file"] is None:
        return Reading(**said)
    kept = _load_reading(values["reading_file"])
    said["columns"] = {**kept.columns, **said["columns"]}
    return replace(kept, **{name: value for name, value in said.items() if name in typed})


def _load_reading(file: str) -> Reading:
    data = content_of(file).data
    try:
        return Reading.from_toml(data.decode("utf-8-sig"), file)
    except UnicodeDecodeError:
        raise DataError("this is no reading: it is not UTF-8", source=file) from None


# -- what is read -----------------------------------------------------------------------------------------

_kept: ContextVar[list[Content]] = ContextVar("standard input")


@contextmanager
def _standard_input_kept() -> Iterator[None]:
    token = _kept.set([])
    try:
        yield
    finally:
        _kept.reset(token)


def source_of(file: str) -> str | Content:
    """What to read; standard input is read once, for a command that starts again after a question."""
    if file != "-":
        return file
    kept = _kept.get([])
    if not kept:
        kept.append(content_of(file))
    return kept[0]


def read_class(file: str, roster: str | None, columns: Sequence[str] | None, reading: Reading) -> Input:
    """The feedback, and who made what."""
    from peerage.roster.input import read_input

    if columns and roster is None:
        raise typer.BadParameter("needs --roster FILE", param_hint="--roster-column")
    with option_style(RosterFlags()):
        people = None if roster is None else read_people(roster, columns, "--roster-column")
    return read_input(source_of(file), people, reading)


def read_people(file: str, columns: Sequence[str] | None, flag: str = "--column") -> Roster:
    """The roster in a file or on standard input."""
    from peerage.roster.reader import read_roster

    return read_roster(source_of(file), **named_columns(columns, flag))
