"""Scores and orders given separately, in one posterior."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import MethodError
from peerage.models import thresholds
from peerage.models.base import check_choice, check_positive, with_parameters
from peerage.models.normal.normal_scores import NormalScores, ScoreModel
from peerage.models.normal.objective import ScoreObjective
from peerage.models.normal.reviews import reviews_of
from peerage.models.normal.score_parts import reported_scores
from peerage.models.normal.variances import Variances
from peerage.models.smooth.model import Ties
from peerage.models.smooth.objective import ListObjective
from peerage.models.smooth.plackett_luce import PlackettLuce
from peerage.models.solver.dense import factorise
from peerage.models.solver.mode import Mode
from peerage.models.solver.newton import Outcome, minimise
from peerage.models.solver.profile import PosteriorParts, Profile
from peerage.models.solver.scales import BestScales, FixedScales, GammaPrior
from peerage.models.solver.threads import total

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator
    from peerage.models.solver.objective import Objective

    Floats = NDArray[np.float64]


REACH = 5.0  # how far the log deviation of s may be from that of PlackettLuce
CLOSE = 1e-5  # and how well it is found
NOWHERE = 1e100  # the cost where there is no curvature; finite, since the search takes differences


@with_parameters
class Combined(ScoreModel):
    """Scores and orders by the same graders, from one latent score s_d per item.

    Scores are normal around a line in s, orders are Plackett-Luce in the same s, with the same reliability:

        y ~ Normal(mean + s_d / sharpness + b_g, noise / eta_g)
        log P(list) = - sum_i log(1 + sum over j strictly below i of exp(-eta_g (s_i - s_j)))
        s_d ~ Normal(0, sharpness^2 item_variance), b_g ~ Normal(0, bias_variance), eta_g ~ Gamma(shape, rate)

    Mean and variances are those that ``NormalScores(variances="learn")`` finds in the scores alone. The
    sharpness, how many units of the orders' scale one point of the grading scale is worth, is the one with
    the largest evidence: the probability of orders and scores with s, b and log eta integrated out, by
    Laplace's method. (At the joint mode of all of them it would come out nearly twice too large, and the
    orders would count for too much.) So scores alone would give the estimate of NormalScores, and orders are
    let in as far as they agree with the scores. Given the sharpness, the estimate is the joint mode of s, b
    and eta. It minimises

        sum over reviews with a score of  w (eta_g r^2 / noise - log eta_g) / 2
        - sum over lists of  w log P(list)
        + sum over items of  s_d^2 / (2 sharpness^2 item_variance)
        + sum over graders of  b_g^2 / (2 bias_variance) + rate eta_g - (shape - 1) log eta_g
        + log(sharpness^2 item_variance / score_variance)^2 / 8

    with r = y - mean - s_d / sharpness - b_g and w the weight of the list. The last line keeps the sharpness
    finite when orders and scores agree perfectly: a normal prior with standard deviation 2 on the log
    variance of s, around that of PlackettLuce. Without reliability every eta is 1 and every bias 0.

    Parameters
    ----------
    reliability : bool, default=False
        Estimate a bias and a reliability for every grader.
    ties : {"indifferent", "model"}, default="indifferent"
        As in PlackettLuce.
    score_variance : float, default=9.0
        Where the prior of the variance of s is centred.
    reliability_shape, reliability_rate : float, default=10.0
        Prior eta ~ Gamma(shape, rate).
    tol, max_iter : float, int
        Largest gradient accepted at the optimum, in units of the largest item's evidence; most Newton steps.

    Attributes
    ----------
    scores_ : ndarray of shape (n_items,)
        Posterior-mode scores on the grading scale, mean + s / sharpness.
    reliabilities_, biases_ : ndarray of shape (n_graders,)
    sharpness_ : float
    prior_means_ : ndarray of shape (n_items,)
    item_variance_, bias_variance_, noise_variance_ : float
        On the grading scale, as learned.

    Examples
    --------
    >>> from peerage import Combined, Feedback
    >>> columns = {"rank": [1, 2, 1, 2], "score": [9.0, 6.0, 8.0, 7.5]}
    >>> feedback = Feedback.from_columns(["ada", "ada", "bob", "bob"], ["x", "y", "x", "y"], **columns)
    >>> Combined().fit(feedback).grades()["item"].to_list()
    ['x', 'y']
    """

    needs_orders = True
    held_sharpness = 0.0  # what another fit has found, if any

    reliability: bool = False
    ties: Ties = "indifferent"
    score_variance: float = 9.0
    reliability_shape: float = 10.0
    reliability_rate: float = 10.0
    tol: float = 1e-9
    max_iter: int = 200

    def _validate(self, feedback: Feedback) -> None:
        check_choice("ties", self.ties, ("indifferent", "model"))
        check_positive(score_variance=self.score_variance)
        self._unfitted_alone()._validate(feedback)
        reported_scores(feedback, "Combined")
        if feedback.ordered_by == "score":
            msg = (
                "Combined needs orders given beside the scores, and here the order only follows from the"
                " scores: use NormalScores (NCS or NCS+G), or add the graders' own order as a 'rank' column"
            )
            raise MethodError(msg)

    def scores_alone(self) -> NormalScores:
        """The fit of the scores alone that this one began with."""
        self._check_fitted()
        alone = self._unfitted_alone()
        alone.held = Variances(self.item_variance_, self.bias_variance_, self.noise_variance_)
        return alone.fit(self.feedback_)

    def take_over(self, fitted: Estimator) -> None:
        """Variances and sharpness are those of the class as a whole."""
        assert isinstance(fitted, Combined)
        self.held = Variances(fitted.item_variance_, fitted.bias_variance_, fitted.noise_variance_)
        self.held_sharpness = fitted.sharpness_

    def _unfitted_alone(self) -> NormalScores:
        return NormalScores(
            reliability=self.reliability,
            variances="learn",
            tails="normal",
            reliability_shape=self.reliability_shape,
            reliability_rate=self.reliability_rate,
            tol=self.tol,
            max_iter=self.max_iter,
        )

    def _fit(self, feedback: Feedback) -> None:
        first = self._unfitted_alone()
        first.held = self.held
        first._fit(feedback)  # not `fit`: if it does not converge, this model is the one to say so
        self.prior_means_, self.item_variance_ = first.prior_means_, first.score_variance_
        self.bias_variance_, self.noise_variance_ = first.bias_variance_, first.noise_variance_
        start = (first.scores_ - first.prior_means_) / first.score_variance_**0.5
        search = _SharpnessSearch(self, feedback, start)
        if self.held_sharpness:
            log_deviation = search.solve_at(self.held_sharpness * self.item_variance_**0.5)
        else:
            log_deviation = search.best()
        self.sharpness_ = float(np.exp(log_deviation)) / self.item_variance_**0.5
        self.scores_ = self.prior_means_ + search.outcome.scores / self.sharpness_
        self.reliabilities_ = search.scales
        self.biases_ = search.bias * self.noise_variance_**0.5
        self.objective_ = search.outcome.value + search.prior_value(log_deviation)
        self.converged_ = search.outcome.converged and first.converged_
        self.n_iter_ = search.n_iter

    def mode(self) -> Mode:
        """Where the fitted model stands on its posterior, the sharpness held."""
        self._check_fitted()
        both = _OrdersAndScores(self, self.feedback_)
        profile = both.profile(self.sharpness_ * self.item_variance_**0.5)
        profile.start = self.reliabilities_
        return Mode(self.scores_, profile, shift=self.prior_means_, unit=1 / self.sharpness_)


class _OrdersAndScores:
    """Both as objectives of the same s, for any standard deviation of s."""

    def __init__(self, model: Combined, feedback: Feedback) -> None:
        self.model, self.n_items = model, feedback.n_items
        reported = reported_scores(feedback, "Combined")
        self.reviews = reviews_of(feedback, reported).moved(model.prior_means_, model.noise_variance_**0.5)
        self.orders: ListObjective = PlackettLuce(ties=model.ties, score_variance=1.0).objective(feedback)
        self.scores: ScoreObjective

    def profile(self, deviation: float) -> Profile:
        """The joint objective, reliabilities eliminated where they are estimated."""
        model = self.model
        self.orders.precision = deviation**-2
        self.scores = ScoreObjective(
            self.reviews,
            self.n_items,
            precision=0.0,
            bias_variance=model.bias_variance_ / model.noise_variance_,
            slope=(model.item_variance_ / model.noise_variance_) ** 0.5 / deviation,
        )
        both = SumObjective(self.orders, self.scores)
        if not model.reliability:
            return Profile(PosteriorParts.whole(both, FixedScales(both)), "fixed")
        prior = GammaPrior(model.reliability_shape, model.reliability_rate, 1)
        return Profile(PosteriorParts.whole(both, BestScales(both, prior)), "free")


class _SharpnessSearch:
    """The joint mode for a given standard deviation of s, and the deviation with the largest evidence."""

    outcome: Outcome
    profile: Profile

    def __init__(self, model: Combined, feedback: Feedback, start: NDArray[np.float64]) -> None:
        self.model, self.both = model, _OrdersAndScores(model, feedback)
        self.start = start  # in units of the deviation
        self.scales = np.ones(feedback.n_graders)
        self.bias = np.zeros(feedback.n_graders)
        self.n_iter, self.n_items = 0, feedback.n_items

    def best(self) -> float:
        """The log of the deviation with the largest evidence, solved there."""
        from scipy.optimize import minimize_scalar  # slow to import, and not needed by most

        centre = 0.5 * float(np.log(self.model.score_variance))
        options = {"xatol": CLOSE, "maxiter": 60}
        bounds = (centre - REACH, centre + REACH)
        found = minimize_scalar(self.cost, bounds=bounds, method="bounded", options=options)
        return self.solve_at(float(np.exp(found.x)))

    def solve_at(self, deviation: float) -> float:
        """The joint mode for this deviation, whose log is returned."""
        self._solve(deviation)
        return math.log(deviation)

    def cost(self, log_deviation: float) -> float:
        """Minus the log evidence of a deviation, constants left out, with its prior."""
        self._solve(float(np.exp(log_deviation)))
        curvature = self._log_det() + 2.0 * self.n_items * log_deviation  # s in units of the deviation
        if self.model.reliability:
            eta = self.scales
            curvature += float(np.log(self.profile.part.solver.scale_curvature * eta**2).sum())
            weight, spread = self.both.reviews.weight, self.both.scores.bias_variance
            curvature += float(np.log1p(weight * spread * eta).sum())  # of the biases
        cost = self.outcome.value + 0.5 * curvature + self.prior_value(log_deviation)
        return cost if math.isfinite(cost) else NOWHERE

    def _log_det(self) -> float:
        """Of the Hessian in s, reliabilities and biases eliminated; by its diagonal where the class is large.

        Beside the diagonal stands little that depends on the deviation: a list has as many items as it has.
        """
        if self.n_items <= thresholds.EXACT_DETERMINANT:
            matrix = self.profile.hessian()
            if factorise(matrix):
                return 2.0 * float(np.log(np.diag(matrix)).sum())
        return float(np.log(self.profile.diagonal()).sum())

    def prior_value(self, log_deviation: float) -> float:
        """Minus the log of the sharpness's prior."""
        return 0.5 * (log_deviation - 0.5 * float(np.log(self.model.score_variance))) ** 2

    def _solve(self, deviation: float) -> None:
        self.profile = self.both.profile(deviation)
        self.profile.start = self.scales
        tol, max_iter = self.model.tol, self.model.max_iter
        self.outcome = minimise(self.profile, self.start * deviation, tol=tol, max_iter=max_iter)
        self.n_iter += self.outcome.n_iter
        self.start, (self.scales, *_) = self.outcome.scores / deviation, self.profile.by_grader()
        self.bias = self.both.scores.bias


class SumObjective:
    """Implements `Objective`: F = F1 + F2 + ..., each part with its own share of the priors."""

    def __init__(self, *parts: Objective) -> None:
        self.parts = parts
        self.n_items, self.n_graders = parts[0].n_items, parts[0].n_graders
        self.precision = sum(part.precision for part in parts)
        self.scores, self.scales = np.zeros(self.n_items), np.ones(self.n_graders)

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.parts)

    @cached_property
    def most_evidence(self) -> float:
        return sum(part.most_evidence for part in self.parts)

    def evaluate(self, scores: Floats, scales: Floats) -> float:
        """Move to a point; the value there, priors of reliabilities not included."""
        self.scores, self.scales = scores, scales
        return sum(part.evaluate(scores, scales) for part in self.parts)

    def gradient(self) -> Floats:
        return total(part.gradient() for part in self.parts)

    def scale_gradient(self) -> Floats:
        return total(part.scale_gradient() for part in self.parts)

    def scale_derivatives(self) -> tuple[Floats, Floats]:
        parts = [part.scale_derivatives() for part in self.parts]
        return total(first for first, _ in parts), total(second for _, second in parts)

    def mixed_by_grader(self, direction: Floats) -> Floats:
        return total(part.mixed_by_grader(direction) for part in self.parts)

    def mixed_by_item(self, moves: Floats) -> Floats:
        return total(part.mixed_by_item(moves) for part in self.parts)

    def add_mixed(self, moves: Floats, by_item: Floats) -> None:
        by_item += self.mixed_by_item(moves)

    def mixed_matrix(self) -> Floats:
        return total(part.mixed_matrix() for part in self.parts)

    def sparse_mixed(self) -> csr_array:
        return _added(part.sparse_mixed() for part in self.parts)

    def hessian_product(self, direction: Floats) -> Floats:
        return total(part.hessian_product(direction) for part in self.parts)

    def hessian_products(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        first, *others = (part.hessian_products(columns) for part in self.parts)
        return sum(others, start=first)

    def hessian(self) -> Floats:
        return total(part.hessian() for part in self.parts)

    def sparse_hessian(self) -> csr_array:
        return _added(part.sparse_hessian() for part in self.parts)

    def diagonal(self) -> Floats:
        return total(part.diagonal() for part in self.parts)

    def exact_diagonal(self) -> Floats:
        return total(part.exact_diagonal() for part in self.parts)

    def probed_diagonal(self, seed: int) -> Floats:
        """Never sampled: the exact one is cheap."""
        return self.diagonal()

    def reviews_by_grader(self) -> NDArray[np.int64]:
        """How many items every grader has judged, in the part that knows of most."""
        return np.asarray(np.max([part.reviews_by_grader() for part in self.parts], axis=0))

    def overlap(self, diagonal: Floats) -> float:
        """The parts are taken as independent of each other."""
        return 1.0


def _added(parts: Iterable[csr_array]) -> csr_array:
    first, *others = parts
    return sum(others, start=first)
