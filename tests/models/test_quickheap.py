"""The quickheap of Algorithm 2 against looking at every sum, every time."""

from itertools import product

import numpy as np
import pytest

from peerage.models.mallows.quickheap import FEW_LEFT, MAX_LEVELS, Quickheap, decrease_key, open_heap, pop_min

MOST = 2**13
GONE = 2**14
UNTOUCHED = 2**14 + 7


def heap_of(x):
    n = len(x)
    heap = Quickheap(
        items=np.random.default_rng(0).permutation(n).astype(np.int32),
        slot=np.empty(n, dtype=np.int32),
        ends=np.full(3 * MAX_LEVELS, UNTOUCHED)[:MAX_LEVELS],
        pivots=np.full(3 * MAX_LEVELS, UNTOUCHED, dtype=x.dtype)[:MAX_LEVELS],
    )
    open_heap(heap, MOST)
    return heap


def served(x, changes):
    """The items in the order they come, group by group; after each group some sums change."""
    heap, head, inner, groups = heap_of(x), 0, 0, []
    while head < len(x):
        end, inner = pop_min(heap, x, head, inner)
        groups.append(sorted(heap.items[head:end].tolist()))
        x[heap.items[head:end]] = GONE
        for item, by in changes(len(groups), set(heap.items[end:].tolist())):
            x[item] += by
            if by < 0 and x[item] <= heap.pivots[1]:
                decrease_key(heap, inner, item, x[item])
        head = end
    assert (heap.ends.base[MAX_LEVELS:] == UNTOUCHED).all()
    assert (heap.pivots.base[MAX_LEVELS:] == UNTOUCHED).all()
    return groups


def expected(x, changes):
    """The same by definition."""
    groups, left = [], set(range(len(x)))
    while left:
        smallest = min(x[item] for item in left)
        groups.append(sorted(item for item in left if x[item] == smallest))
        left -= set(groups[-1])
        for item, by in changes(len(groups), left):
            x[item] += by
    return groups


def random_changes(n, size=25):
    """What changes after each group, made up beforehand; items that are gone are left alone."""
    random = np.random.default_rng(n)
    items, steps = random.integers(0, n, (n, size)).tolist(), random.integers(-6, 4, (n, size)).tolist()

    def changes(number, left):
        script = zip(items[number % n], steps[number % n], strict=True)
        return [(item, by) for item, by in script if item in left]

    return changes


SUMS = {
    "few values": lambda random, n: random.integers(-20, 20, n),
    "all different": lambda random, n: random.permutation(n) - n // 2,
    "all equal": lambda random, n: np.zeros(n),
    "nearly all equal": lambda random, n: np.where(random.random(n) < 0.05, random.integers(-900, 0, n), 5),
    "falling": lambda random, n: -np.arange(n),
}


@pytest.mark.parametrize("sums", SUMS)
def test_the_smallest_come_first_whatever_changes(sums):
    for n, kind in product([1, 2, FEW_LEFT, FEW_LEFT + 1, 700], [np.int16, np.int64]):
        x = SUMS[sums](np.random.default_rng(n), n).astype(kind)

        groups = served(x.copy(), random_changes(n))

        assert groups == expected(x.astype(np.int64), random_changes(n)), (n, kind)


def test_levels_do_not_run_out():
    """After every group one item falls below it and one to its level: a level within every level."""
    n = 4 * MAX_LEVELS

    def changes(number, left):
        below, level = n - 2 * number, n - 2 * number + 1
        return [(item, by) for item, by in ((below, -2000 - number), (level, -1999 - number)) if item in left]

    x = np.arange(n)

    assert served(x.copy(), changes) == expected(x.copy(), changes)


def test_the_array_is_not_searched_again_for_every_item():
    """A few items below a large tie: each costs a look at a small level, not at all items."""
    x = np.full(20_000, 5, dtype=np.int64)
    x[:300] = -np.arange(300)
    heap, head, inner, looked_at = heap_of(x), 0, 0, 0
    for _ in range(300):
        end, inner = pop_min(heap, x, head, inner)
        x[heap.items[head:end]] = GONE
        looked_at += heap.ends[max(inner - 1, 0)] - head if inner > 1 else len(x)
        head = end

    assert looked_at < 10 * len(x)
