"""Anchors: a few items that staff grade and that every list contains one of."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from peerage.allocation.designs.spread import spread
from peerage.allocation.instance import solve
from peerage.errors import DataError, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.dealer import Dealer, Piece
    from peerage.allocation.parts import Part
    from peerage.allocation.pool import Pool


def pieces(dealer: Dealer, part: Part) -> list[Piece]:
    """The anchors, one in every list and all of them for staff; and the other items, spread."""
    pool = dealer.pool
    chosen = choose_anchors(pool, dealer.anchors, part.items, dealer.rng)
    if not len(chosen):
        raise DataError(f"{part.name} has none of the anchors", source=pool.source)
    others = np.setdiff1d(part.items, chosen)
    is_staff = pool.is_staff[part.graders]
    own_number = (pool.reviews[part.graders] >= 0) | (dealer.staff_number is not None)
    numbers = np.where(is_staff & ~own_number, len(chosen), part.numbers)
    first = anchor_numbers(numbers, is_staff, len(chosen))
    first = np.minimum(first, np.where(is_staff, dealer.may_see(part.graders, chosen), first))
    rest = np.where(is_staff & ~own_number, 0, numbers - first)
    return [
        dealer.piece(part.graders, chosen, first, lambda one: solve(one, dealer.rng), anchor=True),
        dealer.piece(part.graders, others, rest, lambda one: spread(one, dealer.own(one), dealer.rng)),
    ]


def choose_anchors(
    pool: Pool, anchors: int | Sequence[str], items: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """The anchors among these items: the ones named, or so many at random."""
    if not isinstance(anchors, int):
        return np.intersect1d(_named(pool, anchors), items)
    if not 1 <= anchors <= len(items) - 1:
        msg = f"anchors={anchors}: choose between 1 and {len(items) - 1}, one less than there are items"
        raise DataError(msg, source=pool.source)
    return np.sort(rng.choice(items, size=anchors, replace=False))


def _named(pool: Pool, names: Sequence[str]) -> NDArray[np.int64]:
    number = {label: k for k, label in enumerate(pool.items)}
    unknown = [name for name in names if name not in number]
    if unknown or not names:
        raise DataError(
            [_unknown(name, number) for name in unknown] or "no anchors were named", source=pool.source
        )
    return np.array(sorted({number[name] for name in names}), dtype=np.int64)


def _unknown(name: str, known: dict[str, int]) -> Problem:
    close = difflib.get_close_matches(name, list(known), n=1)
    fix = (
        f"did you mean {close[0]!r}?"
        if close
        else "work from outside needs a line: role external, submits yes, reviews 0"
    )
    return Problem("is an anchor but not an item of the roster", value=name, fix=fix)


def anchor_numbers(
    numbers: NDArray[np.int64], is_staff: NDArray[np.bool_], n_anchors: int
) -> NDArray[np.int64]:
    """How many anchors everybody reviews: students one, staff all of them as far as their number goes."""
    return np.minimum(numbers, np.where(is_staff, n_anchors, 1))
