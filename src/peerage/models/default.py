"""The method Peerage takes when none is asked for, and the sentence that says why."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from peerage._numba import kernel
from peerage._parts import PartialSum
from peerage.models.held_out import orders_help
from peerage.models.registry import method

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.feedback.ranked_lists import Kind
    from peerage.models.base import Estimator
    from peerage.models.feedback_parts import FeedbackParts


@dataclass(frozen=True, slots=True)
class Choice:
    """A method for a kind of feedback."""

    code: str
    reason: str
    params: dict[str, Any] = field(default_factory=dict)

    def estimator(self, **params: Any) -> Estimator:
        """A fresh estimator with the choice's own priors, unless told otherwise."""
        return method(self.code, **{**self.params, **params})


# A tighter prior of the scores and a looser one of reliabilities than the paper's: they gained a little
# accuracy over the paper's on real classes, and never cost any.
_TUNED = {"score_variance": 3.0, "reliability_shape": 5.0, "reliability_rate": 5.0, "identified": True}

CHOICES: dict[Kind, Choice] = {
    "orders": Choice(
        "PL+G",
        "graders gave orders: Plackett-Luce with grader reliability uses whole lists and ties",
        {"ties": "model", **_TUNED},
    ),
    "pairs": Choice(
        "BT+G", "graders compared pairs: Bradley-Terry with grader reliability is the plain choice", _TUNED
    ),
    "scores": Choice(
        "NCS+G",
        "graders gave scores: a normal model with grader bias and reliability uses their sizes too",
        {"variances": "learn"},
    ),
    "orders+scores": Choice(
        "COMBINED+G", "graders gave orders and scores separately: both enter one estimate"
    ),
}


# Ranks that follow from the scores are the same judgement written down twice, and no second one.
NO_NEWS = Choice(
    "NCS+G",
    "graders gave scores, and ranks that never contradict them and so carry no news: a normal model with"
    " grader bias and reliability uses the scores alone",
    {"variances": "learn"},
)


# Ranks may also be the scores written down once more with slips, or be about something else.
NO_HELP = Choice(
    "NCS+G",
    "graders gave orders and scores separately, but the orders do not help to predict the scores of graders"
    " who were left out: a normal model with grader bias and reliability uses the scores alone",
    {"variances": "learn"},
)
HELP = ", and the orders help to predict the scores of graders who were left out"


# Where nobody said whose the lists are, each has a grader of its own: no reliability can be known.
ANONYMOUS: dict[Kind, Choice] = {
    "orders": Choice(
        "PL", "lists without graders: Plackett-Luce uses whole lists and ties", {"ties": "model"}
    ),
    "pairs": Choice("BT", "pairs without graders: Bradley-Terry is the plain choice"),
}


def choose(feedback: Feedback) -> Choice:
    """The default method for this feedback."""
    if feedback.anonymous and feedback.kind in ANONYMOUS:
        return ANONYMOUS[feedback.kind]
    choice = CHOICES[feedback.kind]
    return NO_NEWS if choice.code == "COMBINED+G" and not contradictions(feedback) else choice


def reconsider(choice: Choice, fitted: Estimator) -> tuple[Choice, Estimator]:
    """The default method and its fit; scores alone where held-out scores say that orders do not help."""
    from peerage.models.combined import Combined  # with SciPy, and not needed by most

    if not isinstance(fitted, Combined):
        return choice, fitted
    if orders_help(fitted):
        return replace(choice, reason=choice.reason + HELP), fitted
    return NO_HELP, NO_HELP.estimator().fit(fitted.feedback_)


def choose_parts(source: FeedbackParts) -> Choice:
    """The same for feedback in parts."""
    if source.has_scores:
        kind: Kind = "scores" if source.ordered_by == "score" else "orders+scores"
    else:
        kind = "pairs" if source.longest == 2 and source.n_entries == 2 * source.n_lists else "orders"
    choice = CHOICES[kind]
    if choice.code != "COMBINED+G":
        return choice
    (found,) = source.parts.sum(_count_contradictions).sums
    return choice if found else NO_NEWS


def _count_contradictions(feedback: Feedback) -> PartialSum:
    return PartialSum((contradictions(feedback),))


def contradictions(feedback: Feedback) -> int:
    """How many lists put an item above another to which the same grader gave a higher score."""
    if feedback.scores is None:
        return 0
    return int(_contradictions(feedback.bucket_starts, feedback.list_starts, feedback.scores))


@kernel
def _contradictions(bucket_starts: Any, starts: Any, scores: Any) -> int:
    """Best first, no score may be above the lowest of the tie groups before its own."""
    count = 0
    for which in range(len(starts) - 1):
        before, here = math.inf, math.inf
        for e in range(starts[which], starts[which + 1]):
            if bucket_starts[e]:
                before = min(before, here)
            if math.isnan(scores[e]):
                continue
            if scores[e] > before:
                count += 1
                break
            here = min(here, scores[e])
    return count
