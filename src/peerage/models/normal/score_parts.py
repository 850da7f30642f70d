"""Reported scores in parts, runs of graders: sums by item, and searches over biases and reliabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from peerage._numba import kernel
from peerage._parts import PartialSum
from peerage.errors import DataError, Problem
from peerage.models.normal.objective import ScoreObjective, ScoreScales
from peerage.models.normal.reviews import reviews_of, sums
from peerage.models.solver.dense import dot
from peerage.models.solver.part import Part
from peerage.models.solver.profile import PosteriorParts, Profile
from peerage.models.solver.scales import FixedScales, GammaPrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.feedback_parts import FeedbackParts

    Floats = NDArray[np.float64]

LARGEST = 1e15  # beyond, squares of scores drown everything else


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
        return task_means(self.feedback, *self.totals)

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


# -- sums over the scores of one part ----------------------------------------------------------------------


def reported_scores(feedback: Feedback, method: str) -> NDArray[np.float64]:
    """The scores that graders gave, NaN where a review has none; refuses feedback without any."""
    check_largest(math.nan if feedback.scores is None else largest_score(feedback), method)
    return cast("NDArray[np.float64]", feedback.scores)


def check_largest(largest: float, method: str) -> None:
    """Refuse feedback without scores (the largest is NaN then), and scores that are too large."""
    if math.isnan(largest):
        raise DataError(
            Problem(
                f"{method} works on the scores that graders gave, and this feedback has none",
                column="score",
                fix="add that column, or choose a method for orders, such as PL+G",
            )
        )
    if largest > LARGEST:
        rule = f"is too large for {method}, which squares scores: they must lie within {LARGEST:g} of 0"
        raise DataError(
            Problem(rule, column="score", value=f"{largest:g}", fix="divide all by the same number")
        )


def largest_score(feedback: Feedback) -> float:
    """The largest size of a score, NaN where there is none."""
    scores = cast("NDArray[np.float64]", feedback.scores)
    return float(np.fmax(np.fmax.reduce(scores), -np.fmin.reduce(scores))) if len(scores) else math.nan


def item_totals(
    feedback: Feedback, scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weight of each item's scored reviews, and their weighted sum."""
    totals = np.zeros((feedback.n_items, 2))
    _add_scores(feedback.items, scores, feedback.list_starts, feedback.list_weights, totals)
    return totals[:, 0], totals[:, 1]


def squared_deviations(feedback: Feedback, scores: NDArray[np.float64], means: NDArray[np.float64]) -> float:
    """The weighted sum of squared differences between reported scores and the item's mean."""
    return float(_add_squares(feedback.items, scores, feedback.list_starts, feedback.list_weights, means))


@kernel
def _add_squares(items: Any, scores: Any, starts: Any, weights: Any, means: Any) -> float:
    value = 0.0
    for which in range(len(starts) - 1):
        mine = 0.0
        for e in range(starts[which], starts[which + 1]):
            if not math.isnan(scores[e]):
                mine += (scores[e] - means[items[e]]) ** 2
        value += weights[which] * mine
    return value


@kernel
def _add_scores(items: Any, scores: Any, starts: Any, weights: Any, totals: Any) -> None:
    """Weight and weighted score by item: side by side, they cost one trip to memory."""
    for which in range(len(starts) - 1):
        for e in range(starts[which], starts[which + 1]):
            if not math.isnan(scores[e]):
                totals[items[e], 0] += weights[which]
                totals[items[e], 1] += weights[which] * scores[e]


def task_means(
    of: Feedback | FeedbackParts, weight: NDArray[np.float64], total: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean reported score of each item's task; of all tasks where a task has none."""
    weights = sums(of.item_tasks, weight, of.n_tasks)
    totals = sums(of.item_tasks, total, of.n_tasks)
    means = np.full(of.n_tasks, total.sum() / weight.sum())
    np.divide(totals, weights, out=means, where=weights > 0)
    return means[of.item_tasks]
