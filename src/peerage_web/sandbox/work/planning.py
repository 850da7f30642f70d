"""What the API asks of the library before the term, without a file; answers are JSON."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from peerage_web.sandbox.work.questions import Step, to_json


def list_methods(*, on_step: Step) -> list[dict[str, Any]]:
    """Every method with its parameters."""
    from peerage.models import METHODS

    return [
        {
            "code": method.code,
            "name": method.estimator,
            "summary": method.summary,
            "takes": ["scores"] if method.needs_scores else ["orders", "pairs", "scores"],
            "with_reliability": f"{method.code}+G" if method.reliability else None,
            "parameters": _parameters(method.make(reliability=False)),
        }
        for method in METHODS.values()
    ]


def _parameters(estimator: Any) -> dict[str, Any]:
    given = estimator.get_params()
    names = inspect.signature(type(estimator).__init__).parameters
    return {name: given[name] for name in names if name in given and name != "reliability"}


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
