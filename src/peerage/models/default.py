"""The method Peerage takes when none is asked for, and the sentence that says why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from peerage.models.registry import method

if TYPE_CHECKING:
    from peerage.feedback import Feedback, Kind
    from peerage.models.base import Estimator


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


def choose(feedback: Feedback) -> Choice:
    """The default method for this feedback."""
    return CHOICES[feedback.kind]
