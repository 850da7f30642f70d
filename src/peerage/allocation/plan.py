"""From a roster to an allocation: parts of the class, designs, rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from peerage.allocation._slots import Slots
from peerage.allocation.designs.calibrated import anchor_numbers, choose_anchors
from peerage.allocation.designs.spread import spread
from peerage.allocation.designs.staff import bridge
from peerage.allocation.instance import Bottleneck, Instance, solve
from peerage.allocation.order import positions
from peerage.allocation.parts import Part, Sections, parts_of
from peerage.allocation.pool import Conflicts, Pool, Submissions, pool_of
from peerage.allocation.result import Allocation
from peerage.allocation.rules import broken_rules, explain, short_of_graders, short_of_work
from peerage.errors import DataError, MethodError
from peerage.roster import RosterSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

Design = Literal["spread", "random", "calibrated", "staff"]
DESIGNS = ("spread", "random", "calibrated", "staff")
SEARCHED_REVIEWS = 200_000  # above this, no smaller number of reviews is searched for in an error message


def allocate(
    roster: Pool | RosterSource,
    per_grader: int,
    *,
    design: Design = "spread",
    seed: int = 0,
    submissions: Submissions = "student",
    sections: Sections = "pooled",
    conflicts: Conflicts = "mutual",
    per_staff: int | None = None,
    anchors: int | Sequence[str] = 5,
) -> Allocation:
    """Decide who reviews what.

    Nobody gets their own work, their group's, an item they have a conflict with, or an item twice; everybody
    gets exactly their number of items; and items differ by at most one in their number of reviews (within a
    section where sections are apart; anchors among themselves).

    Parameters
    ----------
    roster : Roster, or what :func:`peerage.read_roster` reads
        One row per person; of a roster of several tasks, ``roster.for_task(task)``.
    per_grader : int
        Reviews per grader; a column ``reviews`` of the roster goes first.
    design : "spread", "random", "calibrated" or "staff"
        ``spread`` connects everybody and brings the same pair together as rarely as possible; ``random`` is
        only balanced; ``calibrated`` puts one anchor into every list; ``staff`` is ``spread`` with staff's
        lists chosen to bridge what students' lists connect least.
    submissions : "student" or "group"
        Whether students or groups hand in work, where the roster has no column ``item`` that says so.
    conflicts : "mutual" or "declared"
        Whether a conflict keeps both people from each other's work, or only the one who declares it.
    sections : "pooled" or "apart"
        Apart: nobody reviews work of another section. Staff without a section take work from all of them.
    per_staff : int, optional
        Reviews per staff member or external; like everybody by default (all anchors when calibrated).
    anchors : int or names
        The items that staff grade, when calibrated: so many at random (per section, where apart), or these.

    Raises
    ------
    AllocationError
        Where no allocation keeps every rule: it says who is in the way, why, and what would help.
    """
    _check_options(per_grader, per_staff, design, sections)
    pool = pool_of(roster, submissions=submissions, conflicts=conflicts)
    rng = np.random.default_rng(seed)
    numbers = numbers_for(pool, per_grader, per_staff)
    planner = _Planner(pool, design, anchors, rng, staff_number=per_staff)
    pieces = [planner.part(part) for part in parts_of(pool, numbers, sections)]
    options = {"per_grader": per_grader, "sections": sections, "per_staff": per_staff}
    return _assemble(pool, pieces, design, options, seed, rng)


def numbers_for(pool: Pool, per_grader: int, per_staff: int | None = None) -> NDArray[np.int64]:
    """How many reviews everybody gives."""
    common = np.where(pool.is_staff, per_grader if per_staff is None else per_staff, per_grader)
    return np.where(pool.reviews >= 0, pool.reviews, common).astype(np.int64)


def _check_options(per_grader: int, per_staff: int | None, design: str, sections: str) -> None:
    if per_grader < 1:
        raise DataError(f"per_grader={per_grader}: everybody reviews at least 1 item")
    if per_staff is not None and per_staff < 0:
        raise DataError(f"per_staff={per_staff}: staff review 0 items or more")
    if design not in DESIGNS:
        raise MethodError(f"design={design!r}: choose one of {', '.join(DESIGNS)}")
    if sections not in ("pooled", "apart"):
        raise MethodError(f"sections={sections!r}: choose 'pooled' or 'apart'")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Reviews decided together, in numbers of the roster; loads within a piece differ by at most one."""

    graders: NDArray[np.int64]
    items: NDArray[np.int64]
    among: NDArray[np.int64]
    is_anchor: bool = False


@dataclass(frozen=True, slots=True)
class _Planner:
    pool: Pool
    design: str
    anchors: int | Sequence[str]
    rng: np.random.Generator
    staff_number: int | None

    def part(self, part: Part) -> list[_Piece]:
        """The pieces of one part of the class."""
        if self.design == "staff" and not self.pool.is_staff[part.graders].any():
            msg = "the design 'staff' needs staff on the roster: give them the role staff or external"
            raise DataError(msg, source=self.pool.source)
        if self.design != "calibrated":
            return [self._piece(part.graders, part.items, part.numbers)]
        chosen = choose_anchors(self.pool, self.anchors, part.items, self.rng)
        if not len(chosen):
            raise DataError(f"{part.name} has none of the anchors", source=self.pool.source)
        others = np.setdiff1d(part.items, chosen)
        is_staff = self.pool.is_staff[part.graders]
        own_number = (self.pool.reviews[part.graders] >= 0) | (self.staff_number is not None)
        numbers = np.where(is_staff & ~own_number, len(chosen), part.numbers)
        first = anchor_numbers(numbers, is_staff, len(chosen))
        first = np.minimum(first, np.where(is_staff, self._may_see(part.graders, chosen), first))
        rest = np.where(is_staff & ~own_number, 0, numbers - first)
        return [
            self._piece(part.graders, chosen, first, anchor=True),
            self._piece(part.graders, others, rest),
        ]

    def _may_see(self, graders: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.array([len(np.setdiff1d(items, self.pool.barred_of(int(g)))) for g in graders])

    def _piece(
        self,
        graders: NDArray[np.int64],
        items: NDArray[np.int64],
        numbers: NDArray[np.int64],
        *,
        anchor: bool = False,
    ) -> _Piece:
        busy = numbers > 0
        barred = self.pool.barred_starts, self.pool.barred
        instance = Instance.cut(barred, graders[busy], items, numbers[busy])
        slots = self._solve(instance, "random" if anchor else self.design)
        return _Piece(instance.graders[slots.owner], instance.items[slots.items], items, anchor)

    def _solve(self, instance: Instance, design: str) -> Slots:
        short = short_of_work(self.pool, instance) or short_of_graders(self.pool, instance)
        if short is not None:
            raise short
        solved = (
            solve(instance, self.rng)
            if design == "random"
            else spread(instance, self._own(instance), self.rng)
        )
        if isinstance(solved, Bottleneck):
            raise explain(self.pool, instance, solved, largest_possible(instance))
        if design == "staff":
            bridge(solved, self.pool.is_staff[instance.graders], self.rng)
        return solved

    def _own(self, instance: Instance) -> NDArray[np.int64]:
        """Everybody's own item in local numbers, or -1."""
        local = np.full(self.pool.n_items + 1, -1, dtype=np.int64)  # the last is for "none", number -1
        local[instance.items] = np.arange(len(instance.items))
        return local[self.pool.own[instance.graders]]


def largest_possible(instance: Instance) -> int | None:
    """The largest common number of reviews below the one asked for that has a solution."""
    if instance.numbers.sum() > SEARCHED_REVIEWS:
        return None
    for number in range(int(instance.numbers.max()) - 1, 0, -1):
        numbers = np.minimum(instance.numbers, number)
        smaller = Instance(instance.graders, instance.items, numbers, instance.barred_starts, instance.barred)
        if not isinstance(solve(smaller, np.random.default_rng(0)), Bottleneck):
            return number
    return None


def _assemble(
    pool: Pool,
    pieces: list[list[_Piece]],
    design: str,
    options: Mapping[str, Any],
    seed: int,
    rng: np.random.Generator,
) -> Allocation:
    flat = [piece for part in pieces for piece in part]
    graders = np.concatenate([piece.graders for piece in flat])
    items = np.concatenate([piece.items for piece in flat])
    if not len(items):
        raise DataError("nobody on the roster gives a review: see the column 'reviews'", source=pool.source)
    _check(pool, graders, items, flat)
    order = np.lexsort((items, graders))
    graders, items = graders[order], items[order]
    place = positions(graders, items, pool.n_items, rng)
    listed = np.lexsort((place, graders))
    anchors = [piece.among for piece in flat if piece.is_anchor]
    return Allocation(
        pool=pool,
        graders=graders[listed],
        items=items[listed],
        positions=place[listed],
        design=design,
        seed=seed,
        anchors=tuple(pool.items.gather(np.unique(np.concatenate(anchors)))) if anchors else (),
        options=options,
        notes=(*pool.notes, *_notes(pool, items)),
    )


def _notes(pool: Pool, items: NDArray[np.int64]) -> list[str]:
    bare = int((np.bincount(items, minlength=pool.n_items) == 0).sum())
    return [f"{bare} of {pool.n_items} items get no review: there are too few reviews"] if bare else []


def _check(pool: Pool, graders: NDArray[np.int64], items: NDArray[np.int64], pieces: list[_Piece]) -> None:
    """The last word: an allocation that breaks a rule never leaves this module."""
    numbers = np.bincount(graders, minlength=pool.n_graders)
    broken = broken_rules(pool, graders, items, numbers)
    for piece in pieces:
        loads = np.bincount(piece.items, minlength=pool.n_items)[piece.among]
        broken += ["loads differ by more than one"] if np.ptp(loads) > 1 else []
    if broken:
        msg = f"the allocation found breaks a rule ({broken[0]}); this is a bug in Peerage"
        raise RuntimeError(msg)
