"""Where a fitted model stands on its objective, so that slopes and curvature can be asked for there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from peerage.errors import MethodError
from peerage.models import (
    Fixed,
    GammaPrior,
    NormalScores,
    Profiled,
    ScoreLandscape,
    ScoreObjective,
    SmoothModel,
    Sum,
    reported_scores,
    reviews_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models import Combined, Estimator, Objective


@dataclass(frozen=True, slots=True)
class Place:
    """A model's landscape, standing at its estimate.

    Reported scores are ``shift + unit * (scores of the landscape)``, reliabilities ``scales ** power``.
    ``floating`` says that only differences of scores mean anything: the level of a task is a convention.
    """

    landscape: Fixed
    shift: NDArray[np.float64]
    unit: float
    power: int
    floating: bool

    @property
    def objective(self) -> Objective:
        """What the landscape is made of."""
        return self.landscape.objective

    @property
    def profiled(self) -> Profiled | None:
        """The landscape, if it has reliabilities."""
        return self.landscape if isinstance(self.landscape, Profiled) else None

    def move(self, scores: NDArray[np.float64]) -> None:
        """Go to other reported scores; reliabilities follow."""
        self.landscape.move((scores - self.shift) / self.unit)


def is_smooth(estimator: Estimator) -> bool:
    """Whether the method has a curvature."""
    return isinstance(estimator, SmoothModel | NormalScores) or _is_combined(estimator)


def _is_combined(estimator: Estimator) -> TypeGuard[Combined]:
    from peerage.models import Combined  # brings the kernels of other models with it

    return isinstance(estimator, Combined)


def place_of(estimator: Estimator) -> Place:
    """The landscape of a fitted smooth model, at its estimate."""
    if isinstance(estimator, SmoothModel):
        place = _smooth(estimator)
    elif isinstance(estimator, NormalScores):
        place = _normal_scores(estimator)
    elif _is_combined(estimator):
        place = _combined(estimator)
    else:
        msg = (
            f"{type(estimator).__name__} has no likelihood that is smooth in its scores, so no Laplace"
            " approximation: use source='bootstrap'"
        )
        raise MethodError(msg)
    place.move(estimator.scores_)
    return place


def _smooth(model: SmoothModel) -> Place:
    objective = model.objective(model.feedback_)
    landscape = Profiled(objective, model.prior()) if model.reliability else Fixed(objective)
    landscape.scales = model.reliabilities_ ** (1 / model.power)
    return Place(landscape, np.zeros(objective.n_items), 1.0, model.power, floating=True)


def _normal_scores(model: NormalScores) -> Place:
    noise = model.noise_variance_
    reported = reported_scores(model.feedback_, "NCS")
    reviews = reviews_of(model.feedback_, reported).moved(model.prior_means_, noise**0.5)
    objective = ScoreObjective(
        reviews,
        len(model.scores_),
        precision=noise / model.score_variance_,
        bias_variance=model.bias_variance_ / noise,
    )
    prior = GammaPrior(model.reliability_shape, model.reliability_rate, 1)
    landscape = ScoreLandscape(objective, prior) if model.reliability else Fixed(objective)
    return Place(landscape, model.prior_means_, noise**0.5, 1, floating=False)


def _combined(model: Combined) -> Place:
    from peerage.models import PlackettLuce

    noise, spread = model.noise_variance_, model.sharpness_ * model.item_variance_**0.5
    reported = reported_scores(model.feedback_, "Combined")
    scores = ScoreObjective(
        reviews_of(model.feedback_, reported).moved(model.prior_means_, noise**0.5),
        len(model.scores_),
        precision=0.0,
        bias_variance=model.bias_variance_ / noise if model.reliability else 0.0,
        slope=(model.item_variance_ / noise) ** 0.5 / spread,
    )
    orders = PlackettLuce(ties=model.ties, score_variance=spread**2).objective(model.feedback_)
    both = Sum(orders, scores)
    prior = GammaPrior(model.reliability_shape, model.reliability_rate, 1)
    landscape = Profiled(both, prior) if model.reliability else Fixed(both)
    landscape.scales = model.reliabilities_
    return Place(landscape, model.prior_means_, 1 / model.sharpness_, 1, floating=False)
