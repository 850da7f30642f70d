"""Who reviews what: the library's allocation with its preview, and its repair; and plans before the term.

In a class, names are keys.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from peerage._options import use_option_style
from peerage.errors import DataError, PeerageError
from peerage_web.sandbox.contract.errors import describe_problem
from peerage_web.sandbox.contract.jobs import OPTION_STYLES, JobFiles
from peerage_web.sandbox.work.reading import StepListener, to_json

MAX_PROBLEMS = 200  # and people named in one
MAX_ROWS = 200_000  # of a file
# reviews up to which a number that works is searched for where the one asked for does not
MAX_SEARCHED_REVIEWS = 20_000

Roster = Mapping[str, Sequence[Any]]


def allocate_class(
    roster: Roster, per_grader: int, rules: Mapping[str, Any], repeats: int, *, on_step: StepListener
) -> dict[str, Any]:
    """Lists, how good they are, and what to expect of them; or `problem`: a code and who is in the way."""
    from peerage.allocation.allocate import allocate
    from peerage.allocation.rules import AllocationError

    try:
        allocation = allocate(roster, per_grader, **rules)
    except AllocationError as error:
        return {"problem": _describe_clash(error, roster, per_grader, rules)}
    except DataError as error:
        return {"problem": {"code": "library", "text": str(error)[:1000], "graders": [], "items": []}}
    return {
        "problem": None,
        "reviews": [[row["grader"], row["item"]] for row in allocation.table().to_dicts()],
        "quality": asdict(allocation.quality),
        "anchors": list(allocation.anchors),
        "forecast": _forecast(allocation, repeats),
    }


def _forecast(allocation: Any, repeats: int) -> dict[str, Any] | None:
    """Expected errors here and of random lists, in per cent of pairs."""
    from peerage.allocation.preview import preview

    if not repeats:
        return None
    expected = preview(allocation, repeats=repeats)
    return {
        "tau_error": expected.this.tau_error,
        "random": expected.random.tau_error,
        "unsure": (expected.this.tau_error_se**2 + expected.random.tau_error_se**2) ** 0.5,
        "random_components": expected.random.quality.components,
        "repeats": expected.repeats,
    }


def _describe_clash(error: Any, roster: Roster, per_grader: int, rules: Mapping[str, Any]) -> dict[str, Any]:
    """Who and what is in the way, and the largest number of reviews that can be had."""
    return {
        "code": "rules-clash",
        "graders": list(error.graders)[:MAX_PROBLEMS],
        "items": list(error.items)[:MAX_PROBLEMS],
        "possible": _largest_possible(roster, per_grader, rules),
        "text": str(error)[:1000],
    }


def _largest_possible(roster: Roster, per_grader: int, rules: Mapping[str, Any]) -> int | None:
    from peerage.allocation.allocate import allocate

    if len(roster["student"]) * per_grader > MAX_SEARCHED_REVIEWS:
        return None
    for number in range(per_grader - 1, 1, -1):
        try:
            allocate(roster, number, **rules)
        except PeerageError:
            continue
        return number
    return None


def repair_class(request: Mapping[str, Any], *, on_step: StepListener) -> dict[str, Any]:
    """The changes that give every work its reviews, while nobody gets more than `most_extra` above theirs.

    `request` has `parts` (each with `roster`, `planned` and `done`: pairs of reviewer and work, and `above`:
    who is above their number already), `per_grader`, `coverage`, `most_extra` and `seed`. Done reviews stay
    where they are. Where the coverage cannot be had within the bound, the largest that can is taken.
    """
    parts = [_repair_part(part, request) for part in request["parts"]]
    return {
        "add": [pair for part in parts for pair in part["add"]],
        "remove": [pair for part in parts for pair in part["remove"]],
        "extra": {who: number for part in parts for who, number in part["extra"].items()},
        "coverage": min((part["coverage"] for part in parts), default=0),
        "quality": parts[0]["quality"] if len(parts) == 1 else None,
    }


def _repair_part(part: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """By bisection: whoever needs fewer reviews for every work needs no more extra ones."""
    possible, too_much, best = -1, int(request["coverage"]) + 1, None
    coverage = int(request["coverage"])
    while possible < coverage < too_much:
        repaired = _repair(part, request, coverage)
        if repaired is None:
            too_much = coverage
        else:
            possible, best = coverage, repaired
        coverage = (possible + too_much) // 2
    if best is None:
        return {"add": [], "remove": [], "extra": {}, "coverage": 0, "quality": None}
    rows = best.changes.rows(named=True)
    return {
        "add": [[row["grader"], row["item"]] for row in rows if row["change"] == "add"],
        "remove": [[row["grader"], row["item"]] for row in rows if row["change"] == "remove"],
        "extra": best.extra,
        "coverage": best.coverage,
        "quality": asdict(best.allocation.quality),
    }


def _repair(part: Mapping[str, Any], request: Mapping[str, Any], coverage: int) -> Any:
    """The library's repair for this coverage; None where it cannot be had within the bound."""
    from peerage.allocation.repair import repair
    from peerage.allocation.rules import AllocationError

    try:
        repaired = repair(
            _table(part["planned"]),
            part["roster"],
            int(request["per_grader"]),
            done=_table(part["done"]),
            coverage=coverage,
            conflicts="declared",
            seed=int(request["seed"]),
        )
    except AllocationError:
        return None
    most, before = int(request["most_extra"]), part["above"]
    bounded = all(number <= max(most, before.get(who, 0)) for who, number in repaired.extra.items())
    return repaired if bounded else None


def _table(pairs: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    reviews = list(pairs)
    return {"grader": [review[0] for review in reviews], "item": [review[1] for review in reviews]}


def read_allocation_file(files: JobFiles, *, on_step: StepListener) -> dict[str, Any]:
    """The reviews in a file (the first of the files): `rows` of line, grader and item; or its `problem`."""
    from peerage.allocation.allocate import read_allocation

    files.enter()
    try:
        table = read_allocation(files.feedback)
        if len(table) > MAX_ROWS:
            raise DataError(f"the file has {len(table)} rows; {MAX_ROWS} are all that are taken")
    except PeerageError as error:
        problem = describe_problem(error)
        problem["problems"] = problem["problems"][:MAX_PROBLEMS]
        return {"rows": [], "problem": problem}
    rows = [[row["grader"], row["item"]] for row in table.to_dicts()]
    return {"rows": rows, "problem": None}


# -- what the API asks before the term, without a file; answers are JSON -------------------------------------


def list_methods(*, on_step: StepListener) -> list[dict[str, Any]]:
    from peerage.models.registry import METHODS

    return [
        {
            "code": method.code,
            "name": method.estimator,
            "summary": method.summary,
            "takes": list(method.takes),
            "with_reliability": method.with_reliability,
            "parameters": _parameters(method.make(reliability=False)),
        }
        for method in METHODS.values()
    ]


def _parameters(estimator: Any) -> dict[str, Any]:
    return {name: value for name, value in estimator.get_params().items() if name != "reliability"}


def allocate_reviews(
    roster: Roster, per_grader: int, rules: Mapping[str, Any], *, on_step: StepListener
) -> str:
    from peerage.allocation.allocate import allocate

    use_option_style(OPTION_STYLES["api"])
    allocation = allocate(roster, per_grader, **rules)
    return to_json(
        {
            "design": allocation.design,
            "seed": allocation.seed,
            "anchors": list(allocation.anchors),
            "notes": list(allocation.notes),
            "quality": asdict(allocation.quality),
            "reviews": allocation.table().to_dicts(),
        }
    )


def plan_workload(setting: Mapping[str, Any], *, on_step: StepListener) -> str:
    from peerage.planning import plan

    os.environ["XDG_CACHE_HOME"] = os.devnull  # strangers' questions do not fill the disk
    use_option_style(OPTION_STYLES["api"])
    workload_plan = plan(**setting, on_step=on_step)
    return to_json(
        {"per_student": workload_plan.setting.per_student, "workloads": workload_plan.table.to_dicts()}
    )
