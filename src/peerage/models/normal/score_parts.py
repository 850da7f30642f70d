"""Reported scores in parts, runs of graders: sums by item, and searches over biases and reliabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._parts import Told
from peerage.models.normal.objective import ScoreObjective
from peerage.models.normal.profile import ScoreProfile
from peerage.models.normal.reported import check_largest, item_totals, largest_score, squared_deviations
from peerage.models.normal.reported import task_means as means_by_task
from peerage.models.normal.reviews import reviews_of
from peerage.models.solver.dense import dot
from peerage.models.solver.orders import Part
from peerage.models.solver.parted import PartedProfile, PartsPosterior
from peerage.models.solver.points import point_ahead
from peerage.models.solver.prior import GammaPrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator
    from peerage.models.normal.normal_scores import NormalScores
    from peerage.models.solver.orders import Back, Order
    from peerage.models.source import Source

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """What a part is told: prior means of the items, and the priors of graders where these have a say."""

    prior_means: Floats
    bias_variance: float
    prior: GammaPrior | None


class ScorePart(Part):
    """Implements `Part` for reported scores: reliabilities have a closed form, and need not be told."""

    def __init__(self, feedback: Feedback, settings: ScoreSettings) -> None:
        super().__init__()
        self.feedback, self.settings = feedback, settings
        assert feedback.scores is not None
        reviews = reviews_of(feedback, feedback.scores).moved(settings.prior_means, 1.0)
        self.objective = ScoreObjective(
            reviews, feedback.n_items, precision=0.0, bias_variance=settings.bias_variance, n_runs=1
        )
        self.profile = None if settings.prior is None else ScoreProfile(self.objective, settings.prior)
        self.scores, self.value = np.empty(0), 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy knows the reviews, and has to be told where to stand."""
        return ScorePart, (self.feedback, self.settings)

    def __sizeof__(self) -> int:
        """Of all arrays: others decide by it whether there is room."""
        own = sum(array.nbytes for array in self.objective.reviews)
        return int(own) + 16 * len(self.objective.reviews.y) + self.feedback.nbytes

    def begin(self, order: Order, scores: Floats, scales: Floats | None) -> None:
        """Go to these scores."""
        self.scores = scores
        if self.profile is None:
            self.value = self.objective.evaluate(scores, np.ones(self.objective.n_graders))
        else:
            self.value = self.profile.evaluate(scores)

    def again(self, order: Order) -> None:
        """All is as exact as it can be."""

    def ahead(self, order: Order, direction: Floats) -> None:
        """Go ahead from the origin."""
        if self.aim != order.aim:
            self.aimed = self.scores
        self.begin(order, point_ahead(order, self.aimed, direction), None)

    def back(self, order: Order, back: Back, scales: Floats | None) -> None:
        """Stand where it stood."""
        self.begin(order, back.scores, None)

    def tell_value(self, order: Order, vector: Any) -> Told:
        """Value and gradient."""
        more = (self.objective.fit_diagonal(),) if order.with_diagonal else ()
        return Told((self.value, self.objective.fit_gradient(), *more))

    def tell_product(self, order: Order, direction: Floats) -> Told:
        """The Hessian times a direction, biases and reliabilities following."""
        inverse = np.zeros(self.objective.n_graders)
        if self.profile is not None:
            inverse = 1.0 / self.profile.scale_curvature
        return Told((self.objective.fit_product(direction, inverse),))

    def tell_hessian(self, order: Order, vector: Any) -> Told:
        """The same as a matrix."""
        of = self.objective if self.profile is None else self.profile
        return Told((of.hessian(),))

    def tell_diagonal(self, order: Order, vector: Any) -> Told:
        """The diagonal for given reliabilities."""
        return Told((self.objective.fit_diagonal(),))

    def tell_graders(self, order: Order, vector: Any) -> Told:
        """Reliabilities and biases."""
        return Told((), [(self.objective.scales, self.objective.bias)])


def make_score_part(feedback: Feedback, settings: ScoreSettings) -> ScorePart:
    """A part; a function, so that it can be sent."""
    return ScorePart(feedback, settings)


class ScoreParts:
    """The parts of a model of scores, made when they are first needed."""

    def __init__(self, model: Estimator, source: Source) -> None:
        self.model, self.source = model, source

    @cached_property
    def totals(self) -> tuple[Floats, Floats]:
        """Weight of each item's scored reviews, and their weighted sum."""
        name = "SCAVG" if self.model.learning_params == {} else "NCS"
        if not self.source.has_scores:
            check_largest(math.nan, name)
        told = self.source.parts.sum(_totals)
        check_largest(float(np.fmax.reduce([part[0] for part in told.kept])), name)
        weight, total = told.sums[0].T
        return weight, total

    @cached_property
    def task_means(self) -> Floats:
        """The mean reported score of each item's task."""
        return means_by_task(self.source, *self.totals)

    @cached_property
    def prior_means(self) -> Floats:
        """Where items are without reviews."""
        given = self._scores_model.prior_mean
        return self.task_means if given is None else np.full(self.source.n_items, float(given))

    @property
    def _scores_model(self) -> NormalScores:
        return self.model  # type: ignore[return-value]

    def squared_deviations(self, means: Floats) -> float:
        """The weighted sum of squared differences between reported scores and the item's mean."""
        return float(self.source.parts.sum(_squares, means).sums[0])

    @cached_property
    def posterior(self) -> PartsPosterior:
        """The parts, ready to be asked."""
        model, source = self._scores_model, self.source
        prior = GammaPrior(model.reliability_shape, model.reliability_rate, 1) if model.reliability else None
        bias_variance = model.bias_variance if model.reliability else 0.0
        settings = ScoreSettings(self.prior_means, bias_variance, prior)
        return PartsPosterior(
            source.parts.made(make_score_part, settings),
            source.edges,
            source.n_items,
            precision=1.0 / model.score_variance,
            most_evidence=max(1.0, float(self.totals[0].max(initial=0.0))),
        )

    def fixed(self) -> PartedProfile:
        """Every reliability is 1, every bias 0."""
        return PartedProfile(self.posterior, "fixed")

    def profile(self) -> PartedProfile:
        """Biases and reliabilities follow the scores; steps are sensible on any grading scale."""
        profile = PartedProfile(self.posterior, "free")
        profile.solves_exactly = True
        count, total, squares = self.posterior.parts.sum(_moments).sums
        spread = math.sqrt(max(squares / count - (total / count) ** 2, 0.0))
        profile.step_limit = spread or math.inf
        return profile


def _totals(feedback: Feedback) -> Told:
    weight, total = item_totals(feedback, feedback.scores, 1)  # type: ignore[arg-type]
    return Told((np.stack([weight, total], axis=1),), [(largest_score(feedback, 1),)])


def _squares(feedback: Feedback, means: Floats) -> Told:
    return Told((squared_deviations(feedback, feedback.scores, means, 1),))  # type: ignore[arg-type]


def _moments(part: ScorePart) -> Told:
    y = part.objective.reviews.y
    return Told((len(y), float(y.sum()), dot(y, y)))
