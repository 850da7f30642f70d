"""Options that several front ends offer, each stated once: what it takes, what it means, what is refused.

Messages call an option what their reader does: an argument in Python, a flag on the command line, a field on
a page. A message that tells its reader to set something writes :func:`named` in the place of the name. A
front end says once how it names things, with :func:`option_style`; without one, messages name Python's
arguments.

A class of options is an :class:`OptionSet`, a frozen dataclass whose fields are made by :func:`option`. The
command line, the API and the pages read their flags, fields and words from its table; a new option is a new
field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Literal, Protocol, Self, cast, get_args

from peerage.errors import MethodError

SelfReviews = Literal[
    "drop", "keep"
]  # what becomes of reviews of one's own work: asked by checking and grading
SELF_REVIEWS: tuple[SelfReviews, ...] = get_args(SelfReviews)


@dataclass(frozen=True, slots=True)
class Option:
    """What is to be known of one option.

    `kind` is the type of its value: `str` for a text or nothing, `tuple` for several texts with commas,
    `list` for texts that may hold commas, `dict` for names with values.
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
        return {each.name: each.metadata["option"] for each in fields(cast(Any, cls))}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """From what :meth:`to_dict` made; a misspelt name is refused."""
        known = cls.table()
        for name in values:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
                raise MethodError(f"there is no option {name!r}; {hint}")
        several = {name: tuple(value) for name, value in values.items() if known[name].kind in (tuple, list)}
        return cls(**{**values, **several})

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {name: _plain(getattr(self, name), option.kind) for name, option in self.table().items()}

    def check(self) -> None:
        """Refuse what no option of its kind can be."""
        defaults = type(self)()
        for name, option in self.table().items():
            value = getattr(self, name)
            if option.kind in (int, float):
                _check_number(name, option, value, getattr(defaults, name))
            elif option.choices and value not in option.choices:
                words = ", ".join(map(repr, option.choices))
                raise MethodError(f"{named(name)} must be one of {words}, not {value!r}")


def _plain(value: Any, kind: type) -> Any:
    if kind is dict:
        return dict(value)
    return list(parts(value)) if kind is tuple else list(value) if kind is list else value


def parts(value: str | Iterable[str]) -> tuple[str, ...]:
    """Several texts, which may be given as one with commas."""
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else tuple(value)


def _check_number(name: str, option: Option, value: Any, default: Any) -> None:
    proper = isinstance(value, Integral if option.kind is int else Real)  # NumPy's numbers too
    if not proper:
        what = "a whole number" if option.kind is int else "a number"
        raise MethodError(f"{named(name)} must be {what}, not {value!r}")
    if option.low is not None and option.high is not None:
        if not option.low <= value <= option.high:
            raise MethodError(
                f"{named(name)} must be between {option.low:g} and {option.high:g}, such as {default},"
                f" not {value!r}"
            )
    elif option.low is not None and value < option.low:
        raise MethodError(f"{named(name)} must be {option.low:g} or more, not {value!r}")


# -- what messages call an option -----------------------------------------------------------------------


class OptionStyle(Protocol):
    """How a front end names its options."""

    def option(self, name: str, value: Any = None) -> str:
        """An option by its name in the library; with a value, how to set it."""

    def column(self, role: str, header: str | None = None) -> str:
        """How to say which column of a file plays a role: the one with this header, or one to be named."""

    def offers(self, name: str) -> bool:
        """Whether the option can be set there at all."""


class PythonArguments:
    """Python: `missing='drop'`."""

    def option(self, name: str, value: Any = None) -> str:
        return name if value is None else f"{name}={value!r}"

    def column(self, role: str, header: str | None = None) -> str:
        return f"{role}={'…' if header is None else repr(header)}"

    def offers(self, name: str) -> bool:
        return True


_PYTHON: OptionStyle = PythonArguments()
_style: ContextVar[OptionStyle] = ContextVar("option style", default=_PYTHON)


def named(name: str, value: Any = None, *, in_python: str | None = None) -> str:
    """An option as the reader of a message would write it; `in_python` where it is no argument there.

    >>> named("interval"), named("missing", "drop")
    ('interval', "missing='drop'")
    """
    style = _style.get()
    return in_python if in_python and style is _PYTHON else style.option(name, value)


def named_column(role: str, header: str | None = None) -> str:
    """How the reader of a message would say which column it is."""
    return _style.get().column(role, header)


def settable(name: str) -> bool:
    """Whether the reader of a message can set the option; nobody is sent to a field that does not exist."""
    return _style.get().offers(name)


def use_option_style(style: OptionStyle) -> None:
    """Name options so from here on; for a process that serves one front end."""
    _style.set(style)


@contextmanager
def option_style(style: OptionStyle) -> Iterator[None]:
    """Name options so for a while."""
    token = _style.set(style)
    try:
        yield
    finally:
        _style.reset(token)
