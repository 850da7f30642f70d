"""How commands talk on a terminal: errors, consoles, the progress bar, JSON, and options by their flags."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from peerage._compiling import watch_compilation
from peerage._options import option_style
from peerage.errors import PeerageError

if TYPE_CHECKING:
    from rich.console import Console

UNUSABLE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141  # what a shell reports for a program that the closed pipe has ended

ClusterAddress = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE",
        help="Work on a cluster, with the same result: local:2, or a Dask scheduler such as tcp://head:8786.",
    ),
]


ARGUMENTS = "peerage.arguments"  # what was typed after `peerage`, kept with the context of the command


class CleanGroup(TyperGroup):
    """The group of all commands; what goes wrong in one becomes one message on stderr and an exit code."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with running_command():
            return super().invoke(ctx)


@contextmanager
def running_command() -> Iterator[None]:
    """Errors as messages, options by their flags, and a word while kernels are compiled."""
    with clean_errors(), option_style(CommandLineFlags()), watch_compilation(_announce()):
        yield


@contextmanager
def clean_errors() -> Iterator[None]:
    """Turn foreseeable errors into a message and an exit code; a bug keeps its traceback."""
    try:
        yield
        sys.stdout.flush()  # a reader that has gone away is noticed here, not at exit
    except PeerageError as error:
        fail(str(error))
    except BrokenPipeError:
        _silence_stdout()
        raise typer.Exit(BROKEN_PIPE) from None
    except OSError as error:
        fail(_os_error(error))
    except MemoryError:
        fail("this needs more memory than the machine has free")
    except KeyboardInterrupt:
        typer.echo("Stopped.", err=True)
        raise typer.Exit(INTERRUPTED) from None


def fail(message: str) -> NoReturn:
    """Print one message on stderr and stop with exit code 2."""
    typer.echo(typer.style("Error: ", fg="red", bold=True) + message, err=True, color=_colour(sys.stderr))
    raise typer.Exit(UNUSABLE)


def _colour(stream: IO[str]) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR")


def _os_error(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"{error.filename}: {reason}" if error.filename else reason


def _silence_stdout() -> None:
    """Let the interpreter flush into nowhere at exit instead of failing once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console(*, stderr: bool = False) -> Console:
    """A console with colour on a terminal only, and none where NO_COLOR is set.

    Texts are shown as they are: a label may be called `:star:` or `[red]`, and a scale is `0:100`.
    """
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False, markup=False, emoji=False)


COMPILING = (
    "Compiling the numerics for this machine. This happens once, and may take a minute; the next run starts"
    " at once."
)
_bars: list[Any] = []  # the bar on the screen, if there is one


def _announce() -> Callable[[str], None]:
    """What tells the user that kernels are compiled: one line, and on the bar how many there were so far."""
    told: dict[str, Any] = {"kernels": 0}

    def tell(name: str) -> None:
        told["kernels"] += 1
        bar = _bars[-1] if _bars else None
        if told["kernels"] == 1:
            typer.echo(COMPILING, err=True) if bar is None else bar.console.print(COMPILING)
        if bar is None:
            return
        if "task" not in told or told["bar"] is not bar:
            told.update(bar=bar, task=bar.add_task("", total=None))
        bar.update(told["task"], description=f"compiling, once: {told['kernels']} so far")

    return tell


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """A bar of `total` steps on stderr, on terminals only; call it with the name of each step it starts."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield lambda step: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # slow to import

    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=screen, transient=True) as bar:
        work = bar.add_task("", total=total)
        _bars.append(bar)
        started = False

        def start(step: str) -> None:
            nonlocal started
            bar.update(work, description=step, advance=1 if started else 0)
            started = True

        try:
            yield start
        finally:
            _bars.remove(bar)


def print_json(value: Any) -> None:
    """Machine-readable output: one JSON document on stdout."""
    import json

    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


_OWN_FLAGS = {
    "params": "--set",
    "self_reviews": "--self",
    "columns": "--column",
    "owners": "--owners",
    "to": "--to",
}


class CommandLineFlags:
    """How messages name options on the command line: `--missing drop`."""

    def option(self, name: str, value: Any = None) -> str:
        flag = _OWN_FLAGS.get(name) or f"--{name.replace('_', '-')}"
        if value is None or value is True:
            return flag
        return f"{flag} {_quoted(_text(value))}"

    def column(self, role: str, header: str | None = None) -> str:
        return f"--column {role}={'…' if header is None else _quoted(header)}"

    def offers(self, name: str) -> bool:
        return True


class RosterFlags(CommandLineFlags):
    """The same while a roster is read beside the feedback."""

    def column(self, role: str, header: str | None = None) -> str:
        return f"--roster-column {role}={'…' if header is None else _quoted(header)}"


def _text(value: Any) -> str:
    return ":".join(f"{part:g}" for part in value) if isinstance(value, tuple) else str(value)


def _quoted(text: str) -> str:
    """As a shell wants it; placeholders stay as they are."""
    return text if text in ("…", "LOW:HIGH", "FILE", "DIR") else shlex.quote(text)
