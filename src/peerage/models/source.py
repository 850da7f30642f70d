"""Large feedback in parts, as a fit asks for it: the sizes of the whole, and whoever holds the parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import polars as pl

from peerage._parts import Told
from peerage.feedback.container import Feedback
from peerage.feedback.partition import partition_graders, split_feedback
from peerage.models.solver.newton import Outcome, minimise
from peerage.models.solver.parallel import limits
from peerage.models.solver.parts import Threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage._parts import Parts
    from peerage.models.solver.parted import PartedProfile

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Feedback in parts.

    parts : of feedback, runs of graders
    edges : where the graders of each part begin, and the last one's end
    n_pairs : pairs of entries of the same list; n_ties : entries tied with the one before
    """

    parts: Parts
    edges: NDArray[np.int64]
    item_tasks: NDArray[np.int32]
    n_tasks: int
    n_lists: int
    n_entries: int
    n_pairs: int
    n_ties: int
    longest: int
    has_scores: bool
    ordered_by: Literal["rank", "score"]

    def sample(self) -> Feedback:
        """None of the lists, but feedback of the same kind."""
        none = np.zeros(0, dtype=np.int32)
        return Feedback(
            items=none,
            bucket_starts=np.zeros(0, dtype=bool),
            list_starts=np.zeros(1, dtype=np.int64),
            list_graders=none.copy(),
            list_tasks=none.copy(),
            item_tasks=self.item_tasks.copy(),
            item_labels=nameless(self.n_items),
            grader_labels=nameless(self.n_graders),
            task_labels=nameless(self.n_tasks),
            scores=np.zeros(0) if self.has_scores else None,
            ordered_by=self.ordered_by,
        )

    @property
    def n_items(self) -> int:
        """Over all tasks."""
        return len(self.item_tasks)

    @property
    def n_graders(self) -> int:
        """Of all parts."""
        return int(self.edges[-1])


def nameless(number: int) -> pl.Series:
    """As many labels as there are, which take no memory."""
    return pl.repeat(None, number, dtype=pl.Null, eager=True)


def in_parts(feedback: Feedback) -> Source | None:
    """The feedback in parts for threads; None where it is one part."""
    if feedback.n_entries <= limits()["small"]:
        return None
    edges = partition_graders(feedback.grader_reviews, **limits())
    if len(edges) <= 2:
        return None
    parts = Threads(split_feedback(feedback, edges))
    tasks = (feedback.item_tasks, feedback.n_tasks)
    return source_of(parts, edges, tasks, feedback.scores is not None, feedback.ordered_by)


def source_of(
    parts: Parts,
    edges: NDArray[np.int64],
    tasks: tuple[NDArray[np.int32], int],
    has_scores: bool,
    ordered_by: Literal["rank", "score"],
) -> Source:
    """Count what there is in all parts."""
    told = parts.sum(_sizes)
    longest = max(int(part[0]) for part in told.kept)
    n_lists, n_entries, n_pairs, n_ties = told.sums
    return Source(
        parts,
        edges,
        item_tasks=tasks[0],
        n_tasks=tasks[1],
        n_lists=n_lists,
        n_entries=n_entries,
        n_pairs=n_pairs,
        n_ties=n_ties,
        longest=longest,
        has_scores=has_scores,
        ordered_by=ordered_by,
    )


def _sizes(feedback: Feedback) -> Told:
    lengths = feedback.list_lengths
    n_pairs, n_ties = int(lengths @ (lengths - 1)) // 2, int(np.count_nonzero(~feedback.bucket_starts))
    return Told((feedback.n_lists, feedback.n_entries, n_pairs, n_ties), [(int(lengths.max(initial=0)),)])


# -- searches that can be left ----------------------------------------------------------------------------


class Journal(Protocol):
    """Where a long fit notes how far it is."""

    def finished(self, phase: str) -> dict[str, Any] | None:
        """What came of a phase of the fit, where it has ended."""

    def finish(self, phase: str, found: dict[str, Any]) -> None:
        """Note what came of it."""

    def state(self, phase: str) -> dict[str, Any] | None:
        """How far the search of a phase is."""

    def keep(self, phase: str, state: dict[str, Any]) -> None:
        """Note that."""


class NoJournal:
    """Implements `Journal`: notes nothing."""

    def finished(self, phase: str) -> dict[str, Any] | None:
        """Nothing."""
        return None

    def finish(self, phase: str, found: dict[str, Any]) -> None:
        """Forget it."""

    def state(self, phase: str) -> dict[str, Any] | None:
        """Nowhere."""
        return None

    def keep(self, phase: str, state: dict[str, Any]) -> None:
        """Forget it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search in parts came to; by part, what it found out about its graders, one after another."""

    outcome: Outcome
    graders: tuple[Floats, ...]


def search(
    journal: Journal,
    phase: str,
    profile: Callable[[], PartedProfile],
    start: Callable[[], Floats],
    *,
    tol: float,
    max_iter: int,
    with_graders: bool = False,
) -> Found:
    """Minimise, or go on where the journal says, or take what came of it."""
    done = journal.finished(phase)
    if done is None:
        made, state = profile(), journal.state(phase)
        outcome = minimise(
            made,
            start() if state is None else state["scores"],
            tol=tol,
            max_iter=max_iter,
            state=state,
            keep=lambda now: journal.keep(phase, now),
        )
        kept = made.settled() if with_graders else []
        columns = tuple(np.concatenate(column) for column in zip(*kept, strict=True))
        done = {"scores": outcome.scores, "value": outcome.value, "converged": outcome.converged}
        done |= {"n_iter": outcome.n_iter} | {f"graders{k}": column for k, column in enumerate(columns)}
        journal.finish(phase, done)
    outcome = Outcome(done["scores"], float(done["value"]), bool(done["converged"]), int(done["n_iter"]))
    names = sorted(name for name in done if name.startswith("graders"))
    return Found(outcome, tuple(done[name] for name in names))
