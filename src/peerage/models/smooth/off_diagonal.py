"""The Hessian of every list beside its diagonal, stored pair by pair.

A list's likelihood depends on the differences of its x alone, so the rows of its Hessian sum to zero and the
numbers beside the diagonal say everything (a graph Laplacian, its weights between two items). A model fills
them in once per point; every Hessian product after that is a plain sum over pairs, which costs far less than
the likelihood itself.

The pairs of a list follow each other row by row: (0, 1), (0, 2), ..., (0, k - 1), (1, 2), and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.lists import longest_of

if TYPE_CHECKING:
    pass

PER_ENTRY = 20  # with more pairs than this to an entry, lists are so long that storing them does not pay
ROOM = 2_000  # entries fetched together: trips to memory overlap, and what they bring stays at hand
FEW = 1_000_000  # as long as there are no more than this, it always does


def worth_storing(n_pairs: int, n_entries: int) -> bool:
    """Whether the off-diagonal Hessian of lists with so many pairs and entries should be kept."""
    return n_pairs <= max(FEW, PER_ENTRY * n_entries)


@kernel
def add_product(lists: Any, weights: Any, scales: Any, direction: Any, by_item: Any) -> None:
    """Add the Hessian of minus the log-likelihood in the scores, times a direction."""
    starts, room = lists.starts, max(ROOM, longest_of(lists.starts))
    v, out = np.empty(room), np.empty(room)
    low = at = 0
    while low < len(lists.graders):
        high = low + 1
        while high < len(lists.graders) and starts[high + 1] - starts[low] <= room:
            high += 1
        first, last = starts[low], starts[high]
        for e in range(first, last):
            v[e - first] = direction[lists.items[e]]
            out[e - first] = 0.0
        for which in range(low, high):
            scale = scales[lists.graders[which]]
            factor, end = lists.weights[which] * scale * scale, starts[which + 1] - first
            for i in range(starts[which] - first, end):
                mine, own = v[i], 0.0
                for j in range(i + 1, end):
                    part = weights[at] * (mine - v[j])
                    own += part
                    out[j] -= part
                    at += 1
                out[i] = factor * (out[i] + own)
        for e in range(first, last):
            by_item[lists.items[e]] += out[e - first]
        low = high


@kernel
def add_products(lists: Any, weights: Any, scales: Any, columns: Any, by_item: Any) -> None:
    """The same for many directions, columns of single precision: one trip to memory serves them all."""
    longest, width = longest_of(lists.starts), columns.shape[1]
    v, out = np.empty((longest, width), np.float32), np.empty((longest, width), np.float32)
    at = 0
    for which in range(len(lists.graders)):
        first, n = lists.starts[which], lists.starts[which + 1] - lists.starts[which]
        scale = scales[lists.graders[which]]
        factor = lists.weights[which] * scale * scale
        for i in range(n):
            item = lists.items[first + i]
            for c in range(width):
                v[i, c] = columns[item, c]
                out[i, c] = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                weight = np.float32(factor * weights[at])
                at += 1
                for c in range(width):
                    part = weight * (v[i, c] - v[j, c])
                    out[i, c] += part
                    out[j, c] -= part
        for i in range(n):
            item = lists.items[first + i]
            for c in range(width):
                by_item[item, c] += out[i, c]


@kernel
def add_matrix(lists: Any, weights: Any, scales: Any, matrix: Any) -> None:
    """Add the same Hessian to a dense matrix, items by items."""
    at = int(np.int64(0))
    for which in range(len(lists.graders)):
        scale = scales[lists.graders[which]]
        first, last = lists.starts[which], lists.starts[which + 1]
        at = add_list(lists.items, first, last, lists.weights[which] * scale * scale, weights, at, matrix)


@kernel
def add_list(items: Any, first: int, last: int, factor: float, weights: Any, at: int, matrix: Any) -> int:
    """Add one list's Hessian to a dense matrix; where the weights of the next one begin."""
    for e in range(first, last):
        one = items[e]
        for f in range(e + 1, last):
            other, part = items[f], factor * weights[at]
            matrix[one, one] += part
            matrix[other, other] += part
            matrix[one, other] -= part
            matrix[other, one] -= part
            at += 1
    return at


@kernel
def add_diagonal(lists: Any, weights: Any, scales: Any, by_item: Any) -> None:
    """Add the diagonal of the same."""
    own = np.empty(longest_of(lists.starts))
    at = 0
    for which in range(len(lists.graders)):
        first, last = lists.starts[which], lists.starts[which + 1]
        scale = scales[lists.graders[which]]
        factor = lists.weights[which] * scale * scale
        own[: last - first] = 0.0
        for i in range(last - first):
            mine = own[i]
            for j in range(i + 1, last - first):
                mine += weights[at]
                own[j] += weights[at]
                at += 1
            by_item[lists.items[first + i]] += factor * mine
