"""Orders written by hand: who ranked what, best first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from peerage.errors import DataError

FIX = "write (grader, [best, second, …]) for each of them, or a dictionary {grader: [best, second, …]}"


def named_orders(orders: Any) -> Iterator[tuple[str, list[list[str]]]]:
    """Every order with its grader, as buckets of tied items; DataError where it is not one.

    A text is made of letters, and ["P1", "P2"] would be grader P1 with the items P and 2.
    """
    pairs = orders.items() if isinstance(orders, Mapping) else orders
    for number, pair in enumerate(pairs, start=1):
        if isinstance(pair, str) or not isinstance(pair, Iterable) or len(parts := list(pair)) != 2:
            raise DataError(f"order {number}, {pair!r}, does not say whose it is: {FIX}")
        grader, order = parts
        if isinstance(order, str) or not isinstance(order, Iterable):
            raise DataError(f"order {number}, {pair!r}: {order!r} is not a list of items; {FIX}")
        yield grader, [_bucket(one) for one in order]


def _bucket(tied: Any) -> list[str]:
    return list(tied) if isinstance(tied, Iterable) and not isinstance(tied, str) else [tied]
