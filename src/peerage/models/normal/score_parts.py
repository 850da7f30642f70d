"""Reported scores in parts, runs of graders: sums by item, and searches over biases and reliabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from peerage._parts import PartialSum
from peerage.models.normal.objective import ScoreObjective
from peerage.models.normal.profile import ScoreScales
from peerage.models.normal.reported import check_largest, item_totals, largest_score, squared_deviations
from peerage.models.normal.reported import task_means as means_by_task
from peerage.models.normal.reviews import reviews_of
from peerage.models.solver.dense import dot
from peerage.models.solver.part import Part
from peerage.models.solver.profile import PosteriorParts, Profile
from peerage.models.solver.scales import FixedScales, GammaPrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.feedback_parts import FeedbackParts

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """What a part is told: prior means of the items, and the priors of graders where these have a say."""

    prior_means: Floats
    bias_variance: float
    prior: GammaPrior | None


def make_score_part(feedback: Feedback, settings: ScoreSettings) -> Part:
    """The part of these graders: reliabilities have a closed form, and need not be sent."""
    assert feedback.scores is not None
    reviews = reviews_of(feedback, feedback.scores).moved(settings.prior_means, 1.0)
    objective = ScoreObjective(
        reviews, feedback.n_items, precision=0.0, bias_variance=settings.bias_variance, n_runs=1
    )
    prior = settings.prior
    solver = FixedScales(objective) if prior is None else ScoreScales(objective, prior)
    return Part(objective, solver, None, (make_score_part, (feedback, settings)))


class ScoreParts:
    """Reported scores in parts, for a method of this code: sums by item, and the search for graders."""

    def __init__(self, feedback: FeedbackParts, code: str) -> None:
        self.feedback, self.code = feedback, code

    @cached_property
    def totals(self) -> tuple[Floats, Floats]:
        """Weight of each item's scored reviews, and their weighted sum."""
        if not self.feedback.has_scores:
            check_largest(math.nan, self.code)
        answer = self.feedback.parts.sum(_totals)
        check_largest(float(np.fmax.reduce([part[0] for part in answer.by_part])), self.code)
        weight, total = answer.sums[0].T
        return weight, total

    @cached_property
    def task_means(self) -> Floats:
        """The mean reported score of each item's task."""
        return means_by_task(self.feedback, *self.totals)

    def squared_deviations(self, means: Floats) -> float:
        """The weighted sum of squared differences between reported scores and the item's mean."""
        return float(self.feedback.parts.sum(_squares, means).sums[0])

    def posterior(self, settings: ScoreSettings, score_variance: float) -> PosteriorParts:
        """The parts, ready to be asked."""
        return PosteriorParts(
            self.feedback.parts.map(make_score_part, settings),
            self.feedback.edges,
            self.feedback.n_items,
            precision=1.0 / score_variance,
            most_evidence=max(1.0, float(self.totals[0].max(initial=0.0))),
        )


def score_profile(posterior: PosteriorParts) -> Profile:
    """Biases and reliabilities follow the scores; steps are sensible on any grading scale."""
    profile = Profile(posterior, "free")
    profile.closed_form = True
    count, total, squares = posterior.parts.sum(_moments).sums
    spread = math.sqrt(max(squares / count - (total / count) ** 2, 0.0))
    profile.step_limit = spread or math.inf
    return profile


def _totals(feedback: Feedback) -> PartialSum:
    weight, total = item_totals(feedback, feedback.scores)  # type: ignore[arg-type]
    return PartialSum((np.stack([weight, total], axis=1),), [(largest_score(feedback),)])


def _squares(feedback: Feedback, means: Floats) -> PartialSum:
    return PartialSum((squared_deviations(feedback, feedback.scores, means),))  # type: ignore[arg-type]


def _moments(part: Part) -> PartialSum:
    objective = cast("ScoreObjective", part.objective)
    y = objective.reviews.y
    return PartialSum((len(y), float(y.sum()), dot(y, y)))
