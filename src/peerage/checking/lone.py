"""Tasks that one grader alone has judged: there is an opinion, and nothing to hold it against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.checking.report import Finding, template

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


def lone_tasks(feedback: Feedback) -> NDArray[np.bool_]:
    """Per task, whether all its lists are by one grader."""
    graders = pl.DataFrame({"task": feedback.list_tasks, "grader": feedback.list_graders})
    counts = graders.group_by("task").agg(pl.col("grader").n_unique())
    lone = np.zeros(feedback.n_tasks, dtype=bool)
    lone[counts.filter(pl.col("grader") == 1)["task"].to_numpy()] = True
    return lone


def lone_findings(feedback: Feedback) -> list[Finding]:
    """One finding for all such tasks."""
    lone = np.flatnonzero(lone_tasks(feedback))
    if len(lone) == 0:
        return []
    first = [int(np.flatnonzero(feedback.list_tasks == task)[0]) for task in lone]
    cases = pl.DataFrame(
        {
            "task": feedback.task_labels.gather(lone),
            "grader": feedback.grader_labels.gather(feedback.list_graders[first]),
        }
    )
    where = "" if feedback.n_tasks == 1 else f" of {len(lone):,} of {feedback.n_tasks:,} tasks"
    return [
        Finding(
            code="one-grader",
            severity="warning",
            found=f"All reviews{where} are by one grader.",
            means="The grades are that grader's opinion. Nothing says how far others would agree, so no two"
            " items can be told apart.",
            advice="Have at least two others review the same items.",
            cases=cases,
            example=template(feedback, "{grader}"),
        )
    ]
