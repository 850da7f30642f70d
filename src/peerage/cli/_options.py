"""Flags made from classes of options, whose names, types, defaults and words stand there, once.

Each command receives those of a class as one argument; those of reading are in `_reading.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, Literal

import typer

from peerage._options import Option, OptionSet
from peerage.grading.options import GradingOptions

_TYPES: dict[type, Any] = {str: str | None, dict: list[str] | None, list: list[str] | None, tuple: str}

Command = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Flag:
    """How an option is typed, where that is not its name; its words, where they lead to another command."""

    names: tuple[str, ...]
    help: str = ""
    free: bool = False  # any word is taken, and the library says what is wrong with it


def flags_of(
    kind: type[OptionSet], names: Collection[str], panel: str = "", own: Mapping[str, Flag] | None = None
) -> list[inspect.Parameter]:
    """Flags for these options of a class."""
    defaults = kind()
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(getattr(defaults, name), option.kind),
            annotation=_annotated(name, option, getattr(defaults, name), panel, (own or {}).get(name)),
        )
        for name, option in kind.table().items()
        if name in names
    ]


def _annotated(name: str, option: Option, default: Any, panel: str, own: Flag | None) -> Any:
    flag = own or Flag((f"--{name.replace('_', '-')}",))
    parameter = typer.Option(
        *flag.names,
        metavar=option.metavar,
        rich_help_panel=option.group or panel or None,
        help=flag.help or option.sentence,
        min=option.low if option.kind is int else None,
    )
    return Annotated[_type(option, default, flag), parameter]


def _type(option: Option, default: Any, flag: Flag) -> Any:
    if option.choices and not flag.free:
        return Literal[option.choices]
    return str if isinstance(default, str) else _TYPES.get(option.kind, option.kind)


def _default(value: Any, kind: type) -> Any:
    """As the command line says it: several values are one text or a repeated flag; no parameters are none."""
    if kind is list:
        return None
    if isinstance(value, tuple):
        return ",".join(value)
    return value or None if isinstance(value, Mapping) else value


def with_flags(
    argument: str, flags: Sequence[inspect.Parameter], make: Callable[[dict[str, Any]], Any]
) -> Callable[[Command], Command]:
    """Give a command these flags in the place of a keyword argument, which receives what is made of them."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_options(*args: Any, **values: Any) -> None:
            mine = {flag.name: values.pop(flag.name, flag.default) for flag in flags}
            command(*args, **values, **{argument: make(mine)})

        return show_flags(with_options, command, argument, flags)

    return decorate


def show_flags(
    wrapper: Command, command: Command, argument: str, flags: Sequence[inspect.Parameter]
) -> Command:
    """Let a wrapper of a command be seen with these flags in the place of an argument."""
    own = inspect.signature(command, eval_str=True)
    listed = list(own.parameters.values())
    place = list(own.parameters).index(argument)
    signature = own.replace(parameters=[*listed[:place], *flags, *listed[place + 1 :]])
    wrapper.__signature__ = signature  # type: ignore[attr-defined]
    wrapper.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
    return wrapper


def named_columns(texts: Sequence[str] | None, flag: str = "--column") -> dict[str, str]:
    """Column names from `NAME=HEADER`, as the readers want them."""
    pairs = [text.partition("=") for text in texts or ()]
    for name, equals, header in pairs:
        if not (name and equals):
            raise typer.BadParameter(
                f"{name + equals + header!r} is not NAME=HEADER, as in item=paper", param_hint=flag
            )
    return {name.strip(): header.strip() for name, _, header in pairs}


# -- grading --------------------------------------------------------------------------------------------

METHOD = Flag(("--method", "-m"), "See peerage methods; chosen for you if not given.")
GRADING_FLAGS = {"method": METHOD, "params": Flag(("--set",)), "self_reviews": Flag(("--self",))}
LIBRARY_ONLY = ("prior",)


def takes_grading_options(*names: str) -> Callable[[Command], Command]:
    """Give a command the flags of grading, or some of them; it receives them as one argument `options`."""
    offered = [name for name in GradingOptions.table() if name not in LIBRARY_ONLY]
    return with_flags(
        "options", flags_of(GradingOptions, names or offered, own=GRADING_FLAGS), _grading_options
    )


def _grading_options(values: Mapping[str, Any]) -> GradingOptions:
    read: dict[type, Callable[[Any], Any]] = {dict: _parameters, tuple: _parts}
    table = GradingOptions.table()
    return GradingOptions(
        **{name: read.get(table[name].kind, lambda v: v)(value) for name, value in values.items()}
    )


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _parameters(texts: list[str] | None) -> dict[str, Any]:
    """Parameters of a method from `name=value`; numbers and true/false are recognised."""
    parameters: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise typer.BadParameter(
                f"{text!r} is not NAME=VALUE, as in score_variance=3", param_hint="--set"
            )
        parameters[name] = _value(value)
    return parameters


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
