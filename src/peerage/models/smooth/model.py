"""The base of models with a smooth likelihood: a model states two kernels, the rest is here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, dataclass_transform

import numpy as np

from peerage.errors import DataError, MethodError
from peerage.models.base import Estimator, check_choice, check_positive, known_feedback, with_parameters
from peerage.models.checkpoint import NoCheckpoint, search
from peerage.models.feedback_parts import FeedbackParts
from peerage.models.lists import comparisons, log_odds
from peerage.models.smooth.blocks import margins
from peerage.models.smooth.curvature import Likelihood
from peerage.models.smooth.distinct_lists import distinct_lists
from peerage.models.smooth.list_parts import ListParts, constraint_of
from peerage.models.smooth.objective import ListObjective
from peerage.models.solver.mode import Mode
from peerage.models.solver.profile import ConstrainedProfile, PosteriorParts, Profile
from peerage.models.solver.scales import BestScales, FixedScales, GammaPrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.checkpoint import Checkpoint, SearchResult

    Floats = NDArray[np.float64]

Ties = Literal["indifferent", "model"]
Pairs = Literal["all", "adjacent"]
ROUGH = 1e-3  # how well the scores are solved before reliabilities join


PARAMETERS = """reliability : bool, default=False
        Estimate a reliability eta for every grader; otherwise all are 1.
    score_variance, reliability_shape, reliability_rate : float
        Priors: s ~ Normal(0, score_variance), eta ~ Gamma(shape, rate).
    identified : bool, default=False
        Hold the mean of the reliabilities, each by its grader's strict pairs, at 1. Lists tell only
        reliability times score; without this the priors share the product out, badly where items outnumber
        graders.
    tol, max_iter : float, int
        Largest gradient accepted at the optimum, in units of the largest item's evidence; most Newton
        steps."""
MARGIN = """margin : bool, default=False
        Take the gap of the reported scores off the gap of the items' scores (needs scores)."""
PAIRS = """pairs : {"all", "adjacent"}, default="all"
        All pairs of a list, or only those of consecutive tie buckets."""
ATTRIBUTES = """scores_ : ndarray of shape (n_items,)
        Posterior-mode scores, larger is better; they sum to zero in every task.
    reliabilities_ : ndarray of shape (n_graders,)"""

M = TypeVar("M")


@dataclass_transform(kw_only_default=True, eq_default=False)
def smooth_model(cls: type[M]) -> type[M]:
    """Parameters by keyword, stored untouched, from the annotations of a class and those of `SmoothModel`.

    What models say alike in their docstrings is written once: $PARAMETERS, $MARGIN, $PAIRS and $ATTRIBUTES.
    """
    for name in ("PARAMETERS", "MARGIN", "PAIRS", "ATTRIBUTES"):
        if cls.__doc__:  # `python -OO` has none
            cls.__doc__ = cls.__doc__.replace(f"${name}", globals()[name])
    return with_parameters(cls)


@smooth_model
class SmoothModel(Estimator):
    """A model whose log-likelihood is smooth in scores and reliabilities.

    A subclass gives two compiled functions over flat arrays of many lists, `value_and_gradient` and
    `hessian_product`, both in x = scale * (score - offset). It may give a third, `off_diagonal` (the Hessian
    beside its diagonal), which makes every fit faster; see docs/how-to/add-a-model.md. And it names its
    inverse link, the chance that the better of two items wins, as a function of their gap in x.
    """

    is_smooth = True
    sampler = "scores"
    learns_priors = True
    evidence_parameter = "score_variance"
    rough_steps = 2  # of scores alone, and as many with reliabilities
    inverse_link: ClassVar[Any] = None
    starts_from_comparisons: ClassVar[bool] = True  # whether that is what `start_sums` begins with

    value_and_gradient: ClassVar[Any]
    hessian_product: ClassVar[Any]
    off_diagonal: ClassVar[Any] = None
    is_choices: ClassVar[bool] = False  # lists are runs of choices: their kernels are in choices.py
    power: ClassVar[int] = 1  # reliability = scale ** power
    # options that some models have
    ties = "indifferent"
    pairs = "all"
    margin = False
    threshold = 0.0  # of the gap that a tie stands for
    tie_choices: ClassVar[tuple[str, ...]] = ("indifferent", "model")

    reliability: bool = False
    score_variance: float = 9.0
    reliability_shape: float = 10.0
    reliability_rate: float = 10.0
    identified: bool = False
    tol: float = 1e-8
    max_iter: int = 200

    @property
    def predicts_wins(self) -> bool:
        """Whether there is an inverse link."""
        return self.inverse_link is not None

    def win_probability(self, gap: Floats, reliability: float = 1.0) -> Floats:
        """The inverse link of the gap times the grader's scale; ties aside."""
        if self.inverse_link is None:
            return super().win_probability(gap, reliability)
        return np.asarray(self.inverse_link(reliability ** (1.0 / self.power) * gap))

    @property
    def scale_is_free(self) -> bool:
        """Whether lists tell only reliability times score; a margin would have a unit."""
        known = "identified" in self._parameter_names()
        return known and self.reliability and not self.margin

    def options(self) -> tuple[Any, ...]:
        """What the kernels are told about the parameters."""
        return ()

    def start_sums(self, feedback: Feedback) -> tuple[Floats, ...]:
        """What the start of the search is made of, as sums over lists: part by part, it can be added up."""
        return comparisons(feedback)

    def start_of(self, *sums: Floats) -> Floats:
        """Where the search begins: the log-odds of each item's share of comparisons won."""
        return log_odds(*sums)

    def _validate(self, feedback: Feedback) -> None:
        check_positive(
            score_variance=self.score_variance,
            reliability_shape=self.reliability_shape,
            reliability_rate=self.reliability_rate,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        if self.reliability and self.reliability_shape < 1:
            msg = (
                f"reliability_shape must be at least 1 (or there is no mode), not {self.reliability_shape!r}"
            )
            raise MethodError(msg)
        check_choice("ties", self.ties, self.tie_choices)
        check_choice("pairs", self.pairs, ("all", "adjacent"))
        if self.margin and feedback.scores is None:
            msg = f"{type(self).__name__}(margin=True) needs the scores that graders gave: a 'score' column"
            raise MethodError(msg)

    def likelihood(self) -> Likelihood:
        """The kernels, and what they are told."""
        return Likelihood(
            self.value_and_gradient,
            self.hessian_product,
            self.options(),
            self.power,
            self.threshold,
            self.off_diagonal,
            self.is_choices,
        )

    @property
    def has_offsets(self) -> bool:
        """Whether equal lists can differ in what is taken off the scores."""
        return self.margin

    def offsets(self, feedback: Feedback) -> Floats | None:
        """What is taken off the scores inside a list: the margins, where the model has them."""
        return margins(feedback) if self.margin else None

    def objective(self, feedback: Feedback) -> ListObjective:
        """The posterior, without the prior of the reliabilities."""
        return ListObjective(
            feedback,
            self.likelihood(),
            self.offsets(feedback),
            precision=1.0 / self.score_variance,
            counts_pairs=self.counts_pairs,
        )

    def profile(self, feedback: Feedback, scales: Floats | None = None) -> Profile:
        """The posterior of this feedback as a function of the scores alone, in one part."""
        objective = self.objective(feedback)
        if not self.reliability:
            return Profile(PosteriorParts.whole(objective, FixedScales(objective)), "fixed", scales)
        groups = ListParts(self, FeedbackParts.of(feedback), reliability=True).groups
        solver = BestScales(objective, self.prior())
        if groups is None:
            return Profile(PosteriorParts.whole(objective, solver), "free", scales)
        constraint = constraint_of(feedback, groups, self.power)
        return ConstrainedProfile(PosteriorParts.whole(objective, solver, constraint), *groups, scales)

    def mode(self) -> Mode:
        """Where the fitted model stands on its posterior."""
        self._check_fitted()
        feedback = self.feedback_
        alike = not (self.reliability or self.has_offsets)
        if alike and feedback.list_lengths.max(initial=0) <= 2:  # no overlap of pairs to count
            feedback = distinct_lists(FeedbackParts.of(feedback)) or feedback
        profile = self.profile(feedback, self.reliabilities_ ** (1 / self.power))
        return Mode(self.scores_, profile, power=self.power, floating=True)

    def prior(self) -> GammaPrior:
        """The prior of a grader's reliability, in its scale."""
        return GammaPrior(self.reliability_shape, self.reliability_rate, self.power)

    def log_likelihood(self, feedback: Feedback | Any) -> float:
        """The log-likelihood of lists, with the scores and reliabilities of the fit."""
        self._check_fitted()
        known = known_feedback(feedback)
        self._validate(known)
        fitted = self.feedback_
        scores, reliabilities = self.scores_, self.reliabilities_
        if known is not fitted and not _same_labels(known, fitted):
            scores = scores_for(known, fitted, scores)
            reliabilities = by_grader_for(known, fitted, reliabilities)
        objective = ListObjective(known, self.likelihood(), self.offsets(known))
        return -objective.evaluate(scores, reliabilities ** (1 / self.power))

    # -- the fit ------------------------------------------------------------------------------------------

    def obstacle_in_parts(self) -> str | None:
        """There is none: graders are in one part each, and all else are sums."""
        return None

    def _fit(self, feedback: Feedback) -> None:
        self._fit_parts(FeedbackParts.of(feedback), NoCheckpoint())

    def _fit_parts(self, feedback: FeedbackParts, checkpoint: Checkpoint) -> None:
        """Scores with all graders alike first, equal lists once where that saves much; then reliabilities."""
        distinct = None if self.has_offsets else distinct_lists(feedback)
        alike, first_checkpoint = feedback, checkpoint
        if distinct is not None:
            alike, first_checkpoint = FeedbackParts.of(distinct), NoCheckpoint()  # small enough to do again
        lists = ListParts(self, alike, reliability=self.reliability and distinct is None)
        tol = max(self.tol, ROUGH) if self.reliability else self.tol
        first = self._search(first_checkpoint, "scores", lists.fixed, lambda: self._start(lists), tol=tol)
        outcome, reliabilities = first.outcome, np.ones(feedback.n_graders)
        if self.reliability:
            if distinct is not None:
                lists = ListParts(self, feedback, reliability=True)
            scores = outcome.scores
            joint = self._search(
                checkpoint, "reliabilities", lists.profile, lambda: scores, tol=self.tol, with_graders=True
            )
            outcome, reliabilities = joint.outcome, joint.by_grader[0] ** self.power
        self.scores_, self.reliabilities_, self.objective_ = outcome.scores, reliabilities, outcome.value
        self.converged_, self.n_iter_ = outcome.converged, outcome.n_iter

    def _search(self, *where: Any, **how: Any) -> SearchResult:
        return search(*where, max_iter=self.max_iter, **how)

    def _start(self, lists: ListParts) -> Floats:
        return lists.start() if self.warm_start is None else self.warm_start


# -- feedback beside that of the fit ------------------------------------------------------------------------


def _same_labels(one: Feedback, other: Feedback) -> bool:
    """Whether both number their items and graders alike: parts of one feedback do."""
    return (
        one.item_labels.equals(other.item_labels)
        and one.grader_labels.equals(other.grader_labels)
        and one.task_labels.equals(other.task_labels)
        and np.array_equal(one.item_tasks, other.item_tasks)
    )


def scores_for(feedback: Feedback, fitted: Feedback, scores: Floats) -> Floats:
    """The scores of a fit by the items of other feedback, matched by task and label; of unseen ones 0."""
    tasks, items = fitted.task_labels.to_list(), fitted.item_labels.to_list()
    place = {
        (tasks[task], item): which
        for which, (task, item) in enumerate(zip(fitted.item_tasks, items, strict=True))
    }
    names = feedback.task_labels.to_list()
    found = [
        place.get((names[task], item), -1)
        for task, item in zip(feedback.item_tasks, feedback.item_labels, strict=True)
    ]
    places = np.array(found, dtype=np.int64)
    unknown = np.flatnonzero((places < 0) & (feedback.item_reviews > 0))
    if len(unknown):
        label = feedback.item_labels[int(unknown[0])]
        many = f" and {len(unknown) - 1:,} more" if len(unknown) > 1 else ""
        raise DataError(f"the item {label!r}{many} was not in the feedback of the fit, and has no score")
    return np.asarray(np.append(scores, 0.0)[places])


def by_grader_for(feedback: Feedback, fitted: Feedback, values: Floats) -> Floats:
    """Reliabilities of a fit by the graders of other feedback; 1 for those it does not know."""
    place = {label: which for which, label in enumerate(fitted.grader_labels)}
    places = np.array([place.get(label, -1) for label in feedback.grader_labels], dtype=np.int64)
    return np.asarray(np.append(values, 1.0)[places])


# -- inverse links: from a gap of scores, times the scale, to the chance that the better item wins ----------


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x))."""
    from scipy.special import expit  # not needed by a fit

    return np.asarray(expit(x))


def normal_cdf(x: Floats) -> Floats:
    """P(Z <= x) for a standard normal Z."""
    from scipy.special import ndtr

    return np.asarray(ndtr(x))
