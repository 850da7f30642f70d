"""A list as a run of choices: from the top, each item is chosen among those that are still there.

Two numbers by item say all about a choice: its power exp(x), and its odds, one over the summed powers of
all that could have been chosen. From these, found once per point, every derivative of a list of k items costs
a walk up and a walk down the list, where its pairs of items would be k (k - 1) / 2.

Rows of a list's Hessian sum to zero: directions are taken relative to the first item's, so that rounding is
relative to differences within the list, which are all that counts.

Powers are relative to the middle of the list. Where its items are too far apart for that, the first power is
FAR, and everything is found choice by choice, from logarithms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from peerage._numba import kernel
from peerage.models.lists import bucket_end, longest_of, middle_of
from peerage.models.smooth.off_diagonal import ROOM, add_list

TINY = 1e-100  # products of chances are logged before they vanish
FAR = -1.0  # as power: too far apart for exponentials


@kernel
def value_and_gradient(
    x: Any, bucket_starts: Any, starts: Any, shared: bool, value: Any, grad: Any, power: Any, odds: Any
) -> None:
    """Log-likelihood of every list, its gradient in x, and powers and odds."""
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        middle, near = middle_of(x, first, last)
        if not near:
            power[first] = FAR
            value[which] = _far_gradient(x, bucket_starts, first, last, shared, grad)
            continue
        for e in range(first, last):
            power[e] = math.exp(x[e] - middle)
        if shared:
            value[which] = _shared_odds(power, bucket_starts, first, last, odds)
            _shared_gradient(power, odds, bucket_starts, first, last, grad)
        else:
            value[which] = _odds(power, bucket_starts, first, last, odds)
            _gradient(power, odds, bucket_starts, first, last, grad)


@kernel
def _odds(power: Any, bucket_starts: Any, first: int, last: int, odds: Any) -> float:
    """From the bottom up, items tied with the chosen one left aside; the log of all chances."""
    value, product = 0.0, 1.0  # one log for many items
    below = tied = 0.0
    for e in range(last - 1, first - 1, -1):
        odds[e] = 1.0 / (power[e] + below)
        product *= power[e] * odds[e]
        if product < TINY:
            value += math.log(product)
            product = 1.0
        tied += power[e]
        if bucket_starts[e]:
            below += tied
            tied = 0.0
    return value + math.log(product)


@kernel
def _gradient(power: Any, odds: Any, bucket_starts: Any, first: int, last: int, grad: Any) -> None:
    """What an item could have been chosen in the place of, from the top down."""
    above = tied = 0.0
    for e in range(first, last):
        if bucket_starts[e]:
            above += tied
            tied = 0.0
        tied += odds[e]
        grad[e] = 1.0 - power[e] * (above + odds[e])


@kernel
def _shared_odds(power: Any, bucket_starts: Any, first: int, last: int, odds: Any) -> float:
    """The same where each of the tied ones is chosen among all of them."""
    value, product, below = 0.0, 1.0, 0.0
    end = last
    while end > first:
        start = end - 1
        below += power[start]
        while not bucket_starts[start]:
            start -= 1
            below += power[start]
        for e in range(start, end):
            odds[e] = 1.0 / below
            product *= power[e] * odds[e]
            if product < TINY:
                value += math.log(product)
                product = 1.0
        end = start
    return value + math.log(product)


@kernel
def _shared_gradient(power: Any, odds: Any, bucket_starts: Any, first: int, last: int, grad: Any) -> None:
    above, start = 0.0, first
    while start < last:
        end = bucket_end(bucket_starts, start, last)
        above += (end - start) * odds[start]
        for e in range(start, end):
            grad[e] = 1.0 - power[e] * above
        start = end


# -- the Hessian times a direction --------------------------------------------------------------------


@kernel
def multiply(
    x: Any, bucket_starts: Any, starts: Any, shared: bool, power: Any, odds: Any, v: Any, out: Any
) -> None:
    """Hessian of every list's log-likelihood in x, times v."""
    longest, low = longest_of(starts), int(np.int64(0))  # a literal 0 would be one more type to compile for
    near, room = np.empty(max(ROOM, longest)), np.empty(longest)
    while low < len(starts) - 1:
        high = _run_end(starts, low, len(near))
        first, last = starts[low], starts[high]
        near[: last - first] = v[first:last]
        _multiply_run(x, bucket_starts, starts, low, high, shared, power, odds, near, room)
        for e in range(first, last):
            out[e] = -near[e - first]
        low = high


@kernel
def add_product(
    lists: Any, x: Any, shared: bool, power: Any, odds: Any, scales: Any, direction: Any, by_item: Any
) -> None:
    """Add the Hessian of minus the log-likelihood in the scores, times a direction."""
    starts, longest, low = lists.starts, longest_of(lists.starts), int(np.int64(0))
    near, room = np.empty(max(ROOM, longest)), np.empty(longest)
    while low < len(starts) - 1:
        high = _run_end(starts, low, len(near))
        first, last = starts[low], starts[high]
        for e in range(first, last):
            near[e - first] = direction[lists.items[e]]
        _multiply_run(x, lists.bucket_starts, starts, low, high, shared, power, odds, near, room)
        for which in range(low, high):
            scale = scales[lists.graders[which]]
            factor = lists.weights[which] * scale * scale
            for e in range(starts[which], starts[which + 1]):
                by_item[lists.items[e]] += factor * near[e - first]
        low = high


@kernel
def _run_end(starts: Any, low: int, room: int) -> int:
    """The list behind those that are fetched together with this one: all that there is room for."""
    high = low + 1
    while high < len(starts) - 1 and starts[high + 1] - starts[low] <= room:
        high += 1
    return high


@kernel
def _multiply_run(
    x: Any,
    bucket_starts: Any,
    starts: Any,
    low: int,
    high: int,
    shared: bool,
    power: Any,
    odds: Any,
    v: Any,
    mean: Any,
) -> None:
    """Minus the Hessian of each of these lists, times v, in its place; v begins with the first one."""
    if shared:
        _multiply_shared(x, bucket_starts, starts, low, high, power, odds, v, mean)
        return
    shift = starts[low]
    for which in range(low, high):
        first, last = starts[which], starts[which + 1]
        if first == last:
            continue
        if power[first] == FAR:
            _multiply_far(x, bucket_starts, first, last, shared, v[first - shift : last - shift], mean)
            continue
        origin, below, tied = v[first - shift], 0.0, 0.0
        for e in range(last - 1, first - 1, -1):
            v[e - shift] -= origin
            part = power[e] * v[e - shift]
            mean[e - first] = odds[e] * odds[e] * (part + below)
            tied += part
            if bucket_starts[e]:
                below += tied
                tied = 0.0
        above, above_v, tied, tied_v = 0.0, 0.0, 0.0, 0.0
        for e in range(first, last):
            if bucket_starts[e]:
                above += tied
                above_v += tied_v
                tied, tied_v = 0.0, 0.0
            tied += odds[e]
            tied_v += mean[e - first]
            v[e - shift] = power[e] * (v[e - shift] * (above + odds[e]) - (above_v + mean[e - first]))


@kernel
def _multiply_shared(
    x: Any, bucket_starts: Any, starts: Any, low: int, high: int, power: Any, odds: Any, v: Any, mean: Any
) -> None:
    """The same where each of the tied ones is chosen among all of them."""
    shift = starts[low]
    for which in range(low, high):
        first, last = starts[which], starts[which + 1]
        if first == last:
            continue
        if power[first] == FAR:
            _multiply_far(x, bucket_starts, first, last, True, v[first - shift : last - shift], mean)
            continue
        origin, below = v[first - shift], 0.0
        for e in range(last - 1, first - 1, -1):
            v[e - shift] -= origin
            below += power[e] * v[e - shift]
            mean[e - first] = odds[e] * odds[e] * below  # of a bucket, that of its first entry is whole
        above, above_v, start = 0.0, 0.0, first
        while start < last:
            end = bucket_end(bucket_starts, start, last)
            above += (end - start) * odds[start]
            above_v += (end - start) * mean[start - first]
            for e in range(start, end):
                v[e - shift] = power[e] * (v[e - shift] * above - above_v)
            start = end


# -- the Hessian itself -------------------------------------------------------------------------------


@kernel
def add_diagonal(lists: Any, x: Any, shared: bool, power: Any, odds: Any, scales: Any, by_item: Any) -> None:
    """Add the diagonal of the Hessian of minus the log-likelihood in the scores."""
    own = np.empty(longest_of(lists.starts))
    for which in range(len(lists.graders)):
        first, last = lists.starts[which], lists.starts[which + 1]
        if first == last:
            continue
        scale = scales[lists.graders[which]]
        factor = lists.weights[which] * scale * scale
        if power[first] == FAR:
            _fill_far_diagonal(x, lists.bucket_starts, first, last, shared, own)
        elif shared:
            _fill_shared_diagonal(lists.bucket_starts, first, last, power, odds, own)
        else:
            _fill_diagonal(lists.bucket_starts, first, last, power, odds, own)
        for e in range(first, last):
            by_item[lists.items[e]] += factor * own[e - first]


@kernel
def _fill_diagonal(bucket_starts: Any, first: int, last: int, power: Any, odds: Any, own: Any) -> None:
    """Every choice that an item is part of adds p (1 - p), p being its chance to be chosen."""
    above = squares = tied = tied_squares = 0.0
    for e in range(first, last):
        if bucket_starts[e]:
            above += tied
            squares += tied_squares
            tied = tied_squares = 0.0
        tied += odds[e]
        tied_squares += odds[e] * odds[e]
        chances = power[e] * (above + odds[e])
        own[e - first] = max(0.0, chances - power[e] * power[e] * (squares + odds[e] * odds[e]))


@kernel
def _fill_shared_diagonal(bucket_starts: Any, first: int, last: int, power: Any, odds: Any, own: Any) -> None:
    above, squares, start = 0.0, 0.0, first
    while start < last:
        end = bucket_end(bucket_starts, start, last)
        above += (end - start) * odds[start]
        squares += (end - start) * odds[start] * odds[start]
        for e in range(start, end):
            own[e - first] = max(0.0, power[e] * above - power[e] * power[e] * squares)
        start = end


@kernel
def add_matrix(lists: Any, x: Any, shared: bool, power: Any, odds: Any, scales: Any, matrix: Any) -> None:
    """Add the same Hessian to a dense matrix, items by items."""
    longest = longest_of(lists.starts)
    pairs = np.empty(longest * (longest - 1) // 2)
    for which in range(len(lists.graders)):
        first, last = lists.starts[which], lists.starts[which + 1]
        if first == last:
            continue
        _fill_pairs(x, lists.bucket_starts, first, last, shared, power, odds, pairs)
        scale = scales[lists.graders[which]]
        add_list(
            lists.items, first, last, lists.weights[which] * scale * scale, pairs, int(np.int64(0)), matrix
        )


@kernel
def fill_pairs(
    x: Any, bucket_starts: Any, starts: Any, shared: bool, power: Any, odds: Any, out: Any
) -> None:
    """What every list's Hessian has beside its diagonal, as off_diagonal.py keeps it."""
    at = 0
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        if first < last:
            _fill_pairs(x, bucket_starts, first, last, shared, power, odds, out[at:])
        at += (last - first) * (last - first - 1) // 2


@kernel
def _fill_pairs(
    x: Any, bucket_starts: Any, first: int, last: int, shared: bool, power: Any, odds: Any, pairs: Any
) -> None:
    """The Hessian of a list beside its diagonal: two items are coupled in every choice that both are part of.

    These are the choices of all items above both, and that of the better of the two; where tied items are
    chosen among each other, those of its whole bucket.
    """
    if power[first] == FAR:
        _fill_far_pairs(x, bucket_starts, first, last, shared, pairs)
        return
    above, start, at = 0.0, first, 0
    while start < last:
        end = bucket_end(bucket_starts, start, last)
        added = 0.0
        for e in range(start, end):
            added += odds[e] * odds[e]
        for e in range(start, end):
            tied = power[e] * (above + added if shared else above)
            strict = power[e] * (above + added if shared else above + odds[e] * odds[e])
            for f in range(e + 1, last):
                pairs[at] = (tied if f < end else strict) * power[f]
                at += 1
        above += added
        start = end


# -- items too far apart for exponentials -------------------------------------------------------------


@kernel
def _rivals(bucket_starts: Any, e: int, last: int, shared: bool) -> int:
    """Where the items begin that e was chosen among; where they do not include it, it was there as well."""
    start = e
    if shared:
        while not bucket_starts[start]:
            start -= 1
        return start
    return bucket_end(bucket_starts, e, last)


@kernel
def _among(x: Any, e: int, rivals: int, last: int) -> tuple[float, float]:
    """The largest x of e and the entries from rivals on, and the sum of exp(x) over them, relative to it."""
    high = x[e]
    for f in range(rivals, last):
        high = max(high, x[f])
    total = 0.0 if rivals <= e else math.exp(x[e] - high)
    for f in range(rivals, last):
        total += math.exp(x[f] - high)
    return high, total


@kernel
def _far_gradient(x: Any, bucket_starts: Any, first: int, last: int, shared: bool, grad: Any) -> float:
    """Value and gradient choice by choice."""
    value = 0.0
    grad[first:last] = 1.0
    for e in range(first, last):
        rivals = _rivals(bucket_starts, e, last, shared)
        high, total = _among(x, e, rivals, last)
        value += x[e] - high - math.log(total)
        if rivals > e:
            grad[e] -= math.exp(x[e] - high) / total
        for f in range(rivals, last):
            grad[f] -= math.exp(x[f] - high) / total
    return value


@kernel
def _multiply_far(
    x: Any, bucket_starts: Any, first: int, last: int, shared: bool, v: Any, product: Any
) -> None:
    """The product choice by choice, directions relative to that of the chosen one."""
    product[: last - first] = 0.0
    for e in range(first, last):
        rivals = _rivals(bucket_starts, e, last, shared)
        high, total = _among(x, e, rivals, last)
        origin, mean = v[e - first], 0.0
        for f in range(rivals, last):
            mean += math.exp(x[f] - high) / total * (v[f - first] - origin)
        if rivals > e:
            product[e - first] -= math.exp(x[e] - high) / total * mean
        for f in range(rivals, last):
            product[f - first] += math.exp(x[f] - high) / total * (v[f - first] - origin - mean)
    v[:] = product[: last - first]


@kernel
def _fill_far_diagonal(x: Any, bucket_starts: Any, first: int, last: int, shared: bool, own: Any) -> None:
    own[: last - first] = 0.0
    for e in range(first, last):
        rivals = _rivals(bucket_starts, e, last, shared)
        high, total = _among(x, e, rivals, last)
        if rivals > e:
            chance = math.exp(x[e] - high) / total
            own[e - first] += chance * (1.0 - chance)
        for f in range(rivals, last):
            chance = math.exp(x[f] - high) / total
            own[f - first] += chance * (1.0 - chance)


@kernel
def _fill_far_pairs(x: Any, bucket_starts: Any, first: int, last: int, shared: bool, pairs: Any) -> None:
    k = last - first
    pairs[: k * (k - 1) // 2] = 0.0
    for choice in range(first, last):
        rivals = _rivals(bucket_starts, choice, last, shared)
        high, total = _among(x, choice, rivals, last)
        at = 0
        for e in range(first, last):
            for f in range(e + 1, last):
                if (e == choice or e >= rivals) and (f == choice or f >= rivals):
                    pairs[at] += math.exp(x[e] - high) / total * math.exp(x[f] - high) / total
                at += 1
