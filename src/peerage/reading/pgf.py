"""PGF, one list per line: `task grader a (8.0) > b (7.0) ? c (7.0)`, where `?` or `=` is a tie."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem
from peerage.feedback.cells import Origin
from peerage.feedback.choices import Direction, Duplicates, Missing
from peerage.feedback.container import Feedback, build_feedback
from peerage.reading.encoding import to_utf8

_ENTRY = re.compile(r"\s*([^\s()>?=]+)\s*(?:\(\s*([^()\s]*)\s*\))?\s*")
_RELATION = re.compile(r"([>?=])")
_LINE = re.compile(r"\s*[^\s()>?=]+\s+[^\s()>?=]+\s+[^\s()>?=]+\s*(\([^()]*\))?\s*[>?=]")

BEST_FIRST = Direction("orders", "first", "a PGF list has the better items before >", "format")

_Row = tuple[str, str, str, str, int, float | None, int]


def suits(head: str) -> bool:
    """Whether the first line that says something is a PGF list.

    One with a comma or a semicolon is not: forms make tables with heads such as `Your name,Which poster?`.
    Nor is one with names of several words: that is a ranking as people write it.
    """
    lines = (line for line in head.splitlines() if line.strip() and not line.startswith("#"))
    first = next(lines, "")
    if not _LINE.match(first) or {",", ";"} & set(first) or first.split()[0].endswith(":"):
        return False
    return all(_ENTRY.fullmatch(part) for part in _RELATION.split(first)[2::2])


def read_feedback(
    data: bytes, *, source: str | None, encoding: str | None, duplicates: Duplicates, missing: Missing
) -> Feedback:
    """Feedback from a PGF file.

    Where every item has a score and no list contradicts its scores, the order is taken to come from them.
    """
    text, notes = to_utf8(data, encoding, source)
    rows: list[_Row] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.decode("utf-8").split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            _read_line(line, number, rows, problems)
    if problems:
        raise DataError(problems, source=source)
    if not rows:
        raise DataError("there are no lists in it", source=source)
    task, grader, label, item, rank, score, where = (list(column) for column in zip(*rows, strict=True))
    lines = np.array(where)
    columns = {
        "task": pl.Series(task),
        "grader": pl.Series(grader),
        "list": pl.Series(label),
        "item": pl.Series(item),
        "score": pl.Series(score, dtype=pl.Float64),
    }
    if not _scores_decide(label, rank, score):
        columns["rank"] = pl.Series(rank)
    origin = Origin(source, lambda entries: lines[entries])
    return build_feedback(
        columns, origin=origin, duplicates=duplicates, missing=missing, notes=notes, direction=BEST_FIRST
    )


def _read_line(line: str, number: int, rows: list[_Row], problems: list[Problem]) -> None:
    head = line.split(None, 2)
    if len(head) < 3:
        rule = "is not a list: a line has a task, a grader and at least one item"
        problems.append(Problem(rule, line=number, value=line.strip(), fix="write 'task grader a > b'"))
        return
    task, grader, order = head
    parts = _RELATION.split(order)
    rank = 1
    for which in range(0, len(parts), 2):
        if which and parts[which - 1] == ">":
            rank += 1
        entry = _ENTRY.fullmatch(parts[which])
        if entry is None:
            problems.append(_entry_problem(parts[which], number))
            return
        score = _parse_score(entry[2])
        if score is not None and not np.isfinite(score):
            fix = "write a plain number such as (8.5), or nothing"
            problems.append(Problem("is not a score", line=number, column=entry[1], value=entry[2], fix=fix))
            return
        rows.append((task, grader, f"{number:09d}", entry[1], rank, score, number))


def _parse_score(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _entry_problem(part: str, number: int) -> Problem:
    if not part.strip():
        rule = "an item is missing beside >, ? or ="
        return Problem(rule, line=number, fix="name it, or delete the sign")
    rule = "is not an item: an item is one word, with its score in parentheses or none"
    fix = "divide items by > (better) or ? (tied)"
    return Problem(rule, line=number, value=part.strip(), fix=fix)


def _scores_decide(labels: list[str], ranks: list[int], scores: list[float | None]) -> bool:
    if any(score is None for score in scores):
        return False
    for label, rank, score, next_label, next_rank, next_score in zip(
        labels, ranks, scores, labels[1:], ranks[1:], scores[1:], strict=False
    ):
        if label != next_label or score is None or next_score is None:
            continue
        if next_score > score or (next_score < score) != (next_rank > rank):
            return False
    return True
