"""Ranks and scores of one file that contradict each other: one of the two may run the other way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._options import named, named_column
from peerage._words import plural
from peerage.checking.report import Finding, template

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


_ALL = (
    "What is ranked better has the lower scores: the ranks or the scores of this file run the other way, and"
    " grades would be upside down."
)
_SOME = (
    "What these lists rank better has the lower scores: these graders may have mixed up which end is best."
)


def direction_findings(feedback: Feedback) -> list[Finding]:
    """Lists whose scores say, on the whole, the opposite of their ranks."""
    if feedback.scores is None or feedback.ordered_by == "score":
        return []
    sign = _agreement(feedback)
    against = np.flatnonzero(sign < 0)
    if len(against) == 0:
        return []
    told, count = int(np.count_nonzero(sign)), len(against)
    most = 2 * count > told
    cases = pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.list_tasks[against]),
            "grader": feedback.grader_labels.gather(feedback.list_graders[against]),
        }
    )
    have = "has" if count == 1 else "have"
    return [
        Finding(
            code="ranks-against-scores",
            severity="warning" if most or 5 * count >= told else "info",
            found=f"{plural(count, 'list')} of {told:,} {have} ranks and scores that contradict each other.",
            means=_ALL if most else _SOME,
            advice=_turn() if most else "Ask them, or leave their reviews out.",
            cases=cases,
            example=template(feedback, "{grader}"),
        )
    ]


def _turn() -> str:
    return (
        f"Ask how they were entered. Leave out the scores with {named_column('score', '')}, or take the order"
        f" from them with {named('direction', 'scores')}; {named('lower_is_better', True)} where low scores"
        " are good."
    )


def _agreement(feedback: Feedback) -> NDArray[np.float64]:
    """Per list the sign of how places and scores go together: 1 as they should, -1 against each other."""
    assert feedback.scores is not None
    known = ~np.isnan(feedback.scores)
    lists = feedback.entry_lists[known]
    place = np.cumsum(feedback.bucket_starts)[known].astype(np.float64)
    scores = feedback.scores[known]
    counts = np.maximum(np.bincount(lists, minlength=feedback.n_lists), 1)
    scale = max(float(np.abs(scores).max(initial=0.0)), 1e-300)  # absurd scores must not overflow
    scores = scores / scale
    place -= (np.bincount(lists, place, feedback.n_lists) / counts)[lists]
    scores = scores - (np.bincount(lists, scores, feedback.n_lists) / counts)[lists]
    together = np.bincount(lists, place * scores, feedback.n_lists)
    size = np.bincount(lists, np.abs(place * scores), feedback.n_lists)
    return np.where(np.abs(together) > 1e-9 * size, -np.sign(together), 0.0)
