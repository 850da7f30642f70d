"""The Mallows model whose distance weighs every reversed pair by its score gap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from peerage._numba import kernel
from peerage.models._subsets import N_TABLES, bend_places, expect_places, sort_entries, sum_chains

MOST_ITEMS = 18  # 2^18 subsets: 15 megabytes of workspace and some ten milliseconds per list


@kernel
def _bucket_end(opens: Any, low: int, end: int) -> int:
    high = low + 1
    while high < end and not opens[high]:
        high += 1
    return high


@kernel
def _workspace(starts: Any) -> Any:
    """Room for the longest list, made once for all: order, subset sizes, three rows by item, tables by subset."""
    longest = 0
    for which in range(len(starts) - 1):
        longest = max(longest, starts[which + 1] - starts[which])
    order, held = np.empty(longest, dtype=np.int64), np.empty(1 << longest, dtype=np.int64)
    return order, held, np.empty((3, longest)), np.empty((N_TABLES, 1 << longest))


@kernel
def _add_orders(x: Any, low: int, high: int, sign: float, work: Any, lead: Any, grad: Any) -> float:
    """Add sign times log(sum over the orders of low:high of exp(-sum of x times place)).

    The answer is returned in two parts: the best order's exponent as coefficients ``lead`` of x, so that lists
    which agree with the scores lose nothing to cancellation, and the logarithm of the rest.
    """
    order, held, rows, tables = work
    size = high - low
    if size == 1:
        lead[low] -= sign
        grad[low] -= sign
        return 0.0
    sort_entries(x, low, high, order)
    total = sum_chains(x, order, size, held, rows[0], tables)
    expect_places(size, tables, rows[0])
    for rank in range(size):
        lead[order[rank]] -= sign * (size - rank)
        grad[order[rank]] -= sign * rows[0, rank]
    return sign * math.log(total)


@kernel
def slope(x: Any, t: Any, opens: Any, starts: Any, options: Any, value: Any, grad: Any, grad_t: Any) -> None:
    """Log-likelihood of every list, and its gradient in x.

    The orders that agree with a list are those of its first bucket at places 1, 2, ..., then those of the next.
    """
    work = _workspace(starts)
    lead = np.zeros(len(x))
    grad[:] = 0.0
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        value[which] = 0.0
        low = first
        while low < last:
            high = _bucket_end(opens, low, last)
            if high - low == last - first:  # one bucket: every order agrees with it
                break
            value[which] += _add_orders(x, low, high, 1.0, work, lead, grad)
            for e in range(low, high):
                lead[e] -= low - first
                grad[e] -= low - first
            low = high
        if low == last:
            value[which] += _add_orders(x, first, last, -1.0, work, lead, grad)
        for e in range(first, last):
            value[which] += lead[e] * (x[e] - x[first])


@kernel
def _add_bend(x: Any, v: Any, low: int, high: int, sign: float, work: Any, out: Any) -> None:
    order, held, rows, tables = work
    size = high - low
    sort_entries(x, low, high, order)
    sum_chains(x, order, size, held, rows[0], tables)
    middle = 0.0
    for e in range(low, high):
        middle += v[e] / size
    for rank in range(size):
        rows[1, rank] = v[order[rank]] - middle  # only differences matter; small ones must not drown
    bend_places(size, rows[1], tables, rows[2])
    for rank in range(size):
        out[order[rank]] -= sign * rows[2, rank]


@kernel
def bend(
    x: Any, t: Any, opens: Any, starts: Any, options: Any, v: Any, v_t: Any, out: Any, out_t: Any
) -> None:
    """Hessian of every list's log-likelihood in x, times v."""
    work = _workspace(starts)
    out[:] = 0.0
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        low = first
        while low < last:
            high = _bucket_end(opens, low, last)
            if high - low == last - first:
                break
            if high - low > 1:
                _add_bend(x, v, low, high, 1.0, work, out)
            low = high
        if low == last:
            _add_bend(x, v, first, last, -1.0, work, out)
