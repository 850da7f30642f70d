"""A reading as somebody sends it, as JSON or as the text of a `reading.toml`: checked, then trusted."""

import json
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from peerage.errors import PeerageError
from peerage.reading.reading import Reading

_ALL = Reading.table()
Rule = Callable[[Any], bool]


def reading_from_text(text: str) -> Reading:
    """The reading; ValueError says what is wrong with the text."""
    values = _parsed(text)
    for name, value in values.items():
        if name not in _ALL:
            raise ValueError(f"has no field {name!r}; there are {', '.join(_ALL)}")
        what, suits = _CRITERIA if name == "criteria" else _KINDS[_ALL[name].kind]
        if not suits(value):
            raise ValueError(f"must have {what} in {name!r}")
    try:
        reading = Reading.from_dict(values)
        reading.check()
    except PeerageError as error:
        raise ValueError(f"cannot be used: {error}") from None
    return reading


def _parsed(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ValueError("must be a JSON object, or the text of a reading.toml")
    return values


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1000


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9


def _table_of(suits: Rule) -> Rule:
    return lambda value: (
        isinstance(value, Mapping) and all(_is_text(key) and suits(each) for key, each in value.items())
    )


_KINDS: dict[type, tuple[str, Rule]] = {
    str: ("a text", lambda value: value is None or _is_text(value)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("a whole number from 0 to 1000", _is_count),
    list: ("a list of texts", lambda value: isinstance(value, list) and all(map(_is_text, value))),
    dict: ("texts by name", _table_of(_is_text)),
}
_CRITERIA = ("weights by name", _table_of(_is_weight))
