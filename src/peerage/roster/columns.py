"""The columns of a roster: what they are called, and what their cells may say."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

import polars as pl

from peerage.errors import Problem
from peerage.feedback.arrays import LONGEST, TOO_LONG
from peerage.reading.columns import SYNONYMS, Vocabulary

WORDS = Vocabulary(
    {
        "student": ("grader", "reviewer", "user", "name", "author", "owner", "learner", *SYNONYMS["grader"]),
        "item": SYNONYMS["item"],
        "group": ("team",),
        "task": SYNONYMS["task"],
        "section": (),
        "email": ("emailaddress", "mail"),
        "conflicts": (),
        "role": (),
        "submits": (),
        "reviews": (),
    },
    ranked=True,
)
COLUMNS = tuple(WORDS.words)

# the columns of `Roster.rows`
ROWS: dict[str, pl.DataType] = {
    "line": pl.Int64(),
    **dict.fromkeys(COLUMNS, pl.String()),
    "conflicts": pl.List(pl.String),
    "submits": pl.Boolean(),
    "reviews": pl.Int64(),
}

ROLES = ("student", "staff", "external")
_ROLE_WORDS = {
    **{role: role for role in ROLES},
    **dict.fromkeys(("learner", "studentenrollment"), "student"),
    **dict.fromkeys(
        ("teacher", "instructor", "ta", "tutor", "teachingassistant", "teacherenrollment", "taenrollment"),
        "staff",
    ),
}
_YES_NO = {
    **dict.fromkeys(("yes", "y", "true", "1"), True),
    **dict.fromkeys(("no", "n", "false", "0"), False),
}
_MOST_REVIEWS = 10**9


def parsed(rows: pl.DataFrame, names: dict[str, str]) -> tuple[pl.DataFrame, list[Problem]]:
    """The rows with their cells understood, and what is wrong with any of them.

    ``rows`` has `line` and the columns that the file has, as labels; ``names`` is what the file calls them.
    """
    problems = [*_nameless(rows, names), *_too_long(rows, names)]

    def cells(role: str, understand: Callable[[str], Any], rule: str, fix: str) -> list[Any]:
        found: list[Any] = []
        given = rows[role].to_list() if role in rows.columns else [None] * len(rows)
        for line, cell in zip(rows["line"].to_list(), given, strict=True):
            value = None if cell is None else understand(cell)
            if cell is not None and value is None:
                problems.append(Problem(rule, line=line, column=names[role], value=cell, fix=fix))
            found.append(value)
        return found

    role = cells("role", _role, "is not a role", f"write one of {', '.join(ROLES)}")
    submits = cells(
        "submits",
        lambda cell: _YES_NO.get(cell.lower()),
        "does not say whether the person hands in work",
        "write yes or no, or leave it empty",
    )
    reviews = cells(
        "reviews",
        _number,
        "is not a number of reviews",
        "write a whole number, 0 for none, or leave it empty for the common number",
    )
    missing = [
        pl.lit(None, dtype=kind).alias(name) for name, kind in ROWS.items() if name not in rows.columns
    ]
    whole = rows.with_columns(missing).with_columns(
        pl.Series("role", [one or "student" for one in role], dtype=pl.String),
        pl.Series("submits", submits, dtype=pl.Boolean),
        pl.Series("reviews", reviews, dtype=pl.Int64),
        pl.Series("conflicts", _conflicts(rows, names, problems), dtype=pl.List(pl.String)),
    )
    whole = whole.with_columns(pl.col("submits").fill_null(pl.col("role") == "student"))
    return whole.select(pl.col(name).cast(kind) for name, kind in ROWS.items()), problems


def _nameless(rows: pl.DataFrame, names: dict[str, str]) -> list[Problem]:
    rule, fix = "the student is empty", "name the student or delete the line"
    lines = rows.filter(pl.col("student").is_null())["line"]
    return [Problem(rule, line=line, column=names["student"], fix=fix) for line in lines]


def _too_long(rows: pl.DataFrame, names: dict[str, str]) -> list[Problem]:
    """Labels that are texts; conflicts are lists of labels, each of which is another row's."""
    rule, fix = TOO_LONG
    return [
        Problem(rule, line=line, column=names[role], value=cell, fix=fix)
        for role in rows.columns
        if role not in ("line", "conflicts")
        for line, cell in rows.filter(pl.col(role).str.len_chars() > LONGEST).select("line", role).iter_rows()
    ]


def _role(cell: str) -> str | None:
    return _ROLE_WORDS.get(re.sub(r"[\W_]+", "", cell).lower())


def _number(cell: str) -> int | None:
    known = cell.isascii() and cell.isdigit() and int(cell) < _MOST_REVIEWS
    return int(cell) if known else None


def _conflicts(rows: pl.DataFrame, names: dict[str, str], problems: list[Problem]) -> list[list[str] | None]:
    """The names in every cell, divided by semicolons."""
    if "conflicts" not in rows.columns:
        return [None] * len(rows)
    known = set(rows["student"].drop_nulls())
    known |= set(rows["group"].drop_nulls()) if "group" in rows.columns else set()
    found: list[list[str] | None] = []
    for line, cell in rows.select("line", "conflicts").iter_rows():
        others = [part.strip() for part in (cell or "").split(";") if part.strip()]
        problems += [_unknown(name, known, line, names) for name in others if name not in known]
        found.append(others or None)
    return found


def _unknown(name: str, known: set[str], line: int, names: dict[str, str]) -> Problem:
    close = get_close_matches(name, sorted(known), n=1)
    fix = f"did you mean {close[0]!r}?" if close else "separate several names with ';'"
    rule = "is neither a student nor a group on the roster"
    return Problem(rule, line=line, column=names["conflicts"], value=name, fix=fix)
