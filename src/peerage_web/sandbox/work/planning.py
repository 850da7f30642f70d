"""What the API asks of the library before the term, without a file; answers are JSON."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from peerage._options import use_option_style
from peerage_web.sandbox.contract.naming import NAMINGS
from peerage_web.sandbox.work.questions import Step, to_json


def list_methods(*, on_step: Step) -> list[dict[str, Any]]:
    """Every method with its parameters."""
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
    roster: Mapping[str, Sequence[Any]], per_grader: int, rules: Mapping[str, Any], *, on_step: Step
) -> str:
    """Who reviews what."""
    from peerage.allocation.allocate import allocate

    use_option_style(NAMINGS["api"])
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
    use_option_style(NAMINGS["api"])
    found = plan(**setting, on_step=on_step)
    return to_json({"per_student": found.setting.per_student, "workloads": found.table.to_dicts()})
