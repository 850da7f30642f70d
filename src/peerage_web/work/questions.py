"""What the API asks of the library besides grading a file at leisure; answers are JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from peerage_web.work.bounds import Bounds
from peerage_web.work.files import Files
from peerage_web.work.options import Options
from peerage_web.work.reading import read_feedback, read_people

Step = Callable[[str], None]


def check_files(files: Files, options: Options, bounds: Bounds, min_reviews: int, *, on_step: Step) -> str:
    """The pre-flight, as `peerage check --json` prints it."""
    from peerage.checking import check

    files.enter()
    feedback = read_feedback(files, options, bounds)
    found = check(feedback, read_people(files, options), min_reviews=min_reviews)
    return to_json({"file": files.feedback, **found.to_dict()})


def grade_at_once(files: Files, options: Options, bounds: Bounds, most: int, *, on_step: Step) -> str | None:
    """What `results.json` would hold; None where the class has more than `most` reviews."""
    from peerage.grading import record
    from peerage_web.work.grading import run

    files.enter()
    if read_feedback(files, options, bounds).n_entries > most:
        return None
    return to_json(record(run(files, options, bounds, on_step=on_step)))


def list_methods(*, on_step: Step) -> list[dict[str, Any]]:
    """Every method with its parameters."""
    from peerage.models import METHODS

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
    roster: Mapping[str, Sequence[Any]], per_grader: int, rules: Mapping[str, Any], *, on_step: Step
) -> str:
    """Who reviews what."""
    from peerage.allocation import allocate

    made = allocate(roster, per_grader, **rules)
    return to_json(
        {
            "design": made.design,
            "seed": made.seed,
            "anchors": list(made.anchors),
            "notes": list(made.notes),
            "quality": asdict(made.quality),
            "reviews": made.table().to_dicts(),
        }
    )


def plan_workload(setting: Mapping[str, Any], *, on_step: Step) -> str:
    """What to expect of several workloads."""
    from peerage.planning import plan

    os.environ["XDG_CACHE_HOME"] = os.devnull  # strangers' questions do not fill the disk
    found = plan(**setting, on_step=on_step)
    return to_json({"per_student": found.setting.per_student, "workloads": found.table.to_dicts()})


def to_json(value: Any) -> str:
    """One JSON document, never with NaN in it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
