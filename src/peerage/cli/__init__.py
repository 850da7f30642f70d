"""The command line: `peerage COMMAND …`.

Every command is a function in a module of its own name; to add one, add its name to ``COMMANDS``. The
modules import nothing heavy until their command runs, so that `peerage --help` answers at once.
"""

from __future__ import annotations

import gc
from importlib import import_module
from typing import Annotated

import typer

from peerage._version import __version__
from peerage.cli._common import CleanGroup

COMMANDS = (
    "allocate",
    "check",
    "compare",
    "convert",
    "experiment",
    "explain",
    "grade",
    "methods",
    "plan",
    "repair",
    "simulate",
)

app = typer.Typer(
    name="peerage",
    cls=CleanGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"peerage {__version__}")
        raise typer.Exit


@app.callback()
def peerage(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop."),
    ] = False,
) -> None:
    """Fair grades from students' rankings of each other's work, and how sure they are.

    [bold]Start here[/bold]: look at a class, then grade it.

        peerage check feedback.csv --owners roster.csv

        peerage grade feedback.csv --out results

    Any FILE may be [bold]-[/bold] for standard input. [bold]peerage COMMAND --help[/bold] shows examples.
    """


for _name in COMMANDS:
    app.command(_name)(getattr(import_module(f"peerage.cli.{_name}"), _name))


def main() -> None:
    """Run the command line; the entry point of the `peerage` script."""
    gc.set_threshold(
        200_000, 20, 20
    )  # imports make objects that stay; looking through them costs a small run 15 %
    app(prog_name="peerage")
