"""From a roster to an allocation: who reviews what, in which order; and reading one back from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._display import as_html
from peerage._numba import kernel
from peerage.allocation.designs import DEFAULT, DesignName, find_design
from peerage.allocation.pool import Conflicts, Pool, Sections, Submissions, as_pool, split_cohorts
from peerage.allocation.quality import Quality, measure_quality
from peerage.allocation.rules import DesignContext, ReviewBatch
from peerage.allocation.slots import random_below
from peerage.errors import DataError, MethodError, Problem
from peerage.reading.columns import find_columns
from peerage.reading.reader import open_table
from peerage.reading.table import as_labels, load_columns
from peerage.reading.vocabulary import SYNONYMS, Vocabulary
from peerage.roster.reader import RosterSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = Vocabulary({"grader": SYNONYMS["grader"], "item": SYNONYMS["item"], "slot": ()}, ranked=True)
COUNTED_CELLS = 50_000_000  # items by slots up to which they are counted


@dataclass(frozen=True, eq=False, repr=False)
class Allocation:
    """Reviews to be given, as numbers of a pool, sorted by grader and slot.

    Attributes
    ----------
    pool : the people and the work it was made for.
    graders, items, slots : int64[n_reviews]
    design, seed : how it was made; the same roster, design and seed give the same allocation.
    anchors : items that staff grade, in the design "calibrated".
    options : the other arguments of :func:`allocate`, for making it again another way.
    notes : what the instructor should know, one sentence each.
    """

    pool: Pool
    graders: NDArray[np.int64]
    items: NDArray[np.int64]
    slots: NDArray[np.int64]
    design: str = "given"
    seed: int | None = None
    anchors: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Allocation: {len(self.items)} reviews of {self.pool.n_items} items, design {self.design}>"

    def _repr_html_(self) -> str:
        return as_html(repr(self).strip("<>"), self.table(), self.notes)

    @cached_property
    def quality(self) -> Quality:
        """Loads, connectivity, co-occurrence and spectral gap."""
        return measure_quality(self.graders, self.items, self.pool.n_items)

    def table(self) -> pl.DataFrame:
        """One row per review: grader, item, slot, and the e-mail address where the roster has it."""
        columns = {
            "grader": self.pool.graders.gather(self.graders),
            "item": self.pool.items.gather(self.items),
            "slot": pl.Series(self.slots, dtype=pl.Int64),
        }
        if self.pool.emails is not None:
            columns["email"] = self.pool.emails.gather(self.graders)
        return pl.DataFrame(columns)

    def merge_table(self) -> pl.DataFrame:
        """One row per grader, with columns item_1, item_2, …: what an e-mail merge takes."""
        longest = int(self.slots.max(initial=0))
        counts = np.bincount(self.graders, minlength=self.pool.n_graders)
        people = np.flatnonzero(counts)
        columns = {"grader": self.pool.graders.gather(people)}
        if self.pool.emails is not None:
            columns["email"] = self.pool.emails.gather(people)
        row = np.searchsorted(people, self.graders)
        for slot in range(1, longest + 1):
            here = self.slots == slot
            labels = np.full(len(people), self.pool.n_items)
            labels[row[here]] = self.items[here]
            names = pl.concat([self.pool.items, pl.Series([None], dtype=pl.String)])
            columns[f"item_{slot}"] = names.gather(labels)
        return pl.DataFrame(columns)

    def write(self, path: str | PathLike[str]) -> None:
        """Write `table` as CSV."""
        self.table().write_csv(Path(path))


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
        Whether students or groups submit work, where the roster has no column ``item`` that says so.
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
    chosen = find_design(design)
    pool = as_pool(roster, submissions=submissions, conflicts=conflicts)
    rng = np.random.default_rng(seed)
    numbers = review_numbers(pool, per_grader, per_staff)
    context = DesignContext(pool, anchors, rng, staff_number=per_staff)
    cohorts = split_cohorts(pool, numbers, sections)
    batches = [batch for cohort in cohorts for batch in chosen.batches(context, cohort)]
    options = {"per_grader": per_grader, "sections": sections, "per_staff": per_staff}
    return _assemble(pool, batches, design, options, seed, rng)


def review_numbers(pool: Pool, per_grader: int, per_staff: int | None = None) -> NDArray[np.int64]:
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
    batches: list[ReviewBatch],
    design: str,
    options: Mapping[str, Any],
    seed: int,
    rng: np.random.Generator,
) -> Allocation:
    graders = np.concatenate([batch.graders for batch in batches])
    items = np.concatenate([batch.items for batch in batches])
    if not len(items):
        raise DataError("nobody on the roster gives a review: see the column 'reviews'", source=pool.source)
    _check_result(pool, graders, items, batches)
    order = np.lexsort((items, graders))
    graders, items = graders[order], items[order]
    slot = shuffled_slots(graders, items, pool.n_items, rng)
    listed = np.lexsort((slot, graders))
    anchors = [batch.among for batch in batches if batch.is_anchor]
    return Allocation(
        pool=pool,
        graders=graders[listed],
        items=items[listed],
        slots=slot[listed],
        design=design,
        seed=seed,
        anchors=tuple(pool.items.gather(np.unique(np.concatenate(anchors)))) if anchors else (),
        options=options,
        notes=(*pool.notes, *_notes(pool, items)),
    )


def _notes(pool: Pool, items: NDArray[np.int64]) -> list[str]:
    bare = int((np.bincount(items, minlength=pool.n_items) == 0).sum())
    return [f"{bare} of {pool.n_items} items get no review: there are too few reviews"] if bare else []


def _check_result(
    pool: Pool, graders: NDArray[np.int64], items: NDArray[np.int64], batches: list[ReviewBatch]
) -> None:
    """The last word: an allocation that breaks a rule never leaves this module."""
    numbers = np.bincount(graders, minlength=pool.n_graders)
    broken = broken_rules(pool, graders, items, numbers)
    for batch in batches:
        loads = np.bincount(batch.items, minlength=pool.n_items)[batch.among]
        broken += ["loads differ by more than one"] if np.ptp(loads) > 1 else []
    if broken:
        msg = f"the allocation found breaks a rule ({broken[0]}); this is a bug in Peerage"
        raise RuntimeError(msg)


def broken_rules(
    pool: Pool, graders: NDArray[np.int64], items: NDArray[np.int64], numbers: NDArray[np.int64]
) -> list[str]:
    """Every rule on lists that these reviews break, in words. Loads are the designs' business."""
    key = graders * np.int64(max(pool.n_items, 1)) + items
    owner = np.repeat(np.arange(pool.n_graders), np.diff(pool.barred_starts))
    barred = np.isin(key, owner * np.int64(max(pool.n_items, 1)) + pool.barred)
    broken = [
        f"{pool.graders[int(g)]} must not review {pool.items[int(i)]}"
        for g, i in zip(graders[barred], items[barred], strict=True)
    ]
    ordered = np.sort(key)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    broken += [
        f"{pool.graders[int(k // pool.n_items)]} has {pool.items[int(k % pool.n_items)]} twice" for k in again
    ]
    counts = np.bincount(graders, minlength=pool.n_graders)
    broken += [
        f"{pool.graders[int(g)]} has {counts[g]} reviews instead of {numbers[g]}"
        for g in np.flatnonzero(counts != numbers)
    ]
    return broken


def shuffled_slots(
    graders: NDArray[np.int64], items: NDArray[np.int64], n_items: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """A shuffled slot 1, 2, … within each list, every item in every slot about equally often.

    Shuffling alone makes order effects cancel on average over all items; counting makes them cancel for
    each item. Rows must be sorted by grader.
    """
    starts = np.flatnonzero(np.diff(graders, prepend=-1))
    edges = np.append(starts, len(graders)).astype(np.int64)
    longest = int(np.diff(edges).max(initial=0))
    counted = longest * n_items <= COUNTED_CELLS  # otherwise lists are so long that shuffling is enough
    seen = np.zeros((n_items if counted else 1, max(longest, 1)), dtype=np.int32)
    state = rng.integers(1, 2**63, size=1, dtype=np.uint64)
    order = rng.permutation(len(edges) - 1)
    slot = np.zeros(len(graders), dtype=np.int64)
    _arrange(edges, items, order, counted, seen, state, slot)
    return slot


@kernel
def _arrange(
    edges: NDArray[np.int64],
    items: NDArray[np.int64],
    order: NDArray[np.int64],
    counted: bool,
    seen: NDArray[np.int32],
    state: NDArray[np.uint64],
    slot: NDArray[np.int64],
) -> None:
    for g in order:
        low, high = edges[g], edges[g + 1]
        rows = np.arange(low, high)
        for k in range(high - low - 1, 0, -1):
            other = random_below(state, k + 1)
            rows[k], rows[other] = rows[other], rows[k]
        for k in range(high - low):
            best = k
            if counted:
                for r in range(k + 1, high - low):
                    if seen[items[rows[r]], k] < seen[items[rows[best]], k]:
                        best = r
                seen[items[rows[best]], k] += 1
            rows[k], rows[best] = rows[best], rows[k]
            slot[rows[k]] = k + 1


def read_allocation(source: Any) -> pl.DataFrame:
    """Read an allocation, or reviews submitted, as a table of grader and item (and slot).

    Raises :class:`DataError` where a column is missing, a cell is empty, or a grader has an item twice.
    """
    try:
        table = open_table(source)
    except FileNotFoundError as error:
        raise DataError("there is no such file", source=str(source)) from error
    columns = find_columns(table, {}, required=("grader", "item"), optional=("slot",), words=WORDS)
    cells = load_columns(table, columns)
    rows = cells.frame.select(as_labels(column) for column in cells.frame)
    rows = rows.with_columns(line=pl.Series(cells.lines(np.arange(len(rows))), dtype=pl.Int64))
    problems = [
        Problem(f"the {role} is empty", line=line, column=table.header[columns[role]])
        for role in ("grader", "item")
        for line in rows.filter(pl.col(role).is_null())["line"]
    ]
    again = rows.drop_nulls(["grader", "item"]).filter(~pl.struct("grader", "item").is_first_distinct())
    problems += [
        Problem(f"is given to {grader!r} twice", line=line, column="item", value=item, fix="delete one line")
        for line, grader, item in again.select("line", "grader", "item").iter_rows()
    ]
    if problems:
        raise DataError(problems, source=table.source)
    slot = pl.col("slot").cast(pl.Int64, strict=False) if "slot" in columns else pl.lit(None, pl.Int64)
    return rows.select("grader", "item", slot.alias("slot"))
