"""Files with a list per line: PGF, and PrefLib's elections."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem
from peerage.feedback.cells import Origin
from peerage.feedback.choices import Direction
from peerage.reading.content import to_utf8
from peerage.reading.reading import Reading
from peerage.reading.table import ParsedReviews

# -- PGF -----------------------------------------------------------------------------------------------------


_ENTRY = re.compile(r"\s*([^\s()>?=]+)\s*(?:\(\s*([^()\s]*)\s*\))?\s*")
_RELATION = re.compile(r"([>?=])")
_LINE = re.compile(r"\s*[^\s()>?=]+\s+[^\s()>?=]+\s+[^\s()>?=]+\s*(\([^()]*\))?\s*[>?=]")

BEST_FIRST = Direction("orders", "first", "a PGF list has the better items before >", "format")

_Row = tuple[str, str, str, str, int, float | None, int]


class Pgf:
    """One list per line: `task grader a (8.0) > b (7.0) ? c (7.0)`, where `?` or `=` is a tie."""

    def suits(self, head: str) -> bool:
        """Whether the first line that says something is a PGF list.

        One with a comma or a semicolon is not: forms make tables with heads such as `Name,Which poster?`.
        Nor is one with names of several words: that is a ranking as people write it.
        """
        lines = (line for line in head.splitlines() if line.strip() and not line.startswith("#"))
        first = next(lines, "")
        names = first.split()[:2]
        if (
            not _LINE.match(first)
            or {",", ";"} & set(first)
            or any(name.endswith(":") or not re.search(r"\w", name) for name in names)
        ):
            return False
        return all(_ENTRY.fullmatch(part) for part in _RELATION.split(first)[2::2])

    def read_reviews(self, data: bytes, *, source: str | None, reading: Reading) -> ParsedReviews:
        """The lists of a PGF file.

        Where every item has a score and no list contradicts its scores, the order is taken to come from them.
        """
        text, notes = to_utf8(data, reading.encoding, source)
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
        return ParsedReviews(columns, origin, notes, direction=BEST_FIRST, said={"format": "pgf"})


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


# -- PrefLib: .soc .soi .toc .toi ---------------------------------------------------------------------------


TYPES = ("soc", "soi", "toc", "toi")
_META = re.compile(r"#\s*([A-Za-z][A-Za-z ]*?)\s*(\d*)\s*:\s*(.*)")
_TOKEN = re.compile(r"\s*(\d+|[{},])")


@dataclass(slots=True)
class _Election:
    facts: dict[str, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    votes: list[tuple[int, float, list[list[int]]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class PrefLib:
    """A header of `# KEY: value`, then votes such as `3: 1,{2,4}`."""

    def suits(self, head: str) -> bool:
        """Whether the text opens with PrefLib's header."""
        return bool(re.match(r"\s*#\s*(FILE NAME|TITLE|DATA TYPE|NUMBER [A-Z ]+|ALTERNATIVE NAME)\b", head))

    def read_reviews(self, data: bytes, *, source: str | None, reading: Reading) -> ParsedReviews:
        """The votes of a PrefLib file: every vote is a grader of its own, its count is the weight."""
        text, notes = to_utf8(data, reading.encoding, source)
        election = _Election()
        for number, line in enumerate(text.decode("utf-8").split("\n"), 1):
            line = line.strip()
            if line.startswith("#"):
                _read_meta(line, number, election)
            elif line:
                _read_vote(line, number, election)
        _check_type(election, source)
        _check_names(election)
        if not election.problems:
            _check_counts(election)
        if election.problems:
            raise DataError(election.problems, source=source)
        if not election.votes:
            raise DataError("there are no votes in it", source=source)
        own = f"each of the {len(election.votes)} votes counts as a grader of its own"
        return _build(election, source, (*notes, f"PrefLib has no grader names: {own}"))


def _read_meta(line: str, number: int, election: _Election) -> None:
    meta = _META.fullmatch(line)
    if meta is None:
        return
    key, which, value = meta[1].upper(), meta[2], meta[3].strip()
    if key == "ALTERNATIVE NAME" and which:
        if int(which) in election.names:
            rule, fix = f"alternative {which} is named twice", "delete one of the two lines"
            election.problems.append(Problem(rule, line=number, fix=fix))
        election.names[int(which)] = value or which
    else:
        election.facts[key] = value


def _read_vote(line: str, number: int, election: _Election) -> None:
    count, colon, order = line.partition(":")
    if not colon:
        fix = "write 'count: 1,2,{3,4}'"
        if re.fullmatch(r"\d+(,.*)?", line):
            fix = "this is PrefLib's format before 2022: download the file again, or write 'count: 1,2,{3,4}'"
        election.problems.append(Problem("is not a vote", line=number, value=line, fix=fix))
        return
    try:
        weight = float(count)
    except ValueError:
        weight = 0.0
    if not 0 < weight < float("inf"):
        rule = "is not a count of votes"
        election.problems.append(
            Problem(rule, line=number, value=count.strip(), fix="write a number above 0")
        )
        return
    buckets = _parse_order(order)
    if buckets is None:
        fix = "write alternatives as numbers, best first, ties in braces: 1,{2,3},4"
        election.problems.append(Problem("is not an order", line=number, value=order.strip(), fix=fix))
        return
    _check_vote(buckets, number, election)
    election.votes.append((number, weight, buckets))


def _parse_order(order: str) -> list[list[int]] | None:
    """`1,{2,3}` as [[1], [2, 3]]; None where it is not one."""
    tokens = _TOKEN.findall(order)
    if _TOKEN.sub("", order).strip() or not tokens:
        return None
    text = ",".join(re.sub(r"\s+", "", order).split(","))
    if not re.fullmatch(r"(\d+|\{\d+(,\d+)*\})(,(\d+|\{\d+(,\d+)*\}))*", text):
        return None
    if any(len(token) > 9 for token in tokens):
        return None
    parts = re.findall(r"\{[^}]*\}|\d+", text)
    return [[int(number) for number in re.findall(r"\d+", part)] for part in parts]


def _check_vote(buckets: list[list[int]], number: int, election: _Election) -> None:
    seen: set[int] = set()
    for alternative in chain.from_iterable(buckets):
        if election.names and alternative not in election.names:
            rule = f"is not an alternative: the header names {len(election.names)}"
            election.problems.append(Problem(rule, line=number, value=str(alternative)))
        if alternative in seen:
            rule, fix = "stands twice in this vote", "delete one of the two"
            election.problems.append(Problem(rule, line=number, value=str(alternative), fix=fix))
        seen.add(alternative)


def _check_type(election: _Election, source: str | None) -> None:
    kind = election.facts.get("DATA TYPE", "").lower()
    if kind and kind not in TYPES:
        rule = f"PrefLib data of type {kind!r} holds no rankings"
        raise DataError(Problem(rule, fix=f"use one of {', '.join(TYPES)}"), source=source)


def _check_names(election: _Election) -> None:
    owner: dict[str, int] = {}
    for number, name in election.names.items():
        if name in owner:
            rule = f"alternatives {owner[name]} and {number} are both called {name!r}"
            election.problems.append(Problem(rule, fix="rename one of them"))
        owner[name] = number


def _check_counts(election: _Election) -> None:
    """A header that promises more than there is: the file was cut off."""
    counts = {
        "NUMBER ALTERNATIVES": len(election.names) or None,
        "NUMBER UNIQUE ORDERS": len(election.votes),
        "NUMBER VOTERS": sum(weight for _, weight, _ in election.votes),
    }
    for key, number in counts.items():
        declared = election.facts.get(key, "")
        if number is not None and declared.isdecimal() and int(declared) != number:
            rule = f"the header says {key} {declared}, but there are {number:g}"
            election.problems.append(Problem(rule, fix="the file is incomplete: get it again"))


def _build(election: _Election, source: str | None, notes: tuple[str, ...]) -> ParsedReviews:
    width = len(str(len(election.votes)))
    rows = [
        (f"v{vote:0{width}d}", election.names.get(alternative, str(alternative)), rank, weight, number)
        for vote, (number, weight, buckets) in enumerate(election.votes, 1)
        for rank, bucket in enumerate(buckets, 1)
        for alternative in bucket
    ]
    grader, item, rank, weight, where = zip(*rows, strict=True)
    lines = np.array(where)
    columns = {
        "grader": pl.Series(grader),
        "item": pl.Series(item),
        "rank": pl.Series(rank),
        "weight": pl.Series(weight),
    }
    origin = Origin(source, lambda entries: lines[entries])
    best = Direction("orders", "first", "a PrefLib vote has the better ones first", "format")
    return ParsedReviews(
        columns,
        origin,
        notes,
        direction=best,
        said={"format": "preflib"},
        unreviewed=tuple(set(election.names.values()) - set(item)),
    )
