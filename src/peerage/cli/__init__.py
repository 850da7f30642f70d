"""The command line: `peerage COMMAND …`.

Every command is a function of its name; to add one, add its name and its module to ``COMMANDS``. A module is
loaded when its command is asked for, and imports nothing heavy until the command runs, so that
`peerage --help` answers at once. What is installed beside the library adds its own commands as entry points
of the group ``peerage.commands``; they follow the same rule.
"""

from __future__ import annotations

import gc
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

from peerage._version import __version__
from peerage.cli._terminal import CleanGroup

COMMANDS = {  # and the module that each is in
    "allocate": "allocate",
    "check": "check",
    "compare": "compare",
    "convert": "convert",
    "doctor": "doctor",
    "explain": "explain",
    "grade": "grade",
    "methods": "compare",
    "pack": "convert",
    "plan": "plan",
    "repair": "allocate",
    "simulate": "simulate",
}

SELDOM = 1_000_000  # new objects between two looks for garbage; starting a command makes 250,000 that stay


class _Commands(CleanGroup):
    """All commands, each loaded when it is asked for: reading the options of all takes as long as grading."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS, *_plugins()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One command; for a name that is none, load all, from which a similar one is suggested."""
        known = cmd_name in COMMANDS or cmd_name in _plugins()
        for name in [cmd_name] if known else self.list_commands(ctx):
            if name not in self.commands:
                self.commands[name] = _command(name)
        return super().get_command(ctx, cmd_name)


@cache
def _plugins() -> dict[str, Any]:
    """Commands that came with an installed package: functions, or groups of them (a ``typer.Typer``)."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        points = distribution("peerage").entry_points
    except PackageNotFoundError:  # a source tree that was never installed
        return {}
    return {point.name: point for point in points if point.group == "peerage.commands"}


def _command(name: str) -> Any:
    if name not in COMMANDS and isinstance(group := _plugins()[name].load(), typer.Typer):
        return get_command(group)
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
    alone.command(name)(_function(name))
    return get_command(alone)


def _function(name: str) -> Any:
    if name in COMMANDS:
        return getattr(import_module(f"peerage.cli.{COMMANDS[name]}"), name)
    return _plugins()[name].load()


app = typer.Typer(
    name="peerage",
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _show_version(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        from peerage.cli.doctor import environment

        lines = environment() if ctx.params.get("verbose") else [f"peerage {__version__}"]
        for line in lines:
            typer.echo(line)
        raise typer.Exit


@app.callback()
def peerage(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, help="Show the version and stop."),
    ] = False,
    verbose: Annotated[  # eager: known before --version answers
        bool,
        typer.Option("--verbose", "-v", is_eager=True, help="With --version: all a bug report needs."),
    ] = False,
) -> None:
    """Fair grades from students' rankings of each other's work, and how sure they are.

    [bold]Start here[/bold]: look at a class, then grade it.

        peerage check feedback.csv --owners roster.csv

        peerage grade feedback.csv --out results

    Any FILE may be [bold]-[/bold] for standard input. [bold]peerage COMMAND --help[/bold] shows examples.
    """


def main() -> None:
    """Run the command line; the entry point of the `peerage` script."""
    gc.set_threshold(SELDOM, 20, 20)
    try:
        app(prog_name="peerage")
    finally:
        gc.freeze()  # the process ends: a last look through everything loaded would take a fifth of a second
