"""Empirical Bayes: priors that make what was seen most likely, by the Laplace approximation of the evidence.

With theta = (s, log eta) and H the Hessian of minus the log posterior there,
log evidence = log p(feedback, theta at its best) + (dim / 2) log 2 pi - (1/2) log det H.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.linalg import LinAlgError, cholesky
from scipy.optimize import minimize
from scipy.special import gammaln

from peerage.errors import ConvergenceWarning, MethodError
from peerage.models._smooth import SmoothModel
from peerage.models.base import clone
from peerage.models.normal_scores import NormalScores
from peerage.uncertainty._curvature import curvature_of, overlapping
from peerage.uncertainty._lanczos import log_determinant
from peerage.uncertainty._place import place_of

if TYPE_CHECKING:
    from scipy import sparse

    from peerage.feedback import Feedback
    from peerage.models.base import Estimator

DENSE_ITEMS = 1_000
PROBES = 16  # random signs for the log determinant of a large matrix; the same for every prior
# Weak priors of the priors, on the log scale: centre and standard deviation. They decide only where the
# feedback cannot, and keep the variance finite where every comparison agrees.
VARIANCE = (math.log(3.0), 1.5)
SHAPE = (math.log(8.0), 1.0)
LEAST_SHAPE = 1.5
STEPS = 40


def log_evidence(estimator: SmoothModel) -> float:
    """Log evidence of a fitted BT, THUR, PL or MALS model, larger is better.

    Comparable between priors of one method on one feedback, and between methods on strict lists.
    """
    place = place_of(estimator)
    curvature = curvature_of(place)
    value = -place.objective.evaluate(estimator.scores_, place.landscape.scales)
    value -= 0.5 * len(estimator.scores_) * math.log(estimator.score_variance)
    value -= 0.5 * _log_det(curvature.scores)
    if estimator.reliability:
        shape, rate = estimator.reliability_shape, estimator.reliability_rate
        eta = estimator.reliabilities_
        density = shape * math.log(rate) - gammaln(shape) + shape * np.log(eta) - rate * eta  # of log eta
        value += float(density.sum() + 0.5 * np.log(2 * math.pi / curvature.stiffness).sum())
    return value


def _log_det(matrix: sparse.csr_array) -> float:
    if matrix.shape[0] <= DENSE_ITEMS:
        try:
            factor = cholesky(matrix.toarray(), lower=True, check_finite=False)
        except LinAlgError:
            return math.inf  # no maximum here: this prior is not one to choose
        return float(2.0 * np.log(np.diag(factor)).sum())
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(matrix.shape[0], PROBES))
    return log_determinant(lambda v: matrix @ v, matrix.diagonal(), signs)


def learn_priors(feedback: Feedback, estimator: Estimator) -> Estimator:
    """A fitted estimator of the same kind whose priors were learned from the feedback.

    BT, THUR, PL and MALS learn ``score_variance`` and, with reliabilities, ``reliability_shape`` =
    ``reliability_rate`` by the Laplace evidence. NCS learns its variances as ``variances="learn"`` does, and
    Combined always has. Methods without priors on scores come back as they are, fitted.
    """
    model = clone(estimator)
    if isinstance(model, NormalScores):
        return model.set_params(variances="learn").fit(feedback)
    if not isinstance(model, SmoothModel) or feedback.n_lists == 0:
        return model.fit(feedback)
    return _Search(feedback, model).best()


class _Search:
    """The best priors by Nelder and Mead's method on their logarithms, every fit begun at the one before."""

    def __init__(self, feedback: Feedback, model: SmoothModel) -> None:
        self.feedback, self.model = feedback, model
        self.scores: Any = None
        self.tempered = self._tempered()

    def _tempered(self) -> Feedback:
        """The feedback, every list counting less where the method counts what it says several times over.

        Otherwise pairs of a list that err together would look like graders of very different reliability.
        """
        first = self._fit([math.log(3.0), math.log(5.0)], self.feedback)
        if not overlapping(first):
            return self.feedback
        overlap = curvature_of(place_of(first), pairs=True).overlap
        return replace(self.feedback, weights=self.feedback.list_weights / overlap)

    def best(self) -> SmoothModel:
        centre = [VARIANCE[0], SHAPE[0]] if self.model.reliability else [VARIANCE[0]]
        corners = np.vstack([centre, centre + 0.7 * np.eye(len(centre))])
        options = {"initial_simplex": corners, "maxfev": STEPS, "xatol": 0.03, "fatol": 0.02}
        found = minimize(self._cost, centre, method="Nelder-Mead", options=options)
        model = self._fit(found.x, self.feedback)
        model.warm_start = None
        return model

    def _fit(self, logs: Any, feedback: Feedback) -> SmoothModel:
        model = clone(self.model)
        if not isinstance(model, SmoothModel):
            msg = f"{model!r} has no priors to learn"
            raise MethodError(msg)
        model.set_params(score_variance=float(np.exp(logs[0])))
        if model.reliability:
            shape = LEAST_SHAPE + float(np.exp(logs[1]))
            model.set_params(reliability_shape=shape, reliability_rate=shape)
        model.warm_start = self.scores
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", ConvergenceWarning
            )  # a trial; the final fit is judged by its users
            model.fit(feedback)
        self.scores = model.scores_
        return model

    def _cost(self, logs: Any) -> float:
        hyper = [VARIANCE, SHAPE][: len(logs)]
        doubt = sum(0.5 * ((log - mid) / sd) ** 2 for log, (mid, sd) in zip(logs, hyper, strict=True))
        return float(doubt) - log_evidence(self._fit(logs, self.tempered))


def probability_priors(feedback: Feedback) -> Literal["learn", "given"]:
    """Which priors probabilities and intervals should rest on, for this feedback; see docs/uncertainty.md."""
    return "learn"
