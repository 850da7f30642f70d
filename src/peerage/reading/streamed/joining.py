"""Runs of graders that follow each other, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from peerage.feedback import Feedback


def joined_by_grader(runs: Sequence[Feedback]) -> Feedback:
    """Feedback of runs with the same items, lists by grader: the graders of each come after those before."""
    if len(runs) == 1:
        return runs[0]
    sizes = [run.n_graders for run in runs]
    firsts = np.cumsum(sizes) - sizes
    reviews = np.cumsum([run.n_entries for run in runs]) - [run.n_entries for run in runs]
    lists = [run.list_starts[:-1] + first for run, first in zip(runs, reviews, strict=True)]
    end = sum(run.n_entries for run in runs)
    return replace(
        runs[0],
        items=np.concatenate([run.items for run in runs]),
        opens=np.concatenate([run.opens for run in runs]),
        list_starts=np.append(np.concatenate(lists), end),
        list_graders=np.concatenate(
            [run.list_graders + np.int32(first) for run, first in zip(runs, firsts, strict=True)]
        ),
        list_tasks=np.concatenate([run.list_tasks for run in runs]),
        grader_labels=pl.concat([run.grader_labels for run in runs]),
        scores=_either(runs, "scores", lambda run: np.full(run.n_entries, np.nan)),
        weights=_either(runs, "weights", lambda run: np.ones(run.n_lists)),
        list_labels=None
        if runs[0].list_labels is None
        else pl.concat([run.list_labels for run in runs if run.list_labels is not None]),
    )


def _either(runs: Sequence[Feedback], name: str, without: Any) -> Any:
    """An array that some runs have; others have what stands for nothing."""
    if all(getattr(run, name) is None for run in runs):
        return None
    return np.concatenate(
        [without(run) if getattr(run, name) is None else getattr(run, name) for run in runs]
    )
