"""A smooth model over parts of the lists: what is decided from all of them together, and the searches."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

import numpy as np

from peerage._parts import PartialSum
from peerage.models.lists import comparisons
from peerage.models.smooth.objective import ListObjective
from peerage.models.solver.components import Components, Forest
from peerage.models.solver.dense import largest
from peerage.models.solver.mean_constraint import ReliabilityConstraint
from peerage.models.solver.part import Part
from peerage.models.solver.profile import ConstrainedProfile, PosteriorParts, Profile
from peerage.models.solver.scales import BestScales, FixedScales, GammaPrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage._parts import Parts
    from peerage.feedback.container import Feedback
    from peerage.models.feedback_parts import FeedbackParts
    from peerage.models.smooth.curvature import Likelihood

    Floats = NDArray[np.float64]


class ListModel(Protocol):
    """What a smooth model says of itself (see `SmoothModel`)."""

    reliability: bool
    identified: bool
    score_variance: float
    warm_start: Floats | None
    starts_from_comparisons: ClassVar[bool]

    @property
    def scale_is_free(self) -> bool:
        """Whether lists tell only reliability times score."""

    def prior(self) -> GammaPrior:
        """Of a grader's reliability, in its scale."""

    def likelihood(self) -> Likelihood:
        """The kernels, and what they are told."""

    def offsets(self, feedback: Feedback) -> Floats | None:
        """What is taken off the scores inside a list."""

    def start_sums(self, feedback: Feedback) -> tuple[Floats, ...]:
        """What a start is made of, as sums over lists."""

    def start_of(self, *sums: Floats) -> Floats:
        """The start, made of these sums over all lists."""


class Groups(NamedTuple):
    """Which items share a scale, and what the graders of each group know of it."""

    of_items: NDArray[np.int64]
    evidence: Floats


@dataclass(slots=True)
class Overview:
    """What all lists together say before the search begins."""

    most_compared: float  # of any item, lists by weight
    start: Floats


class PartSettings(NamedTuple):
    """What a part is told about the model, and what was decided from all parts together.

    size : pairs and entries of all lists
    prior : of the reliabilities; None where they are not estimated
    groups : where the mean of the reliabilities is constrained
    """

    model: ListModel
    size: tuple[int, int]
    prior: GammaPrior | None
    groups: Groups | None


class ListParts:
    """The parts of a model, made when they are first needed."""

    def __init__(self, model: ListModel, feedback: FeedbackParts, *, reliability: bool) -> None:
        self.model, self.feedback, self.reliability = model, feedback, reliability
        self.bare_model = model  # to be sent
        if model.warm_start is not None:
            self.bare_model = copy.copy(model)
            self.bare_model.warm_start = None

    def start(self) -> Floats:
        """Where the search begins: handed over, not kept, for there may be millions of items."""
        overview = self._overview
        start, overview.start = overview.start, np.empty(0)
        return start

    @cached_property
    def _overview(self) -> Overview:
        """In one round; the sums by item that tell it are not kept."""
        met, *more = self.feedback.parts.sum(_look, self.bare_model).sums
        most_compared = max(1.0, largest(met))
        start = (met, *more) if self.model.starts_from_comparisons else more
        return Overview(most_compared, self.model.start_of(*start))

    @cached_property
    def groups(self) -> Groups | None:
        """Where the mean of the reliabilities is constrained."""
        model = self.model
        if not (self.reliability and model.identified and model.scale_is_free):
            return None
        (forest,) = self.feedback.parts.sum(_forest_by_graders).sums
        components = Components(forest)
        used = np.flatnonzero(components.sizes > 1)  # whoever orders a pair links two items
        if not len(used):
            return None
        of_items = np.minimum(np.searchsorted(used, components.labels), len(used) - 1)
        (evidence,) = self.feedback.parts.sum(_evidence, of_items, len(used)).sums
        return Groups(of_items, evidence) if (evidence > 0).any() else None

    @cached_property
    def posterior(self) -> PosteriorParts:
        """The parts, ready to be asked."""
        size = self.feedback.n_pairs, self.feedback.n_entries
        prior = self.model.prior() if self.reliability else None
        settings = PartSettings(self.bare_model, size, prior, self.groups)
        return PosteriorParts(
            self.feedback.parts.map(make_part, settings),
            self.feedback.edges,
            self.feedback.n_items,
            precision=1.0 / self.model.score_variance,
            most_evidence=self._overview.most_compared,
            components=cache(partial(_components, self.feedback.parts)),
            exact_diagonal=self.model.likelihood().curvature(*size).exact_diagonal_is_cheap,
        )

    def fixed(self, scales: Floats | None = None) -> Profile:
        """Reliabilities stay: at 1, or as given."""
        return Profile(self.posterior, "fixed", scales)

    def profile(self) -> Profile:
        """Reliabilities follow the scores."""
        if self.groups is None:
            return Profile(self.posterior, "free")
        return ConstrainedProfile(self.posterior, *self.groups)


def make_part(feedback: Feedback, settings: PartSettings) -> Part:
    """The part of these graders."""
    model = settings.model
    offsets = model.offsets(feedback)
    if offsets is None and feedback.scores is not None:
        feedback = replace(feedback, scores=None)  # eight bytes a review that may be let go
    likelihood = model.likelihood()
    objective = ListObjective(feedback, likelihood, offsets, curvature=likelihood.curvature(*settings.size))
    solver = FixedScales(objective) if settings.prior is None else BestScales(objective, settings.prior)
    constraint = None
    if settings.groups is not None:
        constraint = constraint_of(feedback, settings.groups, likelihood.power)
    return Part(objective, solver, constraint, (make_part, (feedback, settings)))


def constraint_of(feedback: Feedback, groups: Groups, power: int) -> ReliabilityConstraint:
    """These graders under the constraint on the reliabilities of all."""
    own, of_graders = _evidence_of_graders(feedback, groups.of_items)
    weights = own / np.where(groups.evidence > 0, groups.evidence, 1.0)[of_graders]
    return ReliabilityConstraint(weights, of_graders, groups.of_items, len(groups.evidence), power)


# -- rounds before the search --------------------------------------------------------------------------


def _look(feedback: Feedback, model: ListModel) -> PartialSum:
    """How often every item was compared, and what the start is made of."""
    start = model.start_sums(feedback)
    met = () if model.starts_from_comparisons else (comparisons(feedback)[0],)
    return PartialSum((*met, *start))


def _components(parts: Parts) -> Components:
    """Which items lists link."""
    (forest,) = parts.sum(_forest_by_lists).sums
    return Components(forest)


def _forest_by_lists(feedback: Feedback) -> PartialSum:
    lists = (feedback.items, feedback.list_starts)
    return PartialSum((Forest.by_lists(lists, feedback.n_items),))


def _forest_by_graders(feedback: Feedback) -> PartialSum:
    lists, shape = (feedback.items, feedback.list_starts), (feedback.n_items, feedback.n_graders)
    speaks = feedback.list_strict_pairs > 0
    return PartialSum((Forest.by_graders(lists, feedback.list_graders, speaks, shape),))


def _evidence(feedback: Feedback, item_groups: NDArray[np.int64], n_groups: int) -> PartialSum:
    """What the graders of each group know in all: their strict pairs, lists by weight."""
    own, groups = _evidence_of_graders(feedback, item_groups)
    return PartialSum((np.asarray(np.bincount(groups, own, n_groups), dtype=np.float64),))


def _evidence_of_graders(
    feedback: Feedback, item_groups: NDArray[np.int64]
) -> tuple[Floats, NDArray[np.int64]]:
    """What each grader knows, and its group; the first group where it knows nothing."""
    pairs = feedback.list_strict_pairs
    evidence = np.asarray(
        np.bincount(feedback.list_graders, pairs * feedback.list_weights, feedback.n_graders),
        dtype=np.float64,
    )
    groups = np.zeros(feedback.n_graders, dtype=np.int64)
    speak = np.flatnonzero(pairs > 0)
    groups[feedback.list_graders[speak]] = item_groups[feedback.items[feedback.list_starts[speak]]]
    return evidence, groups
