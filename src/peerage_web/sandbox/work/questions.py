"""What the API asks of a file while somebody waits; answers are JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from peerage_web.sandbox.contract import Bounds, Files, Options
from peerage_web.sandbox.work.reading import read_feedback, read_people

Step = Callable[[str], None]


def check_files(files: Files, options: Options, bounds: Bounds, min_reviews: int, *, on_step: Step) -> str:
    """The pre-flight, as `peerage check --json` prints it."""
    from peerage.checking.preflight import check

    files.enter()
    feedback = read_feedback(files, options, bounds)
    found = check(feedback, read_people(files, options), min_reviews=min_reviews)
    return to_json({"file": files.feedback, **found.to_dict()})


def grade_at_once(files: Files, options: Options, bounds: Bounds, most: int, *, on_step: Step) -> str | None:
    """What `results.json` would hold; None where the class has more than `most` reviews."""
    from peerage.grading.output.results_json import record
    from peerage_web.sandbox.work.grading import run

    files.enter()
    if read_feedback(files, options, bounds).n_entries > most:
        return None
    return to_json(record(run(files, options, bounds, on_step=on_step)))


def to_json(value: Any) -> str:
    """One JSON document, never with NaN in it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
