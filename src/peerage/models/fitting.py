"""Fit a method by its code, or the method that suits the feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from peerage.models.default import choose
from peerage.models.registry import method
from peerage.reading import feedback_of

if TYPE_CHECKING:
    from peerage.feedback import Feedback
    from peerage.models.base import Estimator


def fit(feedback: Feedback | Any, method_code: str | None = None, **params: Any) -> Estimator:
    """Fit a method by its code; without one, the method that suits the feedback.

    `feedback` may also be a file or a table that :func:`peerage.read` can read without being told more.

    >>> from peerage import Feedback, fit
    >>> feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "x"]), ("cyd", ["x", "y"])])
    >>> fit(feedback, "pl+g").grades()["item"].to_list()
    ['x', 'y']
    """
    known = feedback_of(feedback)
    estimator = choose(known).estimator(**params) if method_code is None else method(method_code, **params)
    return estimator.fit(known)
