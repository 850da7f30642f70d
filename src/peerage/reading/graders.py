"""Who graded, in tables with a row per grader: by the usual names, or a first column of people."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from peerage.reading.columns import find_columns, guesses
from peerage.reading.table import Table

PERSONS = ("name", "who", "fullname", "yourname", "email", "emailaddress", "username", "login", "person")


def is_of_people(table: Table, given: Mapping[str, str]) -> bool:
    """Whether the first column is that of people, by a name which is too common to mean it elsewhere."""
    first = re.sub(r"[\W_]+", "", table.header[0]).lower()
    return "grader" not in given and (first == "" or first in PERSONS)


def first_is_grader(table: Table, given: Mapping[str, str], optional: Sequence[str]) -> dict[str, int]:
    """The position of each role's column, the grader perhaps in a first column of people."""
    if is_of_people(table, given) and not guesses(table.header, "grader"):
        rest = [role for role in optional if role != "grader"]
        return {"grader": 0, **find_columns(table, given, required=(), optional=rest)}
    return find_columns(table, given, required=(), optional=optional)
