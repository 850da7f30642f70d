"""From a roster to an allocation: parts of the class, designs, rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.allocation.dealer import Dealer, Piece
from peerage.allocation.designs import DEFAULT, DesignName, design_named
from peerage.allocation.order import positions
from peerage.allocation.parts import Sections, parts_of
from peerage.allocation.pool import Conflicts, Pool, Submissions, pool_of
from peerage.allocation.result import Allocation
from peerage.allocation.rules import broken_rules
from peerage.errors import DataError, MethodError
from peerage.roster.reader import RosterSource

if TYPE_CHECKING:
    from numpy.typing import NDArray


def allocate(
    roster: Pool | RosterSource,
    per_grader: int,
    *,
    design: DesignName = DEFAULT,
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
    _check_options(per_grader, per_staff, sections)
    chosen = design_named(design)
    pool = pool_of(roster, submissions=submissions, conflicts=conflicts)
    rng = np.random.default_rng(seed)
    numbers = numbers_for(pool, per_grader, per_staff)
    dealer = Dealer(pool, anchors, rng, staff_number=per_staff)
    pieces = [chosen.pieces(dealer, part) for part in parts_of(pool, numbers, sections)]
    options = {"per_grader": per_grader, "sections": sections, "per_staff": per_staff}
    return _assemble(pool, pieces, design, options, seed, rng)


def numbers_for(pool: Pool, per_grader: int, per_staff: int | None = None) -> NDArray[np.int64]:
    """How many reviews everybody gives."""
    common = np.where(pool.is_staff, per_grader if per_staff is None else per_staff, per_grader)
    return np.where(pool.reviews >= 0, pool.reviews, common).astype(np.int64)


def _check_options(per_grader: int, per_staff: int | None, sections: str) -> None:
    if per_grader < 1:
        raise DataError(f"per_grader={per_grader}: everybody reviews at least 1 item")
    if per_staff is not None and per_staff < 0:
        raise DataError(f"per_staff={per_staff}: staff review 0 items or more")
    if sections not in ("pooled", "apart"):
        raise MethodError(f"sections={sections!r}: choose 'pooled' or 'apart'")


def _assemble(
    pool: Pool,
    pieces: list[list[Piece]],
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


def _check(pool: Pool, graders: NDArray[np.int64], items: NDArray[np.int64], pieces: list[Piece]) -> None:
    """The last word: an allocation that breaks a rule never leaves this module."""
    numbers = np.bincount(graders, minlength=pool.n_graders)
    broken = broken_rules(pool, graders, items, numbers)
    for piece in pieces:
        loads = np.bincount(piece.items, minlength=pool.n_items)[piece.among]
        broken += ["loads differ by more than one"] if np.ptp(loads) > 1 else []
    if broken:
        msg = f"the allocation found breaks a rule ({broken[0]}); this is a bug in Peerage"
        raise RuntimeError(msg)
