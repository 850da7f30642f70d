"""Normal cardinal scores: a reported score is the item's, plus the grader's bias, plus noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from peerage.errors import MethodError
from peerage.models.base import Estimator, check_choice, check_positive
from peerage.models.normal.objective import ScoreObjective
from peerage.models.normal.probed import Begun
from peerage.models.normal.profile import ScoreProfile
from peerage.models.normal.reported import item_totals, reported_scores, task_means
from peerage.models.normal.reviews import reviews_of
from peerage.models.normal.variances import Variances, by_moments, learn, next_guess
from peerage.models.solver.mode import Mode
from peerage.models.solver.newton import Outcome, minimise
from peerage.models.solver.prior import GammaPrior
from peerage.models.solver.profile import FixedScales
from peerage.models.source import NoJournal, in_parts, search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.normal.reviews import Reviews
    from peerage.models.source import Journal, Source


ROUNDS = 60  # of variances and joint mode in turn
# Scores that follow one grader exactly make that grader's noise vanish, and every other's with it: then the
# variances of equal reliabilities are kept. Real classes stay far from this (dots30: 0.3).
COLLAPSED = 0.01
LARGE_ITEMS = 20_000  # from here on, rounds begin at rough variances and go only some steps before the last
LARGE_STEPS = 2
SETTLED = 1e-3  # change of every log variance at which they suit each other


class NormalScores(Estimator):
    """Normal model of reported scores: y ~ Normal(s_d + b_g, noise variance / eta_g).

    The estimate is the joint mode of item scores s, biases b and reliabilities eta. It minimises

        sum over reviews of  w (eta_g r^2 / noise - log eta_g) / 2,    r = y - s_d - b_g
        + sum over items of  (s_d - mean)^2 / (2 score_variance)
        + sum over graders of  b_g^2 / (2 bias_variance) + rate eta_g - (shape - 1) log eta_g

    with w the weight of the list; constants that depend on the variances alone are left out. Without
    reliability every eta is 1 and every bias 0, and only r^2 and the items' prior remain. A grader has one
    bias and one reliability over all tasks. Reviews without a score are passed over.

    Parameters
    ----------
    reliability : bool, default=False
        Estimate a bias and a reliability for every grader.
    variances : {"fixed", "learn"}, default="fixed"
        With "fixed" the noise variance is 1, the other two are as given: the model of the paper. With "learn"
        all three come from the data, by restricted maximum likelihood of the linear mixed model
        item + bias + noise (without reliability: item + noise), with a weak prior, Normal(0, 3^2), on the
        logarithms of score variance / noise and bias variance / noise. The noise of a grader's review is then
        relative to its reliability: variances are learned at the reliabilities, reliabilities at the
        variances, in turn until no variance changes by more than a thousandth. Learned variances follow the
        grading scale, whatever it is.
    score_variance : float, default=9.0
        Prior variance of the items' scores ("learn" uses it only where the scores cannot tell).
    bias_variance : float, default=1.0
        Prior variance of the biases, likewise. 1 makes a typical bias as large as the noise of one review,
        whose precision has prior mean 1.
    prior_mean : float or None, default=None
        Prior mean of the items' scores; None takes the mean reported score of the task.
    reliability_shape, reliability_rate : float, default=10.0
        Prior eta ~ Gamma(shape, rate).
    tol, max_iter : float, int
        Largest gradient accepted at the optimum, in units of the largest item's evidence; most Newton steps.

    Attributes
    ----------
    scores_ : ndarray of shape (n_items,)
        Posterior-mode scores, on the grading scale. An item without scores gets the prior mean.
    reliabilities_, biases_ : ndarray of shape (n_graders,)
        A positive bias is a lenient grader.
    prior_means_ : ndarray of shape (n_items,)
    score_variance_, bias_variance_, noise_variance_ : float
        The variances used (bias variance 0 without reliability).

    References
    ----------
    Raman & Joachims, Methods for Ordinal Peer Grading, KDD 2014, section 5.1.

    Examples
    --------
    >>> from peerage import Feedback, NormalScores
    >>> feedback = Feedback.from_columns(["ada", "bob", "bob"], ["x", "x", "y"], score=[8.0, 6.0, 5.0])
    >>> NormalScores(reliability=True).fit(feedback).grades()["item"].to_list()
    ['x', 'y']
    """

    score_scale = "grading"
    needs_scores = True
    learns_priors = True
    learning_params = {"variances": "learn"}  # noqa: RUF012 - typed as a class variable by the base
    is_smooth = True
    item_attributes = ("scores_", "prior_means_")

    biases_: NDArray[np.float64]
    prior_means_: NDArray[np.float64]
    score_variance_: float
    bias_variance_: float
    noise_variance_: float
    held: Variances | None = None  # variances that another fit has learned

    def __init__(
        self,
        *,
        reliability: bool = False,
        variances: Literal["fixed", "learn"] = "fixed",
        score_variance: float = 9.0,
        bias_variance: float = 1.0,
        prior_mean: float | None = None,
        reliability_shape: float = 10.0,
        reliability_rate: float = 10.0,
        tol: float = 1e-9,
        max_iter: int = 200,
    ) -> None:
        self.reliability = reliability
        self.variances = variances
        self.score_variance = score_variance
        self.bias_variance = bias_variance
        self.prior_mean = prior_mean
        self.reliability_shape = reliability_shape
        self.reliability_rate = reliability_rate
        self.tol = tol
        self.max_iter = max_iter

    def _validate(self, feedback: Feedback) -> None:
        check_choice("variances", self.variances, ("fixed", "learn"))
        check_positive(
            score_variance=self.score_variance,
            bias_variance=self.bias_variance,
            reliability_shape=self.reliability_shape,
            reliability_rate=self.reliability_rate,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        if self.prior_mean is not None and not np.isfinite(self.prior_mean):
            msg = f"prior_mean must be a finite number or None, not {self.prior_mean!r}"
            raise MethodError(msg)
        if self.reliability and self.reliability_shape < 1:
            shape = self.reliability_shape
            msg = f"reliability_shape must be at least 1 for the prior to have a mode, not {shape!r}"
            raise MethodError(msg)

    def _fit(self, feedback: Feedback) -> None:
        source = in_parts(feedback) if self.variances == "fixed" and feedback.scores is not None else None
        if source is not None:
            self._fit_parts(source, NoJournal())
            return
        reported = reported_scores(feedback, "NCS")
        weight, total = item_totals(feedback, reported)
        self.prior_means_ = (
            task_means(feedback, weight, total)
            if self.prior_mean is None
            else np.full(feedback.n_items, float(self.prior_mean))
        )
        reviews = self._reviews(feedback, reported)
        above_mean = total - weight * self.prior_means_
        self.scores_, self.n_iter_ = above_mean / (weight + 1.0), 0  # a first guess on any grading scale
        if self.reliability:
            self._fit_graders(feedback, reviews)
        else:
            self._fit_items(feedback, reviews, weight, above_mean)
        self.scores_ += self.prior_means_

    def obstacle_in_parts(self) -> str | None:
        """Learned variances need solutions of equations in all reviews at once."""
        if self.variances == "fixed":
            return None
        return (
            "NCS cannot learn its variances in parts: fit it on one machine, or give the variances, with"
            " variances='fixed', score_variance=… and bias_variance=… (in units of the noise)"
        )

    def _fit_source(self, source: Source, journal: Journal) -> None:
        self._fit_parts(source, journal)

    def _fit_parts(self, source: Source, journal: Journal) -> None:
        """For given variances, in parts, wherever they are."""
        from peerage.models.normal.score_parts import ScoreParts  # small classes do without

        of_parts = ScoreParts(self, source)
        weight, total = of_parts.totals
        self.prior_means_ = of_parts.prior_means
        above_mean = total - weight * self.prior_means_
        bias_variance = self.bias_variance if self.reliability else 0.0
        used = Variances(self.score_variance, bias_variance, 1.0)
        if self.reliability:
            found = search(
                journal,
                "scores",
                of_parts.profile,
                lambda: above_mean / (weight + 1.0),
                tol=self.tol,
                max_iter=self.max_iter,
                with_graders=True,
            )
            outcome, (eta, bias) = found.outcome, found.graders
        else:
            scores = above_mean / (weight + 1.0 / self.score_variance)
            outcome = Outcome(scores, of_parts.fixed().evaluate(scores), converged=True, n_iter=1)
            eta, bias = np.ones(source.n_graders), np.zeros(source.n_graders)
        self.score_variance_, self.bias_variance_, self.noise_variance_ = used
        self.objective_, self.converged_, self.n_iter_ = outcome.value, outcome.converged, outcome.n_iter
        self.scores_ = outcome.scores + self.prior_means_
        self.reliabilities_, self.biases_ = eta, bias

    def mode(self) -> Mode:
        """Where the fitted model stands on its posterior."""
        self._check_fitted()
        used = Variances(self.score_variance_, self.bias_variance_, self.noise_variance_)
        reviews = self._reviews(self.feedback_, reported_scores(self.feedback_, "NCS"))
        objective = self._objective(reviews, used)
        profile = self._profile(objective) if self.reliability else FixedScales(objective)
        return Mode.at(self.scores_, profile, shift=self.prior_means_, unit=used.noise**0.5)

    def take_over(self, fitted: Estimator) -> None:
        """The variances are those of the class as a whole."""
        assert isinstance(fitted, NormalScores)
        self.held = Variances(fitted.score_variance_, fitted.bias_variance_, fitted.noise_variance_)

    @property
    def _knows_variances(self) -> bool:
        return self.held is not None or self.variances == "fixed"

    def _reviews(self, feedback: Feedback, reported: NDArray[np.float64]) -> Reviews:
        """Reported scores, measured from the prior means."""
        return reviews_of(feedback, reported).moved(self.prior_means_, 1.0)

    def _fit_items(
        self, feedback: Feedback, reviews: Reviews, weight: NDArray[np.float64], total: NDArray[np.float64]
    ) -> None:
        """No biases, no reliabilities: a closed form."""
        given = self.held or Variances(self.score_variance, 0.0, 1.0)
        used = given if self._knows_variances else self._learned(feedback, reviews) or given
        objective = self._objective(reviews, used)
        scores = total / used.noise**0.5 / (weight + objective.precision)
        self.objective_ = objective.evaluate(scores, np.ones(feedback.n_graders))
        self.converged_, self.n_iter_ = True, 1
        self._keep(objective, used, scores)

    def _fit_graders(self, feedback: Feedback, reviews: Reviews) -> None:
        """The joint mode; with learned variances, mode and variances in turn until each suits the other."""
        given = self.held or Variances(self.score_variance, self.bias_variance, 1.0)
        if self._knows_variances:
            return self._solve(reviews, given)
        begun, alike = Begun(), np.ones(feedback.n_graders)
        large = feedback.n_items > LARGE_ITEMS
        known_mean = self.prior_mean is not None
        best = by_moments(reviews, feedback.item_tasks, known_mean=known_mean) if large else None
        best = best or self._learned(feedback, reviews, alike, begun=begun)
        if best is None:
            return self._solve(reviews, given)
        most = LARGE_STEPS if large else self.max_iter
        equal, history = best, list[tuple[Variances, Variances]]()
        for _ in range(ROUNDS):
            used = best if not history else next_guess(history)
            self._solve(reviews, used, most)
            best = self._learned(feedback, reviews, self.reliabilities_, used, steps=1, begun=begun) or used
            if not all(part > 0.0 for part in best) or best.noise < COLLAPSED * equal.noise:
                return self._solve(reviews, self._learned(feedback, reviews, alike) or equal)
            history.append((used, best))
            if np.abs(np.log(best) - np.log(used)).max() <= SETTLED:
                if self.converged_ or most == self.max_iter:
                    return None
                most = self.max_iter
        self.converged_ = False
        return None

    def _learned(
        self,
        feedback: Feedback,
        reviews: Reviews,
        eta: NDArray[np.float64] | None = None,
        start: Variances | None = None,
        **options: Any,
    ) -> Variances | None:
        known = self.prior_mean is not None
        return learn(reviews, feedback.item_tasks, eta, start, known_mean=known, **options)

    def _objective(self, reviews: Reviews, used: Variances) -> ScoreObjective:
        """In units of the noise."""
        return ScoreObjective(
            reviews if used.noise == 1.0 else reviews._replace(y=reviews.y / used.noise**0.5),
            len(self.scores_),
            precision=used.noise / used.item,
            bias_variance=used.bias / used.noise,
        )

    def _profile(self, objective: ScoreObjective) -> ScoreProfile:
        """Reliabilities at their best, and steps that are sensible on any grading scale."""
        profile = ScoreProfile(objective, GammaPrior(self.reliability_shape, self.reliability_rate, 1))
        profile.step_limit = float(np.std(objective.reviews.y)) or profile.step_limit
        return profile

    def _solve(self, reviews: Reviews, used: Variances, max_iter: int = 0) -> None:
        """The joint mode for given variances, from the scores of the round before."""
        objective = self._objective(reviews, used)
        start = self.scores_ / used.noise**0.5
        most = min(max_iter or self.max_iter, self.max_iter)
        outcome = minimise(self._profile(objective), start, tol=self.tol, max_iter=most)
        self.objective_, self.converged_ = outcome.value, outcome.converged
        self.n_iter_ += outcome.n_iter
        self._keep(objective, used, outcome.scores)

    def _keep(self, objective: ScoreObjective, used: Variances, scores: NDArray[np.float64]) -> None:
        """Back to the grading scale, still measured from the prior means."""
        self.score_variance_, self.bias_variance_, self.noise_variance_ = used
        unit = used.noise**0.5
        self.scores_ = unit * scores
        self.reliabilities_, self.biases_ = objective.scales, unit * objective.bias
