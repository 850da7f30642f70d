"""PrefLib elections (.soc .soi .toc .toi): a header of `# KEY: value`, then votes such as `3: 1,{2,4}`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem
from peerage.feedback.cells import Origin
from peerage.feedback.choices import Direction, Duplicates, Missing
from peerage.feedback.container import Feedback, build_feedback
from peerage.reading.encoding import to_utf8

TYPES = ("soc", "soi", "toc", "toi")
_META = re.compile(r"#\s*([A-Za-z][A-Za-z ]*?)\s*(\d*)\s*:\s*(.*)")
_TOKEN = re.compile(r"\s*(\d+|[{},])")


@dataclass(slots=True)
class _Election:
    facts: dict[str, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    votes: list[tuple[int, float, list[list[int]]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def suits(head: str) -> bool:
    """Whether the text opens with PrefLib's header."""
    return bool(re.match(r"\s*#\s*(FILE NAME|TITLE|DATA TYPE|NUMBER [A-Z ]+|ALTERNATIVE NAME)\b", head))


def read_feedback(
    data: bytes, *, source: str | None, encoding: str | None, duplicates: Duplicates, missing: Missing
) -> Feedback:
    """Feedback from a PrefLib file: every vote is a grader of its own, its count is the weight."""
    text, notes = to_utf8(data, encoding, source)
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
    note = (
        f"PrefLib has no grader names: each of the {len(election.votes)} votes counts as a grader of its own"
    )
    feedback = _build(election, source, duplicates, missing, (*notes, note))
    return feedback.with_items(election.names.values()) if election.names else feedback


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


def _build(
    election: _Election, source: str | None, duplicates: Duplicates, missing: Missing, notes: tuple[str, ...]
) -> Feedback:
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
    return build_feedback(
        columns, origin=origin, duplicates=duplicates, missing=missing, notes=notes, direction=best
    )
