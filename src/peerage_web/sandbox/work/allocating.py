"""Who reviews what in a class: the library's allocation with its preview, and its repair. Names are keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from peerage.errors import DataError, PeerageError
from peerage_web.sandbox.contract import Files, problem_of
from peerage_web.sandbox.work.questions import Step

SHOWN = 200  # problems, and people named in one
MOST_ROWS = 200_000  # of a file
SEARCHED = 20_000  # reviews up to which a number that works is searched for where the one asked for does not

Roster = Mapping[str, Sequence[Any]]


def allocate_class(
    roster: Roster, per_grader: int, rules: Mapping[str, Any], repeats: int, *, on_step: Step
) -> dict[str, Any]:
    """Lists, how good they are, and what to expect of them; or `problem`: a code and who is in the way."""
    from peerage.allocation.allocate import allocate
    from peerage.allocation.rules import AllocationError

    try:
        made = allocate(roster, per_grader, **rules)
    except AllocationError as error:
        return {"problem": _clash(error, roster, per_grader, rules)}
    except DataError as error:
        return {"problem": {"code": "library", "text": str(error)[:1000], "graders": [], "items": []}}
    return {
        "problem": None,
        "reviews": [[row["grader"], row["item"]] for row in made.table().to_dicts()],
        "quality": asdict(made.quality),
        "anchors": list(made.anchors),
        "forecast": _forecast(made, repeats),
    }


def _forecast(made: Any, repeats: int) -> dict[str, Any] | None:
    """Expected errors here and of random lists, in per cent of pairs."""
    from peerage.allocation.preview import preview

    if not repeats:
        return None
    seen = preview(made, repeats=repeats)
    return {
        "tau_error": seen.this.tau_error,
        "random": seen.random.tau_error,
        "unsure": (seen.this.tau_error_se**2 + seen.random.tau_error_se**2) ** 0.5,
        "random_components": seen.random.quality.components,
        "repeats": seen.repeats,
    }


def _clash(error: Any, roster: Roster, per_grader: int, rules: Mapping[str, Any]) -> dict[str, Any]:
    """Who and what is in the way, and the largest number of reviews that can be had."""
    return {
        "code": "rules-clash",
        "graders": list(error.graders)[:SHOWN],
        "items": list(error.items)[:SHOWN],
        "possible": _possible(roster, per_grader, rules),
        "text": str(error)[:1000],
    }


def _possible(roster: Roster, per_grader: int, rules: Mapping[str, Any]) -> int | None:
    from peerage.allocation.allocate import allocate

    if len(roster["student"]) * per_grader > SEARCHED:
        return None
    for number in range(per_grader - 1, 1, -1):
        try:
            allocate(roster, number, **rules)
        except PeerageError:
            continue
        return number
    return None


def mend_class(asked: Mapping[str, Any], *, on_step: Step) -> dict[str, Any]:
    """The changes that give every work its reviews, while nobody gets more than `most_extra` above theirs.

    `asked` has `parts` (each with `roster`, `planned` and `done`: pairs of reviewer and work, and `above`:
    who is above their number already), `per_grader`, `coverage`, `most_extra` and `seed`. Done reviews stay
    where they are. Where the coverage cannot be had within the bound, the largest that can is taken.
    """
    parts = [_mended(part, asked) for part in asked["parts"]]
    return {
        "add": [pair for part in parts for pair in part["add"]],
        "remove": [pair for part in parts for pair in part["remove"]],
        "extra": {who: number for part in parts for who, number in part["extra"].items()},
        "coverage": min((part["coverage"] for part in parts), default=0),
        "quality": parts[0]["quality"] if len(parts) == 1 else None,
    }


def _mended(part: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """By bisection: whoever needs fewer reviews for every work needs no more extra ones."""
    possible, too_much, found = -1, int(asked["coverage"]) + 1, None
    coverage = int(asked["coverage"])
    while possible < coverage < too_much:
        tried = _repaired(part, asked, coverage)
        if tried is None:
            too_much = coverage
        else:
            possible, found = coverage, tried
        coverage = (possible + too_much) // 2
    if found is None:
        return {"add": [], "remove": [], "extra": {}, "coverage": 0, "quality": None}
    rows = found.changes.rows(named=True)
    return {
        "add": [[row["grader"], row["item"]] for row in rows if row["change"] == "add"],
        "remove": [[row["grader"], row["item"]] for row in rows if row["change"] == "remove"],
        "extra": found.extra,
        "coverage": found.coverage,
        "quality": asdict(found.allocation.quality),
    }


def _repaired(part: Mapping[str, Any], asked: Mapping[str, Any], coverage: int) -> Any:
    """The library's repair for this coverage; None where it cannot be had within the bound."""
    from peerage.allocation.repair import repair
    from peerage.allocation.rules import AllocationError

    try:
        found = repair(
            _table(part["planned"]),
            part["roster"],
            int(asked["per_grader"]),
            done=_table(part["done"]),
            coverage=coverage,
            conflicts="declared",
            seed=int(asked["seed"]),
        )
    except AllocationError:
        return None
    most, before = int(asked["most_extra"]), part["above"]
    bounded = all(number <= max(most, before.get(who, 0)) for who, number in found.extra.items())
    return found if bounded else None


def _table(pairs: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    listed = list(pairs)
    return {"grader": [one[0] for one in listed], "item": [one[1] for one in listed]}


def read_allocation_file(files: Files, *, on_step: Step) -> dict[str, Any]:
    """The reviews in a file (the first of the files): `rows` of line, grader and item; or its `problem`."""
    from peerage.allocation.allocate import read_allocation

    files.enter()
    try:
        table = read_allocation(files.feedback)
        if len(table) > MOST_ROWS:
            raise DataError(f"the file has {len(table)} rows; {MOST_ROWS} are all that are taken")
    except PeerageError as error:
        problem = problem_of(error)
        problem["problems"] = problem["problems"][:SHOWN]
        return {"rows": [], "problem": problem}
    rows = [[row["grader"], row["item"]] for row in table.to_dicts()]
    return {"rows": rows, "problem": None}
