"""Sums over all k! orders of short lists, by dynamic programming over their 2^k subsets.

The order that puts item d at position pos(d) weighs exp(-sum_d x_d pos(d)). Count positions from the other
end: sum_d x_d pos(d) is the sum, over p = 1..k, of the x of the items at position p or later. So an order is
a chain of subsets, each one item larger than the one before, and its weight is a product of weights of
subsets. With the items sorted by x, let each subset of m items weigh exp(-(its x in total - the m smallest
x in total)): weights are at most 1, the best chain weighs exactly 1, and their sum lies between 1 and k!.
Nothing overflows and nothing that matters underflows, whatever the range of x, so no logarithms are needed
inside.

Additions wait for each other within a list but not between lists, so LANES lists of one length go through
together, one per column of every table.
"""

from __future__ import annotations

import math
from typing import Any

from peerage._numba import kernel

LANES = 4
N_TABLES = 6


@kernel
def sort_lanes(x: Any, runs: Any, size: int, order: Any) -> None:
    """Column by column, the entries of a run, smallest x first; columns to spare repeat the last run."""
    for lane in range(LANES):
        low = runs[min(lane, len(runs) - 1), 0]
        for entry in range(low, low + size):
            slot = entry - low
            while slot > 0 and x[order[slot - 1, lane]] > x[entry]:
                order[slot, lane] = order[slot - 1, lane]
                slot -= 1
            order[slot, lane] = entry


@kernel
def add_neighbours(table: Any, subset: int, items: int) -> tuple[float, float, float, float]:
    """In every column, the sum of ``table`` over the subsets that differ from this one in one item."""
    one = two = three = four = 0.0  # names, not an array: they stay in registers
    while items:
        item = items & -items
        row = table[subset ^ item]
        one += row[0]
        two += row[1]
        three += row[2]
        four += row[3]
        items ^= item
    return one, two, three, four


@kernel
def sum_chains(x: Any, order: Any, size: int, held: Any, factor: Any, tables: Any) -> None:
    """Weigh every subset of the sorted items and sum the chains that lead up to it."""
    weight, below = tables[0], tables[1]
    held[0] = 0
    weight[0, :] = 1.0
    below[0, :] = 1.0
    for top in range(size):
        for rank in range(top + 1):
            for lane in range(LANES):
                factor[rank, lane] = math.exp(x[order[rank, lane]] - x[order[top, lane]])
        bit = 1 << top
        for rest in range(bit):
            subset = bit | rest
            held[subset] = held[rest] + 1
            chains = add_neighbours(below, subset, subset)
            for lane in range(LANES):
                weight[subset, lane] = weight[rest, lane] * factor[held[rest], lane]
                below[subset, lane] = weight[subset, lane] * chains[lane]


@kernel
def sum_onward(size: int, tables: Any) -> None:
    """After ``sum_chains``: what the chains that lead on from a subset weigh, as a share of all chains.

    ``onward`` times ``below`` is the probability that the chain passes through a subset.
    """
    weight, below, above, onward = tables[0], tables[1], tables[2], tables[3]
    full = (1 << size) - 1
    above[full, :] = weight[full]
    scale = 1.0 / below[full]
    onward[full, :] = scale
    for subset in range(full - 1, -1, -1):
        chains = add_neighbours(above, subset, full ^ subset)
        for lane in range(LANES):
            above[subset, lane] = weight[subset, lane] * chains[lane]
            onward[subset, lane] = chains[lane] * scale[lane]


@kernel
def expect_positions(size: int, tables: Any, mean: Any) -> None:
    """Expected position of each of the sorted items, after ``sum_onward``.

    It is the sum of the probabilities of the subsets the item is in.
    """
    below, onward, part = tables[1], tables[3], tables[4]
    for subset in range(1 << size):
        for lane in range(LANES):
            part[subset, lane] = below[subset, lane] * onward[subset, lane]
    fold(size, part, mean)


@kernel
def expect_products(size: int, tables: Any, product: Any, total: Any) -> None:
    """Expected product of the positions of every two of the sorted items, after ``sum_onward``.

    The product of two positions counts the pairs of subsets of the chain, one with item i, one with item j.
    ``counted`` is ``below``, each chain times the number of its subsets that item i is in, up to here. It is
    zero where i is not in the subset, so half the subsets are enough. Pairs of a subset with itself are
    counted from both sides, hence half each time.
    """
    weight, below, onward, part, counted = tables[0], tables[1], tables[3], tables[4], tables[5]
    for i in range(size):
        for rest in range(1 << (size - 1)):
            low = rest & ((1 << i) - 1)
            others = ((rest ^ low) << 1) | low
            subset = others | (1 << i)
            chains = add_neighbours(counted, subset, others)
            for lane in range(LANES):
                count = weight[subset, lane] * chains[lane] + below[subset, lane]
                counted[subset, lane] = count
                part[rest, lane] = (count - 0.5 * below[subset, lane]) * onward[subset, lane]
        fold(size - 1, part, total)
        for j in range(size):
            if j != i:
                product[i, j] = total[j - 1 if j > i else j]
    for i in range(size):
        for j in range(i):
            product[i, j] += product[j, i]


@kernel
def fold(size: int, part: Any, total: Any) -> None:
    """For every item, the sum of ``part`` over the subsets it is in; ``part`` is used up."""
    for top in range(size - 1, -1, -1):
        bit = 1 << top
        total[top, :] = 0.0
        for rest in range(bit):
            for lane in range(LANES):
                total[top, lane] += part[bit | rest, lane]
                part[rest, lane] += part[bit | rest, lane]


@kernel
def differentiate_positions(size: int, turn: Any, tables: Any, derivative: Any) -> None:
    """Change of the expected positions while the sorted x move along ``turn``, after ``sum_chains``.

    This is ``sum_chains`` and ``expect_positions`` differentiated along ``turn``: the logarithm of a subset's
    weight falls by the turns of its items.
    """
    weight, below, above = tables[0], tables[1], tables[2]
    turned, d_below, d_above = tables[3], tables[4], tables[5]
    part = turned  # read for the last time where it is overwritten
    full = (1 << size) - 1
    _differentiate_below(size, turn, tables)
    scale = 1.0 / below[full]
    drift = d_below[full] * scale
    above[full, :] = weight[full]
    d_above[full, :] = -turned[full] * weight[full]
    part[full, :] = 0.0
    for subset in range(full - 1, -1, -1):
        on = add_neighbours(above, subset, full ^ subset)
        d_on = add_neighbours(d_above, subset, full ^ subset)
        for lane in range(LANES):
            above[subset, lane] = weight[subset, lane] * on[lane]
            fall = turned[subset, lane] * on[lane]
            d_above[subset, lane] = weight[subset, lane] * (d_on[lane] - fall)
            change = (d_below[subset, lane] - drift[lane] * below[subset, lane]) * on[lane]
            part[subset, lane] = (change + below[subset, lane] * d_on[lane]) * scale[lane]
    fold(size, part, derivative)


@kernel
def _differentiate_below(size: int, turn: Any, tables: Any) -> None:
    weight, below, turned, d_below = tables[0], tables[1], tables[3], tables[4]
    turned[0, :] = 0.0
    d_below[0, :] = 0.0
    for top in range(size):
        bit = 1 << top
        for subset in range(bit, 2 * bit):
            d_chains = add_neighbours(d_below, subset, subset)
            for lane in range(LANES):
                turned[subset, lane] = turned[subset ^ bit, lane] + turn[top, lane]
                fall = turned[subset, lane] * below[subset, lane]
                d_below[subset, lane] = weight[subset, lane] * d_chains[lane] - fall
