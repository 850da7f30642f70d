"""Normal cardinal scores: a reported score is the item's, plus the grader's bias, plus noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from peerage.errors import MethodError
from peerage.models import thresholds
from peerage.models.base import Estimator, check_choice, check_positive, with_parameters
from peerage.models.checkpoint import NoCheckpoint, search
from peerage.models.feedback_parts import FeedbackParts
from peerage.models.normal import tails
from peerage.models.normal.objective import ScoreObjective, ScoreScales
from peerage.models.normal.reviews import reviews_of, sums
from peerage.models.normal.sampled_traces import WarmStart
from peerage.models.normal.score_parts import ScoreParts, ScoreSettings, reported_scores, score_profile
from peerage.models.normal.variances import Variances, by_moments, learn, next_guess
from peerage.models.solver.mode import Mode
from peerage.models.solver.newton import Outcome, minimise
from peerage.models.solver.profile import PosteriorParts, Profile
from peerage.models.solver.scales import FixedScales, GammaPrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.checkpoint import Checkpoint
    from peerage.models.normal.reviews import Reviews

ROUNDS = 60  # of variances and joint mode in turn
# Scores that follow one grader exactly make that grader's noise vanish, and every other's with it: then the
# variances of equal reliabilities are kept. Real classes stay far from this (dots30: 0.3).
COLLAPSED = 0.01
ROUGH_STEPS = 2  # of Newton's method in a large class, in every round but the last
SETTLED = 1e-3  # change of every log variance at which they suit each other


class ScoreModel(Estimator):
    """What models of reported scores have in common."""

    score_scale = "grading"
    needs_scores = True
    learns_priors = True
    is_smooth = True
    item_attributes = ("scores_", "prior_means_")

    biases_: NDArray[np.float64]
    prior_means_: NDArray[np.float64]
    score_variance_: float
    bias_variance_: float
    noise_variance_: float
    held: Variances | None = None  # variances that another fit has learned
    held_freedom: float | None = None  # degrees of freedom, likewise


@with_parameters
class NormalScores(ScoreModel):
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
    tails : {"learn", "normal"}, default="learn"
        With learned variances: whether the noise follows Student's t where the scores ask for it, so that
        single reviews far out count less (up to 20,000 items), or is normal in any case.
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
        The variances used (bias variance 0 without reliability). Of Student's t the square of its scale.
    noise_freedom_ : float
        Degrees of freedom of the noise: infinity where it is normal.

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

    learning_params = {"variances": "learn"}  # noqa: RUF012 - typed as a class variable by the base

    reliability: bool = False
    variances: Literal["fixed", "learn"] = "fixed"
    tails: Literal["learn", "normal"] = "learn"
    score_variance: float = 9.0
    bias_variance: float = 1.0
    prior_mean: float | None = None
    reliability_shape: float = 10.0
    reliability_rate: float = 10.0
    tol: float = 1e-9
    max_iter: int = 200

    def _validate(self, feedback: Feedback) -> None:
        check_choice("variances", self.variances, ("fixed", "learn"))
        check_choice("tails", self.tails, ("learn", "normal"))
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
        parts = FeedbackParts.of(feedback)
        if self.variances == "fixed":
            self._fit_parts(parts, NoCheckpoint())
            return
        reported = ScoreParts(parts, "NCS")
        weight, total = reported.totals
        self.prior_means_ = self._prior_means(reported)
        reviews = self._reviews(feedback)
        above_mean = total - weight * self.prior_means_
        self.scores_, self.n_iter_ = above_mean / (weight + 1.0), 0  # a first guess on any grading scale
        self.noise_freedom_ = math.inf
        self._learn(feedback, reviews)
        if self.tails == "learn" and feedback.n_items <= thresholds.ROUGH_VARIANCES:
            self._learn_tails(feedback, reviews)
        self.scores_ += self.prior_means_

    def _learn(self, feedback: Feedback, reviews: Reviews) -> None:
        if self.reliability:
            self._learn_with_graders(feedback, reviews)
        else:
            self._learn_without_graders(feedback, reviews)

    def _learn_tails(self, feedback: Feedback, reviews: Reviews) -> None:
        """Weights of reviews far out and the fit in turn, where the class asks for it."""
        before = np.ones(len(reviews.y))
        for turn in range(tails.ROUNDS):
            squares = self._squares(reviews, self.scores_)
            if turn < tails.CHOOSING:
                self.noise_freedom_ = self.held_freedom or tails.best_freedom(squares, reviews.w)
            now = tails.weights(squares, self.noise_freedom_)
            if np.abs(now - before).max() <= tails.SETTLED:
                return
            self._learn(feedback, reviews.counted(now))
            before = now

    def _squares(self, reviews: Reviews, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """z^2 of every review, scores measured from the prior means."""
        graders = np.repeat(np.arange(len(reviews.weight)), np.diff(reviews.starts))
        residual = reviews.y - scores[reviews.items] - self.biases_[graders]
        return np.asarray(self.reliabilities_[graders] * residual**2 / self.noise_variance_)

    def _prior_means(self, reported: ScoreParts) -> NDArray[np.float64]:
        """Where items are without reviews."""
        if self.prior_mean is None:
            return reported.task_means
        return np.full(reported.feedback.n_items, float(self.prior_mean))

    def obstacle_in_parts(self) -> str | None:
        """Learned variances need solutions of equations in all reviews at once."""
        if self.variances == "fixed":
            return None
        return (
            "NCS cannot learn its variances in parts: fit it on one machine, or give the variances, with"
            " variances='fixed', score_variance=… and bias_variance=… (in units of the noise)"
        )

    def _fit_parts(self, feedback: FeedbackParts, checkpoint: Checkpoint) -> None:
        """For given variances."""
        reported = ScoreParts(feedback, "NCS")
        weight, total = reported.totals
        self.prior_means_ = self._prior_means(reported)
        above_mean = total - weight * self.prior_means_
        bias_variance = self.bias_variance if self.reliability else 0.0
        settings = ScoreSettings(
            self.prior_means_, bias_variance, self._prior() if self.reliability else None
        )
        posterior = reported.posterior(settings, self.score_variance)
        if self.reliability:
            joint = search(
                checkpoint,
                "scores",
                lambda: score_profile(posterior),
                lambda: above_mean / (weight + 1.0),
                tol=self.tol,
                max_iter=self.max_iter,
                with_graders=True,
            )
            outcome, (eta, bias) = joint.outcome, joint.by_grader
        else:
            scores = above_mean / (weight + 1.0 / self.score_variance)
            value = Profile(posterior, "fixed").evaluate(scores)
            outcome = Outcome(scores, value, converged=True, n_iter=1)
            eta, bias = np.ones(feedback.n_graders), np.zeros(feedback.n_graders)
        self.score_variance_, self.bias_variance_ = self.score_variance, bias_variance
        self.noise_variance_, self.noise_freedom_ = 1.0, math.inf
        self.objective_, self.converged_, self.n_iter_ = outcome.value, outcome.converged, outcome.n_iter
        self.scores_ = outcome.scores + self.prior_means_
        self.reliabilities_, self.biases_ = eta, bias

    def _prior(self) -> GammaPrior:
        return GammaPrior(self.reliability_shape, self.reliability_rate, 1)

    def mode(self) -> Mode:
        """Where the fitted model stands on its posterior."""
        self._check_fitted()
        used = Variances(self.score_variance_, self.bias_variance_, self.noise_variance_)
        reviews = self._reviews(self.feedback_)
        if not math.isinf(self.noise_freedom_):
            squares = self._squares(reviews, self.scores_ - self.prior_means_)
            share = tails.information(self.noise_freedom_)
            reviews = reviews.counted(share * tails.weights(squares, self.noise_freedom_))
        profile = self._profile(self._objective(reviews, used))
        return Mode(self.scores_, profile, shift=self.prior_means_, unit=used.noise**0.5)

    def take_over(self, fitted: Estimator) -> None:
        """The variances are those of the class as a whole."""
        assert isinstance(fitted, NormalScores)
        self.held = Variances(fitted.score_variance_, fitted.bias_variance_, fitted.noise_variance_)
        self.held_freedom = fitted.noise_freedom_

    def _reviews(self, feedback: Feedback) -> Reviews:
        """Reported scores, measured from the prior means."""
        return reviews_of(feedback, reported_scores(feedback, "NCS")).moved(self.prior_means_, 1.0)

    def _learn_without_graders(self, feedback: Feedback, reviews: Reviews) -> None:
        """No biases, no reliabilities: a closed form."""
        weight = sums(reviews.items, reviews.w, feedback.n_items)
        total = sums(reviews.items, reviews.w * reviews.y, feedback.n_items)
        used = self.held or self._learned(feedback, reviews) or Variances(self.score_variance, 0.0, 1.0)
        objective = self._objective(reviews, used)
        scores = total / used.noise**0.5 / (weight + objective.precision)
        self.objective_ = objective.evaluate(scores, np.ones(feedback.n_graders))
        self.converged_, self.n_iter_ = True, 1
        self._keep(objective, used, scores)

    def _learn_with_graders(self, feedback: Feedback, reviews: Reviews) -> None:
        """Joint mode and variances in turn until each suits the other."""
        if self.held is not None:
            return self._solve(reviews, self.held)
        warm, alike = WarmStart(), np.ones(feedback.n_graders)
        large = feedback.n_items > thresholds.ROUGH_VARIANCES
        known_mean = self.prior_mean is not None
        best = by_moments(reviews, feedback.item_tasks, known_mean=known_mean) if large else None
        best = best or self._learned(feedback, reviews, alike, warm=warm)
        if best is None:
            return self._solve(reviews, Variances(self.score_variance, self.bias_variance, 1.0))
        most = ROUGH_STEPS if large else self.max_iter
        equal, history = best, list[tuple[Variances, Variances]]()
        for _ in range(ROUNDS):
            used = best if not history else next_guess(history)
            self._solve(reviews, used, most)
            best = self._learned(feedback, reviews, self.reliabilities_, used, steps=1, warm=warm) or used
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

    def _profile(self, objective: ScoreObjective) -> Profile:
        """The whole as one part."""
        if not self.reliability:
            return Profile(PosteriorParts.whole(objective, FixedScales(objective)), "fixed")
        return score_profile(PosteriorParts.whole(objective, ScoreScales(objective, self._prior())))

    def _solve(self, reviews: Reviews, used: Variances, max_iter: int = 0) -> None:
        """The joint mode for given variances, from the scores of the round before."""
        objective = self._objective(reviews, used)
        profile = self._profile(objective)
        start = self.scores_ / used.noise**0.5
        most = min(max_iter or self.max_iter, self.max_iter)
        outcome = minimise(profile, start, tol=self.tol, max_iter=most)
        profile.by_grader()  # where the search ended, if the last step was rejected
        self.objective_, self.converged_ = outcome.value, outcome.converged
        self.n_iter_ += outcome.n_iter
        self._keep(objective, used, outcome.scores)

    def _keep(self, objective: ScoreObjective, used: Variances, scores: NDArray[np.float64]) -> None:
        """Back to the grading scale, still measured from the prior means."""
        self.score_variance_, self.bias_variance_, self.noise_variance_ = used
        unit = used.noise**0.5
        self.scores_ = unit * scores
        self.reliabilities_, self.biases_ = objective.scales, unit * objective.bias
