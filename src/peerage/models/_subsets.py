"""Sums over all k! orders of a short list, by dynamic programming over its 2^k subsets.

The order that puts item d at place pos(d) weighs exp(-sum_d x_d pos(d)). Count places from the other end:
sum_d x_d pos(d) is the sum, over p = 1..k, of the x of the items at place p or later. So an order is a
chain of subsets, each one item larger than the one before, and its weight is a product of weights of
subsets. With the items sorted by x, let each subset of m items weigh exp(-(its x in total - the m smallest
x in total)): weights are at most 1, the best chain weighs exactly 1, and their sum lies between 1 and k!.
Nothing overflows and nothing that matters underflows, whatever the spread of x, so no logarithms are needed
inside.
"""

from __future__ import annotations

import math
from typing import Any

from peerage._numba import kernel

N_TABLES = 7


@kernel
def sort_entries(x: Any, low: int, high: int, order: Any) -> None:
    """Put the entries low:high into ``order``, smallest x first."""
    for entry in range(low, high):
        slot = entry - low
        while slot > 0 and x[order[slot - 1]] > x[entry]:
            order[slot] = order[slot - 1]
            slot -= 1
        order[slot] = entry


@kernel
def sum_chains(x: Any, order: Any, size: int, held: Any, factor: Any, tables: Any) -> float:
    """Weigh every subset of ``order[:size]`` and sum the chains that lead up to it; return the sum of all."""
    weight, below = tables[0], tables[1]
    weight[0] = below[0] = 1.0
    held[0] = 0
    for top in range(size):
        for rank in range(top + 1):
            factor[rank] = math.exp(x[order[rank]] - x[order[top]])
        bit = 1 << top
        for rest in range(bit):
            subset = bit | rest
            held[subset] = held[rest] + 1
            weight[subset] = weight[rest] * factor[held[rest]]
            total = below[rest]
            left = rest
            while left:
                lowest = left & -left
                total += below[subset ^ lowest]
                left ^= lowest
            below[subset] = weight[subset] * total
    return float(below[(1 << size) - 1])


@kernel
def expect_places(size: int, tables: Any, mean: Any) -> None:
    """Expected place of each of the sorted items, after ``sum_chains``.

    ``above`` holds weight times the sum of the chains that lead on from a subset; ``part`` the probability
    that the chain passes through it, and an item's expected place is the sum of that over the subsets it is
    in.
    """
    weight, below, above, part = tables[0], tables[1], tables[2], tables[3]
    full = (1 << size) - 1
    above[full] = weight[full]
    part[full] = 1.0
    scale = 1.0 / below[full]
    for subset in range(full - 1, -1, -1):
        total = 0.0
        left = full ^ subset
        while left:
            lowest = left & -left
            total += above[subset | lowest]
            left ^= lowest
        above[subset] = weight[subset] * total
        part[subset] = below[subset] * total * scale
    fold(size, part, mean)


@kernel
def fold(size: int, part: Any, total: Any) -> None:
    """For every item, the sum of ``part`` over the subsets it is in; ``part`` is used up."""
    for top in range(size - 1, -1, -1):
        bit = 1 << top
        upper = 0.0
        for rest in range(bit):
            upper += part[bit | rest]
            part[rest] += part[bit | rest]
        total[top] = upper


@kernel
def bend_places(size: int, turn: Any, tables: Any, bent: Any) -> None:
    """Change of the expected places while the sorted x move along ``turn``, after ``sum_chains``.

    This is ``sum_chains`` and ``expect_places`` differentiated along ``turn``: the logarithm of a subset's
    weight falls by the turns of its items.
    """
    weight, below, above, part = tables[0], tables[1], tables[2], tables[3]
    turned, d_below, d_above = tables[4], tables[5], tables[6]
    full = (1 << size) - 1
    turned[0] = d_below[0] = 0.0
    for top in range(size):
        bit = 1 << top
        for rest in range(bit):
            subset = bit | rest
            turned[subset] = turned[rest] + turn[top]
            total = d_below[rest]
            left = rest
            while left:
                lowest = left & -left
                total += d_below[subset ^ lowest]
                left ^= lowest
            d_below[subset] = weight[subset] * total - turned[subset] * below[subset]
    scale = 1.0 / below[full]
    drift = d_below[full] * scale
    above[full] = weight[full]
    d_above[full] = -turned[full] * weight[full]
    part[full] = 0.0
    for subset in range(full - 1, -1, -1):
        total = d_total = 0.0
        left = full ^ subset
        while left:
            lowest = left & -left
            total += above[subset | lowest]
            d_total += d_above[subset | lowest]
            left ^= lowest
        above[subset] = weight[subset] * total
        d_above[subset] = weight[subset] * d_total - turned[subset] * above[subset]
        part[subset] = ((d_below[subset] - drift * below[subset]) * total + below[subset] * d_total) * scale
    fold(size, part, bent)
