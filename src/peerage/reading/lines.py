"""Rankings line by line, with or without who made them: `P3 > P1 = P7 > P2`, `ada: P3 > P1`."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem
from peerage.feedback.builder import build
from peerage.feedback.cells import Origin
from peerage.feedback.choices import Duplicates, Missing
from peerage.feedback.container import Feedback
from peerage.feedback.direction import Direction
from peerage.reading.chains import chain_of
from peerage.reading.encoding import to_utf8

BEST_FIRST = Direction("orders", "first", "a line has the better items before >", "format")
_NAMED = re.compile(r"([^:>=<\t]+?)\s*[:\t]\s*(.*)")
_Row = tuple[int, str, str, int]


def suits(head: str) -> bool:
    """Whether every line that says something is a ranking, and the first of them is no header of a table.

    What ends where the beginning is cut off does not count.
    """
    lines = [line for line in head.splitlines() if line.strip() and not line.startswith("#")][:50]
    whole = lines[:-1] if len(lines) > 20 else lines
    return bool(whole) and all(_parsed(line) is not None for line in whole)


def _parsed(line: str) -> tuple[str | None, list[list[str]]] | None:
    """Who made it, and the buckets."""
    named = _NAMED.fullmatch(line.strip())
    grader, order = (named[1].strip(), named[2]) if named else (None, line)
    buckets = chain_of(order)
    if buckets is None or {",", ";"} & set(line):
        return None
    return grader, buckets


def feedback_from(
    data: bytes, *, source: str | None, encoding: str | None, duplicates: Duplicates, missing: Missing
) -> Feedback:
    """Feedback from lines of rankings; a line that names nobody is a grader of its own."""
    text, notes = to_utf8(data, encoding, source)
    rows: list[_Row] = []
    problems: list[Problem] = []
    lines = [line.rstrip("\r") for line in text.decode("utf-8").split("\n")]
    nameless = 0
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        found = _parsed(line)
        if found is None:
            fix = "write the items best first, as in 'ada: A > B = C'"
            problems.append(Problem("is not a ranking", line=number, value=line.strip(), fix=fix))
            continue
        nameless += found[0] is None
        grader = found[0] or f"line {number}"
        rows += [(number, grader, item, place) for place, one in enumerate(found[1], 1) for item in one]
    if problems:
        raise DataError(problems, source=source)
    if not rows:
        raise DataError("there are no rankings in it", source=source)
    if nameless:
        notes = (*notes, f"no grader names: each of {nameless} lines counts as a grader of its own")
    where, graders, items, places = (list(column) for column in zip(*rows, strict=True))
    numbers = np.array(where)
    columns = {
        "grader": pl.Series(graders),
        "list": pl.Series([f"{number:09d}" for number in where]),
        "item": pl.Series(items),
        "rank": pl.Series(places),
    }
    return build(
        columns,
        origin=Origin(source, lambda entries: numbers[entries]),
        duplicates=duplicates,
        missing=missing,
        notes=notes,
        direction=BEST_FIRST,
    )
