"""A smooth model of lists in parts: what is decided from all of them together, and the searches over them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peerage._parts import Told
from peerage.models.base import clone
from peerage.models.smooth.held_part import evidence_of
from peerage.models.smooth.list_part import ListSettings, make_part
from peerage.models.solver.components import Components, Forest
from peerage.models.solver.parted import PartedProfile, PartsPosterior
from peerage.models.solver.parted_held import HeldPartedProfile
from peerage.models.start import comparisons

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.smooth.model import SmoothModel
    from peerage.models.source import Source

    Floats = NDArray[np.float64]


class Groups(NamedTuple):
    """Which items share a scale, and what the graders of each group know of it."""

    of_items: NDArray[np.int32]
    evidence: Floats


class Looked(NamedTuple):
    """What all lists together say before the search begins."""

    most_compared: float  # of any item, lists by weight
    components: Components  # items that lists link
    start: Floats


class ListParts:
    """The parts of a model, made when they are first needed."""

    def __init__(self, model: SmoothModel, source: Source) -> None:
        self.model, self.source = model, source

    def start(self) -> Floats:
        """Where the search begins: handed over, not kept, for there may be millions of items."""
        start = self._looked_at.start
        self._looked_at = self._looked_at._replace(start=np.empty(0))
        return start

    @cached_property
    def _looked_at(self) -> Looked:
        """In one round; the sums by item that tell it are not kept."""
        forest, met, *more = self.source.parts.sum(_look, self._bare_model()).sums
        most_compared = float(met.max(initial=1.0))
        start = (met, *more) if self.model.starts_from_comparisons else more
        return Looked(most_compared, Components.of(forest), self.model.start_of(*start))

    def _bare_model(self) -> SmoothModel:
        """The model's parameters alone, to be sent."""
        return clone(self.model)  # type: ignore[return-value]

    @cached_property
    def groups(self) -> Groups | None:
        """Where the mean of reliabilities is held."""
        if not (self.model.reliability and self.model.identified and self.model.scale_is_free):
            return None
        (forest,) = self.source.parts.sum(_forest_by_graders).sums
        components = Components.of(forest)
        used = np.flatnonzero(components.sizes > 1)  # whoever orders a pair links two items
        if not len(used):
            return None
        of_items = np.minimum(np.searchsorted(used, components.labels), len(used) - 1).astype(np.int32)
        (evidence,) = self.source.parts.sum(evidence_of, of_items, len(used)).sums
        return Groups(of_items, evidence) if (evidence > 0).any() else None

    @cached_property
    def posterior(self) -> PartsPosterior:
        """The parts, ready to be asked."""
        source, model = self.source, self.model
        size = source.n_pairs, source.n_entries
        settings = ListSettings(self._bare_model(), size)
        if model.reliability:
            of_items, evidence = self.groups or (None, None)
            settings = ListSettings(settings.model, size, model.prior(), of_items, evidence)
        return PartsPosterior(
            source.parts.made(make_part, settings),
            source.edges,
            source.n_items,
            precision=1.0 / model.score_variance,
            most_evidence=self._looked_at.most_compared,
            components=self._looked_at.components,
            exact_diagonal=model.likelihood().curvature(*size).exact_diagonal_is_cheap,
        )

    def fixed(self, scales: Floats | None = None) -> PartedProfile:
        """Reliabilities stay: at 1, or as given."""
        return PartedProfile(self.posterior, "fixed", scales)

    def profile(self) -> PartedProfile:
        """Reliabilities follow the scores."""
        if self.groups is None:
            return PartedProfile(self.posterior, "free")
        return HeldPartedProfile(self.posterior, *self.groups)


def _look(feedback: Feedback, model: SmoothModel) -> Told:
    """Which items lists link, how often every one was compared, and what the start is made of."""
    start = model.start_sums(feedback)
    met = () if model.starts_from_comparisons else (comparisons(feedback)[0],)
    return Told((Forest.by_lists(_lists(feedback), feedback.n_items), *met, *start))


def _lists(feedback: Feedback) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    return feedback.items, feedback.list_starts


def _forest_by_graders(feedback: Feedback) -> Told:
    speaks, shape = feedback.list_strict_pairs > 0, (feedback.n_items, feedback.n_graders)
    return Told((Forest.by_graders(_lists(feedback), feedback.list_graders, speaks, shape),))
