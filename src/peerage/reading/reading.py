"""A reading: the complete statement of what a file of feedback means, one field per thing to be said.

What a field leaves open is looked for in the file, where headers may name it; what they do not name is asked
(`OpenQuestion`), never guessed. A reading prints as options of the command line, and as TOML.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from peerage._options import OptionSet, named, option
from peerage.errors import DataError
from peerage.feedback.choices import Duplicates, Ids, Missing

if TYPE_CHECKING:
    from peerage.feedback.choices import Direction

DirectionOption = Literal["auto", "ranks", "worst-first", "scores", "lower-is-better"]
HeaderOption = Literal["first", "none"]
Weights = Mapping[str, float] | Iterable[str] | str
NONE = "none"  # of values, rows or columns: there are none


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """How to open a file."""

    sheet: str | int | None = None
    encoding: str | None = None
    delimiter: str | None = None
    skip_rows: int = 0
    header: HeaderOption = "first"


@dataclass(frozen=True, kw_only=True)
class Reading(OptionSet):
    """What a file means; :func:`peerage.read` takes the same by keyword, and explains it."""

    format: str = option(
        "auto", str, "A layout (long, pairs, slots, places, orders, matrix, transposed) or a kind of file."
    )
    columns: Mapping[str, str] = option(
        {},
        dict,
        "What the file calls a column, or that it has none.",
        metavar="NAME=HEADER",
        examples=("item=paper", "score="),
    )
    items: Sequence[str] = option(
        (), list, "A column that holds an item, in a matrix; a pattern such as 'P*' is several.",
        metavar="COLUMN",
    )  # fmt: skip
    ignore: Sequence[str] = option(
        (), list, "A column that says nothing about the order; a pattern is several.", metavar="COLUMN"
    )
    direction: DirectionOption = option(
        "auto",
        str,
        "ranks: 1, or what stands first, is best. worst-first: it is worst. scores: larger is better."
        " lower-is-better: scores of which the lower is better.",
        choices=get_args(DirectionOption),
    )
    winner: Mapping[str, str] = option(
        {}, dict, "What a code in the column of winners means: left, right or tie.",
        metavar="CODE=SIDE", examples=("0=left",),
    )  # fmt: skip
    empty: Sequence[str] = option(
        (), list, "A value that says that the item was not reviewed; none if every number counts.",
        metavar="VALUE", examples=("0", "99"),
    )  # fmt: skip
    totals: Sequence[str] = option(
        (), list, "The label of a row that holds totals, not reviews; none if there is no such row.",
        metavar="LABEL", examples=("Average",),
    )  # fmt: skip
    fill_down: bool = option(
        False, bool, "An empty grader is the one above, as in merged cells of a spreadsheet."
    )
    duplicates: Duplicates = option(
        "error",
        str,
        "What to do where a grader reviews an item twice in one list, or submits a form twice.",
        choices=get_args(Duplicates),
    )
    missing: Missing = option(
        "error",
        str,
        "What to do with reviews that have neither rank nor score.",
        choices=get_args(Missing),
    )
    words: str | None = option(
        None,
        str,
        "The marks of a scale, best first; A to F are known.",
        examples=('"excellent,good,fair,poor"',),
    )
    ids: Ids = option(
        "exact",
        str,
        "Labels that differ in case, blanks or Unicode form: fold joins them, exact does not.",
        choices=get_args(Ids),
    )
    question: str | None = option(
        None, str, "Which question of a form is read, where several are about several items."
    )
    sheet: str | None = option(None, str, "Which sheet of a workbook, by name or number, or all.")
    header: HeaderOption = option(
        "first", str, "none: the file has no line of column names; they are then column 1, column 2, …",
        choices=get_args(HeaderOption),
    )  # fmt: skip
    skip_rows: int = option(0, int, "Rows above the header to leave out; titles are recognised.", low=0)
    encoding: str | None = option(None, str, "Encoding of a text file.")
    delimiter: str | None = option(None, str, "What separates the columns.")
    criteria: Mapping[str, float] = option(
        {},
        dict,
        "Columns of scores by several criteria, and how much each counts.",
        metavar="NAME=WEIGHT,…",
        examples=("clarity=2,method=1",),
    )

    @property
    def opening(self) -> OpenOptions:
        return OpenOptions(self.sheet, self.encoding, self.delimiter, self.skip_rows, self.header)

    @property
    def scale(self) -> tuple[str, ...]:
        """The marks of a scale one by one, best first."""
        return scale_words(self.words or ())

    def check(self) -> None:
        """Refuse values that no option has."""
        for name, each in self.table().items():
            value = getattr(self, name)
            if each.choices and value not in each.choices:
                raise DataError(f"{name}={value!r} is not known; use one of {', '.join(each.choices)}")
        for code, side in self.winner.items():
            if side not in ("left", "right", "tie"):
                raise DataError(f"winner: {code}={side} is not known; a winner is left, right or tie")
        _ = self.scale

    def with_choice(self, choice: Mapping[str, Any]) -> Self:
        """The reading with what somebody said beside it; columns and codes are added to those there are."""
        merged: dict[str, Any] = {
            name: {**getattr(self, name), **value}
            if isinstance(value, Mapping)
            else (*getattr(self, name), *value)
            if isinstance(value, tuple)
            else value
            for name, value in choice.items()
        }
        return replace(self, **merged)

    # -- in other forms -------------------------------------------------------------------------

    def said(self) -> dict[str, Any]:
        """What differs from the defaults."""
        usual = type(self)()
        return {
            each.name: value
            for each in fields(self)
            if (value := getattr(self, each.name)) != getattr(usual, each.name) and (value or value == 0)
        }

    def options(self) -> list[str]:
        """The words of a command line that say it."""
        words: list[str] = []
        for name, value in self.said().items():
            flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
            if isinstance(value, bool):
                words.append(flag)
            elif name == "criteria":
                words += [flag, ",".join(f"{key}={weight:g}" for key, weight in value.items())]
            elif isinstance(value, Mapping):
                said = {key: text for key, text in value.items() if str(text).lower() != key}
                words += [word for key, text in said.items() for word in (flag, f"{key}={text}")]
            else:
                texts = [value] if isinstance(value, str | int) else value
                words += [word for text in texts for word in _flag_and_value(flag, str(text))]
        return words

    def options_text(self) -> str:
        """The same as one text, quoted for the shell."""
        return shlex.join(self.options())

    def command(self, command: str, file: str) -> str:
        """One command line, ready to copy."""
        return shlex.join(["peerage", command, file, *self.options()])

    def to_toml(self) -> str:
        """The text of a `reading.toml`."""
        lines, tables = [], []
        for name, value in self.said().items():
            if isinstance(value, Mapping):
                tables += ["", f"[{name}]", *(f"{_toml(key)} = {_toml(text)}" for key, text in value.items())]
            else:
                lines.append(f"{name} = {_toml(value)}")
        return "\n".join(
            ["# how Peerage read the feedback; use it again with --reading", *lines, *tables, ""]
        )

    @classmethod
    def from_toml(cls, text: str, source: str | None = None) -> Self:
        """The reading that :meth:`to_toml` wrote, or somebody by hand."""
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise DataError(f"this is no reading: {error}", source=source) from None
        known = cls.table()
        lists: dict[str, tuple[str, ...]] = {}
        for name, value in values.items():
            if name in known and known[name].kind is list:
                lists[name] = tuple(map(str, value)) if isinstance(value, list) else (str(value),)
        try:
            reading = cls.from_dict({**values, **lists})
            reading.check()
        except ValueError as error:  # a DataError is one, too
            raise DataError(getattr(error, "problems", str(error)), source=source) from None
        return reading


def chosen_reading(
    reading: Reading | str | os.PathLike[str] | None, format_name: str, options: Mapping[str, Any]
) -> Reading:
    """The reading, perhaps from a file, with what was said beside it; what names no field names a column."""
    if reading is None:
        reading = Reading()
    elif not isinstance(reading, Reading):
        reading = Reading.from_toml(Path(reading).read_text(encoding="utf-8"), os.fspath(reading))
    names = {each.name for each in fields(Reading)}
    if isinstance(options.get("winner"), str):  # the column of winners, and not what its codes mean
        names.discard("winner")
    said = {name: value for name, value in options.items() if name in names and value is not None}
    columns = {role: name for role, name in options.items() if role not in names and name is not None}
    if format_name != "auto":
        said["format"] = format_name
    if "words" in said and not isinstance(said["words"], str):
        said["words"] = ",".join(scale_words(said["words"]))
    if "criteria" in said:
        said["criteria"] = parse_criteria(said["criteria"])
    if "sheet" in said:
        said["sheet"] = str(said["sheet"])
    for name in ("items", "ignore", "empty", "totals"):
        if name in said:
            values = [said[name]] if isinstance(said[name], str | int | float) else said[name]
            said[name] = tuple(map(str, values))
    said["columns"] = {**said.get("columns", reading.columns), **columns}
    chosen = replace(reading, **said)
    chosen.check()
    return chosen


def complete_reading(
    reading: Reading,
    said: Mapping[str, Any],
    direction: Direction | None,
    header: Sequence[str] = (),
    sheet: str | None = None,
) -> Reading:
    """Everything that was said, named or found out, so that nothing is open the next time."""
    facts = dict(said)
    if direction is not None and direction.measure in ("ranks", "scores"):
        facts["direction"] = option_for(direction)
    none = {role: "" for role, name in reading.columns.items() if not name}
    facts["columns"] = {**none, **facts.get("columns", {})}
    if reading.totals:
        facts["totals"] = reading.totals
    if header:
        facts["items"] = _as_patterns(facts.get("items", ()), header)
        facts["ignore"] = tuple(name for name in facts.get("ignore", ()) if name in header)
    if sheet is not None:
        facts["sheet"] = sheet
    return replace(reading, **facts)


def _as_patterns(items: Sequence[str], header: Sequence[str]) -> tuple[str, ...]:
    """`P*` for P1 to P9, where it stands for these columns and no others."""
    prefix = os.path.commonprefix(list(items)).rstrip("0123456789")  # noqa: RUF071 - these are no paths
    if len(items) > 2 and prefix and not set("[]*?") & set(prefix):
        matched = [name for name in header if fnmatchcase(name, f"{prefix}*")]
        if sorted(matched) == sorted(items):
            return (f"{prefix}*",)
    return tuple(items)


def option_for(direction: Direction) -> str:
    """The option that says so; "auto" where marks speak for themselves."""
    low = direction.best in ("low", "first")
    if direction.measure == "letters":
        return "auto"
    if direction.measure == "scores":
        return "lower-is-better" if low else "scores"
    return "ranks" if low else "worst-first"


_FLAGS = {"columns": "--column"}


def _flag_and_value(flag: str, text: str) -> list[str]:
    return [f"{flag}={text}"] if text.startswith("-") else [flag, text]


def _toml(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def scale_words(words: str | Sequence[str]) -> tuple[str, ...]:
    """The marks of a scale, from a text with commas or one by one."""
    parts = words.split(",") if isinstance(words, str) else list(words)
    scale = tuple(part.strip() for part in parts if part.strip())
    if len({word.lower() for word in scale}) < len(scale) or len(scale) == 1:
        raise DataError(
            f"words={','.join(scale)!r} is no scale: give two marks or more, each once, best first"
        )
    return scale


def parse_criteria(criteria: Weights) -> dict[str, float]:
    """Weights by the name of the column; a criterion without one counts once.

    >>> parse_criteria("clarity=2, method")
    {'clarity': 2.0, 'method': 1.0}
    """
    if isinstance(criteria, str):
        criteria = [part for part in criteria.split(",") if part.strip()]
    pairs = criteria.items() if isinstance(criteria, Mapping) else map(_pair, criteria)
    weights: dict[str, float] = {}
    for name, weight in pairs:
        number = _number(weight)
        if not str(name).strip() or number is None:
            raise DataError(
                f"{named('criteria')}: {name!r} with the weight {weight!r} is not NAME=WEIGHT, with a weight"
                " above 0, as in clarity=2"
            )
        if name in weights:
            raise DataError(f"{named('criteria')}: {name!r} is named twice")
        weights[str(name).strip()] = number
    if len(weights) == 1:
        raise DataError(f"{named('criteria')}: one criterion is a score: name two or more")
    return weights


def _pair(text: str) -> tuple[str, str]:
    name, equals, weight = text.rpartition("=")
    return (name.strip(), weight.strip()) if equals else (text.strip(), "1")


def _number(weight: Any) -> float | None:
    try:
        number = float(weight)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and number > 0 else None
