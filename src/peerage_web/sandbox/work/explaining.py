"""Why one item of a graded job stands where it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage_web.sandbox.contract import Bounds, Files, Options
from peerage_web.sandbox.work.reading import judged_feedback

if TYPE_CHECKING:
    from peerage.models.base import Estimator


def explain_item(
    files: Files,
    options: Options,
    bounds: Bounds,
    code: str,
    parameters: dict[str, Any],
    grades: str,
    made_with: dict[str, Any],
    item: str,
    task: str | None,
    *,
    on_step: Callable[[str], None],
) -> dict[str, Any]:
    """The explanation in words and figures, from the method and parameters that made the grades.

    `grades` is the table of them that was written, `made_with` the options it was made with.
    """
    from peerage.grading.explanation import ReleasedGrade
    from peerage.grading.explanation import explain as make

    files.enter()
    feedback = judged_feedback(files, options, bounds)
    feedback.item_number(item, 0 if task is None else task)  # before the long fit
    fitted = _estimator(code, parameters).fit(feedback)
    found = make(fitted, item, 0 if task is None else task, on_step=on_step)
    grade = ReleasedGrade.from_file(Path(grades), found.item, found.task, made_with, options.interval)
    found = replace(found, grade=grade)
    names = ("task", "item", "rank", "size", "score", "wins", "losses", "ties")
    return {
        "method": code,
        **{name: getattr(found, name) for name in names},
        "sentences": found.sentences(),
        "lists": found.lists.to_dicts(),
    }


def _estimator(code: str, parameters: dict[str, Any]) -> Estimator:
    """As it was when the grades were made, learned priors included: nothing is chosen or learned anew."""
    from peerage.models.registry import method

    return method(code).set_params(**parameters)
