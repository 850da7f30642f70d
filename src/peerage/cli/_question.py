"""Which reading is right? Asked in a terminal; elsewhere, one command per reading is printed.

So it is where orders are to have points, and nobody said what makes them.
"""

from __future__ import annotations

import select
import shlex
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from peerage._words import capitalised, plural
from peerage.cli._terminal import ARGUMENTS, UNUSABLE, console, fail

if TYPE_CHECKING:
    from peerage.errors import AmbiguousReadingError, NoPointsError, ProblemGroup
    from peerage.reading.reader import ProposedReading
    from peerage.reading.reading import Reading

OTHER_WAY_ROUND = "or the other way round:"
STANDARD_INPUT = "standard input"  # what messages call it
HEADER = 1
LOW_IS_BEST = ("ranks", "lower-is-better")
SIDES = {"left": "right", "right": "left"}


def choose_reading(
    error: AmbiguousReadingError, context: typer.Context, reading_options: Collection[str]
) -> Reading:
    """The reading that somebody at a terminal chose; without a terminal, stop with a command for each.

    ``reading_options`` are the parameters of the command that the commands say anew.
    """
    commands = [_command(context, reading_options, proposal.reading.options()) for proposal in error.readings]
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        _refuse(error, commands)
    return _ask(error, commands)


def _refuse(error: AmbiguousReadingError, commands: Sequence[str]) -> NoReturn:
    lines = [f"{_subject(error)} does not say everything:"]
    lines += [f"  {sentence}" for sentence in _open_points(error)]
    again = " with the same input" if error.source == STANDARD_INPUT else ""
    which = "this" if len(commands) == 1 else "the one that is right"
    lines += [f"It can be read in {plural(len(commands), 'way')}. Run {which}{again}:"]
    for number, (proposal, command) in enumerate(zip(error.readings, commands, strict=True)):
        introduction = _introduction(error.readings, number)
        told = filter(None, [introduction, *proposal.sentences])
        lines += ["", f"  {' '.join(told)}", command]
    fail("\n".join(lines))


def _ask(error: AmbiguousReadingError, commands: Sequence[str]) -> Reading:
    from rich.padding import Padding
    from rich.text import Text

    screen = console()
    proposals = error.readings
    screen.print(Text(f"{_subject(error)} does not say everything:", style="bold"))
    for sentence in _open_points(error):
        screen.print(Padding.indent(Text(sentence), 2))
    screen.print()
    names = {proposal.sentences[-1] for proposal in proposals}
    common = names.pop() if len(names) == 1 and len(proposals) > 1 else None
    for number, proposal in enumerate(proposals):
        told = proposal.sentences[: -1 if common else None]
        introduction = capitalised(_introduction(proposals, number))
        lines = "\n".join([introduction, *told] if introduction else told)
        screen.print(Padding.indent(_hanging(f"{number + 1}. ", lines), 2))
    if common:
        screen.print(Padding.indent(Text(f"In any case: {common}"), 2))
    screen.print()
    chosen = _ask_number(len(proposals))
    screen.print(Text(f"To say so at once: {commands[chosen]}\n", style="dim"), soft_wrap=True)
    reading: Reading = proposals[chosen].reading
    return reading


def _hanging(head: str, lines: str) -> Any:
    """Text with a number in front of it, and nothing below the number."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid()
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column(overflow="fold")
    grid.add_row(head, Text(lines))
    return grid


def _ask_number(most: int) -> int:
    """The place of the reading that is right."""
    question = "Is this right? Type 1" if most == 1 else "Which one is right? Type its number"
    while True:
        typer.echo(f"{question} (0 to stop): ", nl=False)  # `input` would ask on stderr
        # Polars lets a signal restart what reads; and one that comes just before a wait is noticed after it.
        while not select.select([sys.stdin], [], [], 0.2)[0]:
            pass
        line = sys.stdin.readline()
        if not line:
            typer.echo()
        answer = line.strip().lower() if line else "q"
        if answer in ("0", "q", "quit"):
            typer.echo("Nothing was read.", err=True)
            raise typer.Exit(UNUSABLE)
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= most:
            return int(answer) - 1
        typer.echo("Type 1, or 0 to stop." if most == 1 else f"Type a number from 1 to {most}, or 0 to stop.")


def refuse_points(error: NoPointsError, context: typer.Context) -> NoReturn:
    """Stop with a command for each way to grade, as far as one can be pasted."""
    lines = [str(error).partition("\n")[0]]
    for choice in error.choices:
        options, then = choice.options, ""
        if choice.first is not None:
            then = f"add {' '.join(_flags(context, options))}"
            if not all(_flag(context, name) for name in choice.first):
                lines += ["", f"  {choice.words}: {then}"]
                continue
            options, then = choice.first, f"; this says whose help most, then {then}"
        lines += ["", f"  {choice.words}{then}:", _command(context, options, _flags(context, options))]
    fail("\n".join(lines))


def _flags(context: typer.Context, options: Mapping[str, Any]) -> list[str]:
    """Options as flags; those that are to be left out give none."""
    words: list[str] = []
    for name, value in options.items():
        if value is not None:
            words += [_flag(context, name)] if value is True else [_flag(context, name), str(value)]
    return words


def _flag(context: typer.Context, name: str) -> str:
    """What the command calls an option, or nothing where it has none of the name."""
    return next((parameter.opts[0] for parameter in context.command.params if parameter.name == name), "")


# -- in words ---------------------------------------------------------------------------------------------


def _subject(error: AmbiguousReadingError) -> str:
    return error.source or "the file"


def _open_points(error: AmbiguousReadingError) -> list[str]:
    """What nobody said, without the options that would: those are in the commands."""
    return list(dict.fromkeys(_open_point(group) for group in error.groups))


def _open_point(group: ProblemGroup) -> str:
    problem = group.first
    line = None if problem.line == HEADER else problem.line  # what is said of the header is about all lines
    more = f" – {group.more}" if group.more else ""
    return f"{capitalised(str(replace(problem, line=line, fix=None)).rstrip('.'))}{more}."


def _introduction(proposals: Sequence[ProposedReading], number: int) -> str:
    if number and _is_turned(proposals[number - 1].reading, proposals[number].reading):
        return OTHER_WAY_ROUND
    return ""


def _is_turned(reading: Reading, other: Reading) -> bool:
    """Whether the two differ in nothing but which end is best."""
    if replace(reading, direction=other.direction, winner=other.winner) != other:
        return False
    if reading.winner == other.winner:
        return (reading.direction in LOW_IS_BEST) != (other.direction in LOW_IS_BEST)
    turned = {code: SIDES.get(side, side) for code, side in reading.winner.items()}
    return reading.direction == other.direction and turned == other.winner


# -- as a command -----------------------------------------------------------------------------------------


def _command(context: typer.Context, replaced: Collection[str], flags: Sequence[str]) -> str:
    """What was typed, with these flags in the place of those of the replaced parameters."""
    words = list(context.meta[ARGUMENTS])
    end = words.index("--") if "--" in words else len(words)
    kept = _without(words[:end], context.command.params, replaced)
    return shlex.join(["peerage", *kept, *flags, *words[end:]])


def _without(words: Sequence[str], parameters: Sequence[Any], names: Collection[str]) -> list[str]:
    """The words without the flags of these names and their values."""
    flags = {flag: parameter for parameter in parameters for flag in parameter.opts if flag.startswith("-")}
    kept: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        long = word.startswith("--")
        flag = word.partition("=")[0] if long else word[:2]
        parameter = flags.get(flag)
        taken = [word]
        if parameter is not None and not parameter.is_flag and word == flag:
            taken += rest[:1]
            del rest[:1]
        if parameter is None or parameter.name not in names:
            kept += taken
    return kept
