"""The hard rules: batches of reviews that keep them, or why no allocation of a roster can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.allocation.solver import Bottleneck, Instance, solve
from peerage.errors import DataError, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.pool import Pool
    from peerage.allocation.slots import Slots

    Solver = Callable[[Instance, "DesignContext"], Slots | Bottleneck]

SHOWN_NAMES = 8
SEARCHED_REVIEWS = 200_000  # above this, no smaller number of reviews is searched for in an error message


class AllocationError(DataError):
    """No allocation keeps every rule. ``graders`` and ``items`` are the people and work in the way."""

    def __init__(
        self,
        problems: Sequence[Problem],
        *,
        source: str | None = None,
        graders: Sequence[str] = (),
        items: Sequence[str] = (),
    ):
        super().__init__(problems, source=source)
        self.graders, self.items = tuple(graders), tuple(items)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.problems, self.source, self.graders, self.items)


def _rebuild(
    problems: Sequence[Problem], source: str | None, graders: Sequence[str], items: Sequence[str]
) -> AllocationError:
    return AllocationError(problems, source=source, graders=graders, items=items)


# -- batches --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReviewBatch:
    """Reviews decided together, in numbers of the pool; the loads of `among` differ by at most one."""

    graders: NDArray[np.int64]
    items: NDArray[np.int64]
    among: NDArray[np.int64]
    is_anchor: bool = False


@dataclass(frozen=True, slots=True)
class DesignContext:
    """What designs make batches with: the pool, the options of the allocation, and everything random."""

    pool: Pool
    anchors: int | Sequence[str]
    rng: np.random.Generator
    staff_number: int | None

    def assign(
        self,
        graders: NDArray[np.int64],
        items: NDArray[np.int64],
        numbers: NDArray[np.int64],
        solver: Solver,
        *,
        anchor: bool = False,
    ) -> ReviewBatch:
        """Let each of these graders review that number of these items; raises where the rules forbid it."""
        busy = numbers > 0
        barred = self.pool.barred_starts, self.pool.barred
        instance = Instance.restrict(barred, graders[busy], items, numbers[busy])
        error = _short_of_work(self.pool, instance) or _short_of_graders(self.pool, instance)
        if error is not None:
            raise error
        solution = solver(instance, self)
        if isinstance(solution, Bottleneck):
            raise _explain(self.pool, instance, solution, _largest_possible(instance))
        return ReviewBatch(instance.graders[solution.owner], instance.items[solution.items], items, anchor)

    def own(self, instance: Instance) -> NDArray[np.int64]:
        """Everybody's own item in local numbers, or -1."""
        local = np.full(self.pool.n_items + 1, -1, dtype=np.int64)  # the last is for "none", number -1
        local[instance.items] = np.arange(len(instance.items))
        return local[self.pool.own[instance.graders]]

    def may_see(self, graders: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of these items each of these graders may see."""
        return np.array([len(np.setdiff1d(items, self.pool.barred_of(int(g)))) for g in graders])


def _largest_possible(instance: Instance) -> int | None:
    """The largest common number of reviews below the one asked for that has a solution."""
    if instance.numbers.sum() > SEARCHED_REVIEWS:
        return None
    for number in range(int(instance.numbers.max()) - 1, 0, -1):
        numbers = np.minimum(instance.numbers, number)
        smaller = Instance(instance.graders, instance.items, numbers, instance.barred_starts, instance.barred)
        if not isinstance(solve(smaller, np.random.default_rng(0)), Bottleneck):
            return number
    return None


# -- impossibility --------------------------------------------------------------------------------


def _short_of_work(pool: Pool, instance: Instance) -> AllocationError | None:
    """Graders who, taken alone, have to review more items than they may see: all of them at once."""
    allowed = instance.allowed
    short = np.flatnonzero(instance.numbers > allowed)
    if not len(short):
        return None
    problems = [_too_few(pool, instance, int(g), int(instance.numbers[g]), int(allowed[g])) for g in short]
    names = _names(pool.graders, instance.graders[short])
    return AllocationError(problems, source=pool.source, graders=names)


def _short_of_graders(pool: Pool, instance: Instance) -> AllocationError | None:
    """Items that, taken alone, need more reviews than there are graders who may see them: all at once."""
    able = len(instance.graders) - np.bincount(instance.barred, minlength=len(instance.items))
    short = np.flatnonzero(able < instance.lower)
    if not len(short):
        return None
    names = _names(pool.items, instance.items[short])
    fix = "lift a conflict or lower the number of reviews per grader"
    problems = [
        Problem(
            f"needs {instance.lower} reviews like every item but only {able[k]} may see it",
            value=name,
            fix=fix,
        )
        for k, name in zip(short, names, strict=True)
    ]
    return AllocationError(problems, source=pool.source, items=names)


def _too_few(pool: Pool, instance: Instance, local: int, number: int, allowed: int) -> Problem:
    grader = int(instance.graders[local])
    why = _why_barred(pool, grader, instance)
    rule = f"has to review {number} of {len(instance.items)} items but may see only {allowed}{why}"
    fix = f"lower the number of reviews to {allowed}"
    if any((grader, int(item)) in pool.declared for item in instance.items[_barred(instance, local)]):
        fix += " or lift a conflict"
    line = int(pool.lines[grader])
    return Problem(rule, line=line, column="student", value=pool.graders[grader], fix=fix)


def _barred(instance: Instance, local: int) -> NDArray[np.int32]:
    return instance.barred[instance.barred_starts[local] : instance.barred_starts[local + 1]]


def _why_barred(pool: Pool, grader: int, instance: Instance) -> str:
    local = int(np.flatnonzero(instance.graders == grader)[0])
    barred = instance.items[_barred(instance, local)]
    conflicts = [item for item in barred.tolist() if (grader, item) in pool.declared]
    own = [item for item in barred.tolist() if (grader, item) not in pool.declared]
    parts = [f"own or own group's work: {shown(_names(pool.items, own))}"] if own else []
    parts += [f"conflicts: {shown(_names(pool.items, conflicts))}"] if conflicts else []
    return f" ({'; '.join(parts)})" if parts else ""


def _explain(pool: Pool, instance: Instance, neck: Bottleneck, possible: int | None) -> AllocationError:
    """The bottleneck in words: who, why, and what would make it possible."""
    graders, items = np.flatnonzero(neck.graders), np.flatnonzero(neck.items)
    describe = _crowded if neck.kind == "graders" else _starved
    rule = describe(pool, instance, graders, items)
    problem = Problem(rule, fix=_remedies(pool, instance, neck, possible))
    return AllocationError(
        [problem],
        source=pool.source,
        graders=_names(pool.graders, instance.graders[graders]),
        items=_names(pool.items, instance.items[items]),
    )


def _crowded(pool: Pool, instance: Instance, graders: NDArray[np.int64], items: NDArray[np.int64]) -> str:
    """Graders G may see the full items I, and few others: demand exceeds the room."""
    inside = np.zeros(len(instance.items), dtype=bool)
    inside[items] = True
    outside = sum(int((~inside).sum() - (~inside[_barred(instance, int(g))]).sum()) for g in graders)
    room, need = len(items) * instance.upper + outside, int(instance.numbers[graders].sum())
    who = shown(_names(pool.graders, instance.graders[graders]))
    return (
        f"the rules cannot all be kept: {who} have {need} reviews to give but there is room for only {room}:"
        f" {len(items)} items with at most {instance.upper} reviews each so that loads stay within one"
        + (f", and {outside} reviews of the others" if outside else "")
    )


def _starved(pool: Pool, instance: Instance, graders: NDArray[np.int64], items: NDArray[np.int64]) -> str:
    """Items I may be seen only by graders G and a few others: need exceeds what they can give."""
    inside, able = np.zeros(len(instance.items), dtype=bool), np.zeros(len(instance.graders), dtype=bool)
    inside[items], able[graders] = True, True
    owner = np.repeat(np.arange(len(instance.graders)), np.diff(instance.barred_starts))
    barred = np.bincount(owner[inside[instance.barred]], minlength=len(instance.graders))
    supply = int(instance.numbers[able].sum() + (len(items) - barred)[~able].sum())
    need = len(items) * instance.lower
    what = shown(_names(pool.items, instance.items[items]))
    return (
        f"the rules cannot all be kept: {what} need {need} reviews ({instance.lower} each so that loads stay"
        f" within one) but the graders who may see them can give only {supply}"
    )


def _remedies(pool: Pool, instance: Instance, neck: Bottleneck, possible: int | None) -> str:
    remedies = [] if possible is None else [f"ask for {possible} per grader (that works)"]
    conflicts = _conflicts_in_the_way(pool, instance, neck)
    if conflicts:
        remedies.append("lift a conflict: " + shown([f"{grader} with {item}" for grader, item in conflicts]))
    remedies.append("add graders without submissions, or change some people's number in a 'reviews' column")
    return "to make it possible: " + ", or ".join(remedies)


def _conflicts_in_the_way(pool: Pool, instance: Instance, neck: Bottleneck) -> list[tuple[str, str]]:
    """Declared conflicts across the cut: only lifting one of these can help."""
    if not pool.declared:
        return []
    graders = set(instance.graders[neck.graders].tolist())
    items = set(instance.items[neck.items].tolist())
    present = set(instance.graders.tolist()), set(instance.items.tolist())
    crossing = sorted(
        (grader, item)
        for grader, item in pool.declared
        if grader in present[0]
        and item in present[1]
        and (grader in graders, item in items) == ((True, False) if neck.kind == "graders" else (False, True))
    )
    return [(pool.graders[grader], pool.items[item]) for grader, item in crossing]


def _names(labels: pl.Series, numbers: Sequence[int] | NDArray[np.int64]) -> list[str]:
    return [str(labels[int(number)]) for number in numbers]


def shown(names: Sequence[str]) -> str:
    """A few of the names, and how many more."""
    text = ", ".join(names[:SHOWN_NAMES])
    return text if len(names) <= SHOWN_NAMES else f"{text} and {len(names) - SHOWN_NAMES} more"
