"""The Plackett-Luce model."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.models.smooth.list_parts import ListParts
from peerage.models.smooth.model import SmoothModel, Ties, logistic, smooth_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.checkpoint import Checkpoint
    from peerage.models.feedback_parts import FeedbackParts
    from peerage.models.solver.mode import Mode

UNITS = 3.0  # largest change, in logarithms, of the unit of scores that ties had a say in


@smooth_model
class PlackettLuce(SmoothModel):
    """Plackett-Luce model: a list is built from the top, each item drawn with odds exp(eta s_i).

    log P(list) = - sum_i log(1 + sum over j strictly below i of exp(-eta (s_i - s_j)))

    Parameters
    ----------
    ties : {"indifferent", "model"}, default="indifferent"
        Items tied with i stay out of its sum, or join it. The latter is no distribution over orders with
        ties: good for the order of the scores, but it does not tell how sure they are, nor reliabilities:
        with ``identified=True`` these and the unit of the scores come from ``ties="indifferent"``.
    $MARGIN
    $PARAMETERS

    Attributes
    ----------
    $ATTRIBUTES

    References
    ----------
    Raman & Joachims, Methods for Ordinal Peer Grading, KDD 2014, section 4.4 and its tie variant.

    Examples
    --------
    >>> from peerage import Feedback, PlackettLuce
    >>> feedback = Feedback.from_orders([("ada", ["x", "y", "z"]), ("bob", ["x", "z", "y"])])
    >>> PlackettLuce().fit(feedback).grades()["item"].to_list()
    ['x', 'y', 'z']
    """

    inverse_link = staticmethod(logistic)
    strict_lists_know_no_ties = True

    is_choices, value_and_gradient, hessian_product = True, None, None

    ties: Ties = "indifferent"
    margin: bool = False

    def options(self) -> tuple[Any, ...]:
        """What the kernels are told: whether tied items share a denominator."""
        return (self.ties == "model",)

    @property
    def scale_is_free(self) -> bool:
        """Modelled ties have no scale that means anything, with reliabilities or without."""
        return super().scale_is_free or (self.ties == "model" and not self.margin)

    def _borrows(self, has_ties: bool) -> bool:
        """Whether all but the order of the scores comes from lists whose ties say nothing."""
        return self.identified and self.ties == "model" and not self.margin and has_ties

    def _without_ties(self) -> PlackettLuce:
        """The same with ties that say nothing."""
        twin = PlackettLuce(**{**self.get_params(), "ties": "indifferent"})
        twin.warm_start = getattr(self, "scores_", self.warm_start)
        return twin

    def _fit_parts(self, feedback: FeedbackParts, checkpoint: Checkpoint) -> None:
        """With modelled ties whose scale is borrowed, the scores for given reliabilities, then their unit."""
        if not self._borrows(feedback.n_ties > 0):
            super()._fit_parts(feedback, checkpoint)
            return
        twin = self._without_ties()
        twin._fit_parts(feedback, checkpoint)
        with_ties = ListParts(self, feedback, reliability=False)
        scales, scores = twin.reliabilities_, twin.scores_
        search = self._search(
            checkpoint, "ties", lambda: with_ties.fixed(scales), lambda: scores, tol=self.tol
        )
        outcome = search.outcome
        indifferent = ListParts(twin, feedback, reliability=False).fixed(scales)
        unit = best_unit(indifferent.evaluate, outcome.scores)
        self.scores_, self.reliabilities_ = outcome.scores * unit, twin.reliabilities_
        self.objective_, self.n_iter_ = outcome.value, twin.n_iter_ + outcome.n_iter
        self.converged_ = twin.converged_ and outcome.converged

    def mode(self) -> Mode:
        """Where the fitted model stands on its posterior; if borrowed, that of ties that say nothing."""
        self._check_fitted()
        if not self._borrows(not self.feedback_.bucket_starts.all()):
            return super().mode()
        twin = self._without_ties()
        twin._fit(self.feedback_)
        twin.feedback_ = self.feedback_
        mode = twin.mode()
        mode.order = self.scores_
        return mode


def best_unit(value: Callable[[NDArray[np.float64]], float], scores: NDArray[np.float64]) -> float:
    """The factor by which scores are likeliest."""
    from scipy.optimize import minimize_scalar  # slow to import, and not needed by most

    found = minimize_scalar(
        lambda log_unit: value(math.exp(log_unit) * scores),
        bounds=(-UNITS, UNITS),
        method="bounded",
        options={"xatol": 1e-8},
    )
    return math.exp(float(found.x))
