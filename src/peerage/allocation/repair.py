"""Repair an allocation that is under way: late submitters enter, no-shows leave, nothing done is touched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._display import as_html
from peerage._numba import kernel
from peerage.allocation.allocate import Allocation, read_allocation, review_numbers
from peerage.allocation.pool import Conflicts, Pool, Submissions, as_pool
from peerage.allocation.rules import AllocationError, shown
from peerage.allocation.slots import EMPTY, Slots, empty_slots, may_take, put, put_all, random_below
from peerage.allocation.solver import UNSEEN, cover
from peerage.errors import DataError, Problem
from peerage.feedback.container import Feedback
from peerage.roster.reader import RosterSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALL = 4_000_000  # a table of all graders by all items is no burden up to here
TRIES = 50  # of random graders for one more review of an item
MOVED = "moved, so that another item can be covered"
EXTRA = "replacement reviewer, one more than their number"
WITHIN = "replacement reviewer, within their number"

Source = str | PathLike[str] | pl.DataFrame | Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Repair:
    """What a repair did.

    Attributes
    ----------
    table : one row per review: grader, item, slot, status ("done", "kept" or "new").
    changes : one row per change: change ("remove" or "add"), grader, item, reason.
    allocation : the reviews among people and work still on the roster.
    extra : how many reviews somebody gives above their number, where any.
    coverage : the number of reviews that every item has at least, done ones included.
    """

    table: pl.DataFrame
    changes: pl.DataFrame
    allocation: Allocation
    extra: dict[str, int]
    coverage: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Repair: {len(self.changes)} changes, every item has at least {self.coverage} reviews>"

    def _repr_html_(self) -> str:
        return as_html(repr(self).strip("<>"), self.changes, self.notes)

    def write(self, path: str | PathLike[str]) -> None:
        """Write `table` as CSV."""
        self.table.write_csv(Path(path))


def repair(
    allocation: Allocation | Source,
    roster: Pool | RosterSource,
    per_grader: int,
    *,
    done: Feedback | Source | None = None,
    no_shows: Iterable[str] = (),
    coverage: int | None = None,
    submissions: Submissions = "student",
    conflicts: Conflicts = "mutual",
    per_staff: int | None = None,
    seed: int = 0,
) -> Repair:
    """Change an allocation as little as possible so that every item gets its reviews.

    Reviews that are done stay. Reviews to be given by people who left, or of work that is not there, go.
    Items then short of reviews get replacement reviewers: first people with fewer reviews than their number,
    then, evenly, people who do one more. Somebody else's pending review moves only where nothing else helps.

    Parameters
    ----------
    allocation : Allocation, path or frame
        What was given out: columns grader, item and slot.
    roster : Roster, or what :func:`peerage.read_roster` reads
        The class as it is now: late submitters added; people who left deleted, or marked by ``submits`` no
        (nothing to review) or ``reviews`` 0 (will not review).
    done : Feedback, path or frame, optional
        The reviews submitted so far: columns grader and item.
    no_shows : names
        People on the roster who will not give the reviews they still owe.
    coverage : int, optional
        Reviews that every item must have; by default the least that the allocation had planned for an item.

    Raises
    ------
    AllocationError
        Where an item cannot get that many: it names the items and how far one can go.
    """
    pool = as_pool(roster, submissions=submissions, conflicts=conflicts)
    planned = allocation.table() if isinstance(allocation, Allocation) else read_allocation(allocation)
    finished = _finished_reviews(done)
    absent = _absent_graders(pool, no_shows)
    numbers = np.where(absent, 0, review_numbers(pool, per_grader, per_staff))
    state = _RepairState.of(pool, planned, finished, numbers)
    wanted = _planned_coverage(planned, pool) if coverage is None else coverage
    rng = np.random.default_rng(seed)
    slots = _cover(state, wanted, rng)
    _fill_greedily(slots, state.base, rng.permutation(pool.n_items))
    return _report(state, slots)


def _finished_reviews(done: Feedback | Source | None) -> pl.DataFrame:
    if done is None:
        return pl.DataFrame(schema={"grader": pl.String, "item": pl.String})
    if isinstance(done, Feedback):
        graders, items = done.entry_graders, done.items
        done = pl.DataFrame(
            {"grader": done.grader_labels.gather(graders), "item": done.item_labels.gather(items)}
        ).unique(maintain_order=True)
    return read_allocation(done).select("grader", "item")


def _absent_graders(pool: Pool, no_shows: Iterable[str]) -> NDArray[np.bool_]:
    names = list(no_shows)
    unknown = sorted(set(names) - set(pool.graders))
    if unknown:
        fix = "people who left altogether are simply not on the roster"
        raise DataError([Problem("is a no-show but not on the roster", value=n, fix=fix) for n in unknown])
    return pool.graders.is_in(names).to_numpy()


@dataclass(frozen=True, slots=True, eq=False)
class _RepairState:
    """The reviews that stay, in the roster's numbers, and why the others go."""

    pool: Pool
    numbers: NDArray[np.int64]
    stay: pl.DataFrame  # grader, item (labels), done, g, i (numbers, null for people or work that left)
    gone: pl.DataFrame  # grader, item, reason
    base: NDArray[np.int64]  # done reviews of each item by people who left
    elsewhere: NDArray[np.int64]  # done reviews by each grader of work that left

    @classmethod
    def of(
        cls, pool: Pool, planned: pl.DataFrame, finished: pl.DataFrame, numbers: NDArray[np.int64]
    ) -> _RepairState:
        rows = _numbered(pool, planned, finished)
        owes = pl.Series(numbers > 0)
        reason = (
            pl.when(pl.col("done"))
            .then(None)
            .when(pl.col("g").is_null())
            .then(pl.lit("the grader is not on the roster"))
            .when(pl.col("i").is_null())
            .then(pl.lit("there is no submission to review"))
            .when(~pl.lit(owes).gather(pl.col("g").fill_null(0)))
            .then(pl.lit("the grader does not review"))
            .when(pl.col("barred"))
            .then(pl.lit("the grader must not see it"))
        )
        rows = rows.with_columns(reason=reason)
        stay = rows.filter(pl.col("reason").is_null())
        left, lost = stay.filter(pl.col("g").is_null()), stay.filter(pl.col("i").is_null())
        return cls(
            pool=pool,
            numbers=numbers,
            stay=stay.drop("reason", "barred"),
            gone=rows.filter(pl.col("reason").is_not_null()).select("grader", "item", "reason"),
            base=_counts(left["i"], pool.n_items),
            elsewhere=_counts(lost["g"], pool.n_graders),
        )

    @property
    def here(self) -> pl.DataFrame:
        """Reviews that stay among people and work on the roster."""
        return self.stay.filter(pl.col("g").is_not_null() & pl.col("i").is_not_null())


def _numbered(pool: Pool, planned: pl.DataFrame, finished: pl.DataFrame) -> pl.DataFrame:
    """All reviews planned or done, with numbers where the roster knows the names."""
    done = finished.with_columns(done=pl.lit(True))
    rows = planned.select("grader", "item", "slot").join(
        done, on=["grader", "item"], how="full", coalesce=True
    )
    graders = pl.DataFrame({"grader": pool.graders, "g": np.arange(pool.n_graders)})
    items = pl.DataFrame({"item": pool.items, "i": np.arange(pool.n_items)})
    owner = np.repeat(np.arange(pool.n_graders), np.diff(pool.barred_starts))
    barred = pl.DataFrame({"g": owner, "i": pool.barred.astype(np.int64)}).with_columns(barred=pl.lit(True))
    rows = rows.join(graders, on="grader", how="left").join(items, on="item", how="left")
    rows = rows.join(barred, on=["g", "i"], how="left")
    return rows.with_columns(pl.col("done", "barred").fill_null(False)).sort("grader", "slot", "item")


def _counts(numbers: pl.Series, size: int) -> NDArray[np.int64]:
    return np.bincount(numbers.drop_nulls().to_numpy().astype(np.int64), minlength=size).astype(np.int64)


def _planned_coverage(planned: pl.DataFrame, pool: Pool) -> int:
    present = planned.filter(pl.col("item").is_in(pool.items.implode()))
    least = (present if len(present) else planned)["item"].value_counts()["count"].min()
    return int(least) if isinstance(least, int) else 1


@dataclass(frozen=True, slots=True, eq=False)
class _ReviewArrays:
    """Reviews as flat arrays, sorted by grader."""

    graders: NDArray[np.int64]
    items: NDArray[np.int64]
    done: NDArray[np.bool_]

    @classmethod
    def from_state(cls, state: _RepairState) -> _ReviewArrays:
        here = state.here.sort("g")
        return cls(here["g"].to_numpy(), here["i"].to_numpy(), here["done"].to_numpy())

    @classmethod
    def from_slots(cls, slots: Slots) -> _ReviewArrays:
        full = slots.items != EMPTY
        return cls(
            slots.owner[full].astype(np.int64), slots.items[full].astype(np.int64), slots.frozen[full].copy()
        )


def _cover(state: _RepairState, wanted: int, rng: np.random.Generator) -> Slots:
    """Every item at ``wanted`` reviews, with as little extra work as possible; own slots may stay empty."""
    lower = np.maximum(wanted - state.base, 0)
    own = np.maximum(state.numbers - state.elsewhere, 0)
    reviews, short, extra = _ReviewArrays.from_state(state), -1, 0
    while True:
        slots = _lay_out(state.pool, reviews, own + extra * (state.numbers > 0), wanted, rng)
        kept = slots.items != EMPTY
        _cover_greedily(slots, lower)
        missing = _cover_exactly(slots, lower, kept, rng)
        reviews = _ReviewArrays.from_slots(slots)
        if missing == 0:
            return _lay_out(state.pool, reviews, own, wanted, rng)
        if missing == short:  # one more review from everybody helped nobody
            raise _uncovered(state, slots, lower, wanted)
        short, extra = missing, extra + 1


def _lay_out(
    pool: Pool, reviews: _ReviewArrays, numbers: NDArray[np.int64], wanted: int, rng: np.random.Generator
) -> Slots:
    """A table of slots with these reviews, and empty ones up to everybody's number."""
    counts = np.bincount(reviews.graders, minlength=pool.n_graders)
    size = np.maximum(numbers, counts)
    most = max(
        wanted, int(np.bincount(reviews.items, minlength=1).max()), -(-int(size.sum()) // pool.n_items)
    )
    most = pool.n_graders if pool.n_graders * pool.n_items <= SMALL else 2 * most + 4
    slots = empty_slots(size, pool.n_items, most, (pool.barred_starts, pool.barred), rng)
    first = np.cumsum(counts) - counts
    places = slots.starts[reviews.graders] + np.arange(len(reviews.graders)) - first[reviews.graders]
    put_all(slots, places, reviews.items)
    slots.frozen[places] = reviews.done
    return slots


@kernel
def _cover_greedily(slots: Slots, lower: NDArray[np.int64]) -> None:
    """Give items below ``lower`` to random graders with an empty slot."""
    empty = np.flatnonzero(slots.items == EMPTY)
    n_empty = len(empty)
    for item in range(len(slots.load)):
        tries = 0
        while slots.load[item] < lower[item] and tries < TRIES and n_empty > 0:
            tries += 1
            k = random_below(slots.state, n_empty)
            if may_take(slots, int(slots.owner[empty[k]]), item):
                put(slots, empty[k], item)
                n_empty -= 1
                empty[k] = empty[n_empty]


@kernel
def _fill_greedily(slots: Slots, base: NDArray[np.int64], shuffled: NDArray[np.int64]) -> None:
    """Fill every empty slot with an item that has the fewest reviews so far (``base``: those elsewhere).

    ``order`` stays sorted by that number: an item that gets one more changes places with the last of its
    equals. A slot that nothing may fill stays empty.
    """
    count = slots.load + base
    order = shuffled[np.argsort(count[shuffled], kind="mergesort")]
    ends = np.cumsum(np.bincount(count, minlength=count.max() + len(slots.items) + 2))
    for slot in range(len(slots.items)):
        if slots.items[slot] != EMPTY:
            continue
        for k in range(len(order)):
            item = order[k]
            if slots.load[item] < slots.holders.shape[1] and may_take(slots, int(slots.owner[slot]), item):
                put(slots, slot, item)
                ends[count[item]] -= 1
                last = ends[count[item]]
                order[k], order[last] = order[last], item
                count[item] += 1
                break


def _cover_exactly(
    slots: Slots, lower: NDArray[np.int64], kept: NDArray[np.bool_], rng: np.random.Generator
) -> int:
    """What greedy additions could not cover; returns how many reviews are still missing.

    First only additions make room for each other; what people hold already moves where that is not enough.
    """
    order = rng.permutation(len(slots.starts) - 1)
    done = slots.frozen.copy()
    for fixed in (done | kept, done):
        slots.frozen[:] = fixed
        _search(slots, lower, order)
    return int(np.maximum(lower - slots.load, 0).sum())


def _search(slots: Slots, lower: NDArray[np.int64], order: NDArray[np.int64]) -> None:
    """From an item that a failed search reached, no other search can succeed: one failure is enough."""
    link = np.full(len(slots.load), UNSEEN, dtype=np.int32)
    hopeless = np.zeros(len(slots.load), dtype=bool)
    for item in np.flatnonzero(slots.load < lower):
        while slots.load[item] < lower[item] and not hopeless[item]:
            if not cover(slots, int(item), lower, link, order):
                hopeless |= link != UNSEEN


def _uncovered(state: _RepairState, slots: Slots, lower: NDArray[np.int64], wanted: int) -> AllocationError:
    short = np.flatnonzero(slots.load < lower)
    names = [str(state.pool.items[int(item)]) for item in short]
    possible = int((slots.load + state.base).min())
    rule = f"{shown(names)} cannot get {wanted} reviews from the people who may see them and still review"
    fix = f"ask for {possible} reviews per item (coverage={possible}), lift conflicts, or add graders"
    return AllocationError([Problem(rule, fix=fix)], source=state.pool.source, items=names)


def _report(state: _RepairState, slots: Slots) -> Repair:
    pool, reviews = state.pool, _ReviewArrays.from_slots(slots)
    now = pl.DataFrame({"g": reviews.graders, "i": reviews.items})
    before = state.here.select("g", "i", "slot", "done")
    rows = now.join(before.with_columns(old=pl.lit(True)), on=["g", "i"], how="left")
    moved = state.here.join(now, on=["g", "i"], how="anti").select("grader", "item", reason=pl.lit(MOVED))
    rows = _with_slots(rows).with_columns(
        grader=pool.graders.gather(rows["g"]),
        item=pool.items.gather(rows["i"]),
        status=pl.when("done").then(pl.lit("done")).when("old").then(pl.lit("kept")).otherwise(pl.lit("new")),
    )
    left = state.stay.filter(pl.col("g").is_null() | pl.col("i").is_null())
    columns = ("grader", "item", "slot", "status")
    outside = left.with_columns(status=pl.lit("done")).select(columns)
    table = pl.concat([rows.select(columns), outside]).sort("grader", "slot", "item", nulls_last=True)
    listed = rows.sort("g", "slot")
    counts = np.bincount(reviews.graders, minlength=pool.n_graders) + state.elsewhere
    return Repair(
        table=table,
        changes=_changes(pl.concat([state.gone, moved]), rows, state),
        allocation=Allocation(
            pool, listed["g"].to_numpy(), listed["i"].to_numpy(), listed["slot"].to_numpy(), "repaired"
        ),
        extra=_extra(state, counts),
        coverage=int((np.bincount(reviews.items, minlength=pool.n_items) + state.base).min()),
        notes=_notes(state, counts),
    )


def _with_slots(rows: pl.DataFrame) -> pl.DataFrame:
    """Old reviews keep their slot in the list, new ones follow at its end."""
    last = pl.col("slot").max().over("g").fill_null(0)
    added = pl.col("slot").is_null().cast(pl.Int64).cum_sum().over("g")
    return rows.with_columns(pl.coalesce("slot", last + added).alias("slot"))


def _changes(removed: pl.DataFrame, rows: pl.DataFrame, state: _RepairState) -> pl.DataFrame:
    own = pl.Series(state.numbers - state.elsewhere)
    place = pl.int_range(pl.len()).over("g") + 1
    added = (
        rows.sort("g", pl.col("old").fill_null(False), descending=[False, True])
        .with_columns(above=place > own.gather(rows.sort("g")["g"]))
        .filter(pl.col("old").is_null())
        .with_columns(reason=pl.when("above").then(pl.lit(EXTRA)).otherwise(pl.lit(WITHIN)))
    )
    columns = ("change", "grader", "item", "reason")
    return pl.concat(
        [
            removed.with_columns(change=pl.lit("remove")).select(columns),
            added.with_columns(change=pl.lit("add")).select(columns),
        ]
    ).sort("grader", "change", "item", descending=[False, True, False])


def _extra(state: _RepairState, counts: NDArray[np.int64]) -> dict[str, int]:
    above = np.where(state.numbers > 0, counts - state.numbers, 0)
    return {str(state.pool.graders[int(g)]): int(above[g]) for g in np.flatnonzero(above > 0)}


def _notes(state: _RepairState, counts: NDArray[np.int64]) -> tuple[str, ...]:
    short = [str(state.pool.graders[int(g)]) for g in np.flatnonzero(counts < state.numbers)]
    return (f"no more items may be given to {shown(short)}, who stay below their number",) if short else ()
