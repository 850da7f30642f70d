"""Options that several front ends offer, each stated once: what it takes, what it means, what is refused.

A class of options is an :class:`OptionSet`, a frozen dataclass whose fields are made by :func:`option`. The
command line, the API and the pages read their flags, fields and words from its table; a new option is a new
field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Literal, Self, cast, get_args

from peerage._naming import named
from peerage.errors import MethodError

OwnWork = Literal["drop", "keep"]  # what becomes of reviews of one's own work: asked by checking and grading
OWN_WORK: tuple[OwnWork, ...] = get_args(OwnWork)


@dataclass(frozen=True, slots=True)
class Option:
    """What is to be known of one option.

    `kind` is the type of its value: `str` for a text or nothing, `tuple` for several texts, `dict` for names
    with values.
    """

    help: str
    kind: type
    group: str = ""  # the heading it stands under
    metavar: str | None = None
    examples: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None

    @property
    def sentence(self) -> str:
        """The help with its examples."""
        if not self.examples:
            return self.help
        return f"{self.help.removesuffix('.')}, such as {' or '.join(self.examples)}."


def option(default: Any, kind: type, words: str, **facts: Any) -> Any:
    """A field of a class of options."""
    metadata = {"option": Option(words, kind, **facts)}
    if kind is dict:
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


class OptionSet:
    """What every class of options can do."""

    @classmethod
    def table(cls) -> dict[str, Option]:
        """What front ends say of every option, by name."""
        return {one.name: one.metadata["option"] for one in fields(cast(Any, cls))}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """From what :meth:`to_dict` made; a misspelt name is refused."""
        known = cls.table()
        for name in given:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
                raise MethodError(f"there is no option {name!r}; {hint}")
        several = {name: tuple(value) for name, value in given.items() if known[name].kind is tuple}
        return cls(**{**given, **several})

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {name: _plain(getattr(self, name), told.kind) for name, told in self.table().items()}

    def check(self) -> None:
        """Refuse what no option of its kind can be."""
        usual = type(self)()
        for name, told in self.table().items():
            value = getattr(self, name)
            if told.kind in (int, float):
                _check_number(name, told, value, getattr(usual, name))
            elif told.choices and value not in told.choices:
                words = ", ".join(map(repr, told.choices))
                raise MethodError(f"{named(name)} must be one of {words}, not {value!r}")


def _plain(value: Any, kind: type) -> Any:
    if kind is dict:
        return dict(value)
    return list(parts(value)) if kind is tuple else value


def parts(value: str | Iterable[str]) -> tuple[str, ...]:
    """Several texts, which may be given as one with commas."""
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else tuple(value)


def _check_number(name: str, told: Option, value: Any, usual: Any) -> None:
    proper = isinstance(value, Integral if told.kind is int else Real)  # NumPy's numbers too
    if not proper:
        what = "a whole number" if told.kind is int else "a number"
        raise MethodError(f"{named(name)} must be {what}, not {value!r}")
    if told.low is not None and told.high is not None:
        if not told.low <= value <= told.high:
            raise MethodError(
                f"{named(name)} must be between {told.low:g} and {told.high:g}, such as {usual},"
                f" not {value!r}"
            )
    elif told.low is not None and value < told.low:
        raise MethodError(f"{named(name)} must be {told.low:g} or more, not {value!r}")
