"""Flags made from a class of options: their names, types, defaults and words stand there, once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, Literal

import typer

from peerage._options import Option, OptionSet

_TYPES: dict[type, Any] = {str: str | None, dict: list[str] | None, tuple: str}

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
    usual = kind()
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(getattr(usual, name)),
            annotation=_annotated(name, told, getattr(usual, name), panel, (own or {}).get(name)),
        )
        for name, told in kind.table().items()
        if name in names
    ]


def _annotated(name: str, told: Option, default: Any, panel: str, own: Flag | None) -> Any:
    flag = own or Flag((f"--{name.replace('_', '-')}",))
    told_to_typer = typer.Option(
        *flag.names,
        metavar=told.metavar,
        rich_help_panel=told.group or panel or None,
        help=flag.help or told.sentence,
        min=told.low if told.kind is int else None,
    )
    return Annotated[_type(told, default, flag), told_to_typer]


def _type(told: Option, default: Any, flag: Flag) -> Any:
    if told.choices and not flag.free:
        return Literal[told.choices]
    return str if isinstance(default, str) else _TYPES.get(told.kind, told.kind)


def _default(value: Any) -> Any:
    """As the command line says it: several values are one text, and no parameters are none."""
    if isinstance(value, tuple):
        return ",".join(value)
    return value or None if isinstance(value, Mapping) else value


def with_flags(
    argument: str, flags: Sequence[inspect.Parameter], make: Callable[[dict[str, Any]], Any]
) -> Callable[[Command], Command]:
    """Give a command these flags in the place of a keyword argument, which receives what is made of them."""

    def decorate(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True)
        listed = list(own.parameters.values())
        place = list(own.parameters).index(argument)

        @wraps(command)
        def with_options(*args: Any, **given: Any) -> None:
            mine = {flag.name: given.pop(flag.name, flag.default) for flag in flags}
            command(*args, **given, **{argument: make(mine)})

        signature = own.replace(parameters=[*listed[:place], *flags, *listed[place + 1 :]])
        with_options.__signature__ = signature  # type: ignore[attr-defined]
        with_options.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
        return with_options

    return decorate
