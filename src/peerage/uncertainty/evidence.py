"""Empirical Bayes: the score variance that makes what was seen most likely, by the Laplace evidence.

With theta = (s, log eta) and H the Hessian of minus the log posterior there,
log evidence = log p(feedback, theta at its best) + (dim / 2) log 2 pi - (1/2) log det H.

Only the variance is learned. The evidence also has a maximum in the shape of the reliabilities' prior, but
the wrong one where graders order few items; see docs/explanation/uncertainty.md.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.linalg import LinAlgError
from scipy.special import expit

from peerage.errors import ConvergenceWarning, MethodError
from peerage.models.base import clone
from peerage.models.solver.dense import dot, inverse, multiply
from peerage.uncertainty.precision import cholesky, log_determinant, posterior_precision, raise_to_prior
from peerage.uncertainty.variational import can_average, evidence_bound, fit_normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator
    from peerage.uncertainty.precision import PosteriorPrecision

    Floats = NDArray[np.float64]

DENSE_ITEMS = 1_000
PROBES = 8  # random signs for the log determinant of a large matrix; the same for every prior
# A weak prior of the variance: a t distribution of the scores' standard deviation with three degrees of
# freedom and this mean square. The density of the log variance is highest at a third of it. The prior keeps
# the variance finite where every comparison agrees, and lets it go to zero where none does.
USUAL, CENTRE = 9.0, math.log(3.0)
FASTEST = 0.9  # rate of convergence that is believed
EM_STEPS, NEWTON_STEPS = 4, 8
EQUAL = 1_000.0  # shape of the reliabilities' prior: a standard deviation of 3 %
RANGE, CLOSE = (math.log(0.01), math.log(300.0)), 0.03


def log_evidence(estimator: Estimator) -> float:
    """Log evidence of a fitted BT, THUR, PL or MALS model, larger is better.

    Comparable between priors of one method on one feedback, and between methods on strict lists.
    """
    if estimator.evidence_parameter is None:
        msg = f"{estimator.name} has no prior that the evidence could be compared for"
        raise MethodError(msg)
    mode = estimator.mode()
    precision, prior = posterior_precision(mode), mode.prior
    value = -mode.objective.evaluate(mode.objective.scores, mode.scales)
    value -= 0.5 * len(estimator.scores_) * math.log(estimator.get_params()[estimator.evidence_parameter])
    value -= 0.5 * _log_det(precision, mode.objective.precision)
    if prior is not None:
        eta, (shape, rate) = np.exp(mode.log_reliabilities), (prior.shape, prior.rate)
        density = shape * math.log(rate) - math.lgamma(shape) + shape * np.log(eta) - rate * eta  # of log eta
        value += float(density.sum()) + precision.tangent.log_volume()
    return value


def equal_reliabilities(fitted: Estimator) -> tuple[Estimator, float] | None:
    """The same with all graders equally reliable, and the probability of that beside graders who differ.

    Either is as likely as the other beforehand. None where the posterior cannot be averaged.
    """
    equal = clone(fitted).set_params(reliability_shape=EQUAL, reliability_rate=EQUAL)
    equal = learn_priors(fitted.feedback_, equal)
    bounds = []
    for model in (fitted, equal):
        mode = model.mode()
        nearest = fit_normal(mode, np.random.default_rng(0)) if can_average(mode) else None
        if nearest is None:
            return None
        bounds.append(evidence_bound(mode, nearest, np.random.default_rng(0)))
    return equal, float(expit(bounds[1] - bounds[0]))


def _log_det(precision: PosteriorPrecision, prior: float) -> float:
    n_items = len(precision.held)
    if n_items <= DENSE_ITEMS:
        matrix = precision.dense()
        try:
            factor = cholesky(matrix)
        except LinAlgError:  # no peak: the feedback tells nothing in some direction
            factor = cholesky(raise_to_prior(matrix, prior))
        return float(2.0 * np.log(np.diag(factor)).sum())
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(n_items, PROBES))
    return log_determinant(precision.times, precision.diagonal(), signs)


def learn_priors(feedback: Feedback, estimator: Estimator) -> Estimator:
    """A fitted estimator of the same kind whose priors were learned from the feedback.

    BT, THUR, PL and MALS learn ``score_variance`` by the Laplace evidence; their prior of reliabilities stays
    as given. NCS learns its variances as ``variances="learn"`` does, and Combined always has. Methods without
    priors on scores come back as they are, fitted.
    """
    model = clone(estimator)
    if model.evidence_parameter is None or feedback.n_lists == 0:
        return model.set_params(**model.learning_params).fit(feedback)
    return _VarianceSearch(feedback, model, model.evidence_parameter).best()


class _VarianceSearch:
    """The best variance by Brent's method on its logarithm, every fit begun at the one before."""

    def __init__(self, feedback: Feedback, model: Estimator, parameter: str) -> None:
        self.feedback, self.model, self.parameter = feedback, model, parameter
        self.scores: Any = None
        self.tempered = self._tempered()

    def _tempered(self) -> Feedback:
        """The feedback, every list counting less where the method counts what it says several times over."""
        first = self._fit(CENTRE, self.feedback)
        overlap = posterior_precision(first.mode(), tempered=True).overlap if first.counts_pairs else 1.0
        if overlap == 1.0:
            return self.feedback
        return replace(self.feedback, weights=self.feedback.list_weights / overlap)

    def best(self) -> Estimator:
        """A model with the best variance, fitted."""
        from scipy.optimize import minimize_scalar  # slow to import, and not needed by most

        optimum = minimize_scalar(self._cost, bounds=RANGE, method="bounded", options={"xatol": CLOSE})
        model = self._fit(self._refine(float(optimum.x)), self.feedback)
        model.warm_start, model.prior_learned_ = None, True
        return model

    def _refine(self, log_variance: float) -> float:
        """Nearer to the most likely variance than the evidence of a normal distribution around the mode is.

        That one is a quarter too small where an item has ten comparisons. Where the posterior can be
        averaged, the variance is rather the one that equals the mean square of the scores under it (the fixed
        point of the EM algorithm), sought by steps as long as the known rate of the algorithm allows.
        """
        for _ in range(EM_STEPS):
            fixed_point = self._mean_square(log_variance)
            if fixed_point is None:
                break
            target, rate = fixed_point
            step = (target - log_variance) / (1.0 - min(max(rate, 0.0), FASTEST))
            log_variance = float(np.clip(log_variance + min(max(step, -1.0), 1.0), *RANGE))
            if abs(step) < CLOSE:
                break
        return log_variance

    def _mean_square(self, log_variance: float) -> tuple[float, float] | None:
        """The log of the scores' mean square, averaged over the posterior, and how fast it follows.

        None where the posterior cannot be averaged.
        """
        model = self._fit(log_variance, self.feedback)
        mode = model.mode()
        if self.tempered is not self.feedback or not can_average(mode):
            return None
        approximation = fit_normal(mode, np.random.default_rng(0))
        if approximation is None:
            return None
        try:
            covariance = inverse(cholesky(approximation.precision.dense()))
        except LinAlgError:
            return None
        tasks = self.feedback.item_tasks
        return mean_square(approximation.scores, covariance, tasks, math.exp(-log_variance))

    def _fit(self, log_variance: float, feedback: Feedback) -> Estimator:
        model = clone(self.model).set_params(**{self.parameter: math.exp(log_variance)})
        model.warm_start = self.scores
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a trial; `converged_` tells of the last
            model.fit(feedback)
        self.scores = model.scores_
        return model

    def _cost(self, log_variance: float) -> float:
        doubt = 2.0 * math.log1p(math.exp(log_variance) / USUAL) - 0.5 * log_variance
        return doubt - log_evidence(self._fit(log_variance, self.tempered))


def mean_square(
    scores: Floats, covariance: Floats, tasks: NDArray[np.int32], precision: float
) -> tuple[float, float] | None:
    """The log of the mean square of scores within tasks, and its derivative in the log of their variance.

    A task's mean has its prior, whatever that is, and counts for nothing.
    """
    freedom = len(tasks) - len(np.unique(tasks))
    moves = precision * multiply(covariance, scores[:, None])[:, 0]
    spare = (len(tasks) - freedom) / precision
    square = dot(scores, scores) + float(np.trace(covariance)) - spare
    change = 2.0 * dot(scores, moves) + precision * float((covariance**2).sum()) - spare
    if freedom < 1 or square <= 0:
        return None
    return _with_doubt(math.log(square / freedom), freedom), change / square


def _with_doubt(log_variance: float, freedom: int) -> float:
    """The most likely log variance if so many squares had this mean, the weak prior included."""
    at = log_variance
    for _ in range(NEWTON_STEPS):
        ratio, (slope, curvature) = math.exp(log_variance - at), prior_derivatives(at)
        pull = 0.5 * freedom * (1.0 - ratio) + slope
        at -= pull / (0.5 * freedom * max(ratio, 0.1) + curvature)
    return at


def prior_derivatives(log_variance: float) -> tuple[float, float]:
    """Of minus the log of the weak prior, the first and the second in the log variance."""
    share = 1.0 / (1.0 + USUAL * math.exp(-log_variance))
    return 2.0 * share - 0.5, 2.0 * share * (1.0 - share)
