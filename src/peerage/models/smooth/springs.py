"""The curvature of every list, as springs between its items.

A list's likelihood depends on the differences of its x alone, so the rows of its Hessian sum to zero and the
numbers beside the diagonal say everything: they act like springs that pull two items together. A model fills
them in once per place; every product with the curvature after that is a plain sum over springs, which costs
far less than the likelihood itself.

The springs of a list follow each other row by row: (0, 1), (0, 2), ..., (0, k - 1), (1, 2), and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.lists import longest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

PER_ENTRY = 20  # with more springs than this to an entry, lists are so long that storing them does not pay
ROOM = 2_000  # entries fetched together: trips to memory overlap, and what they bring stays at hand
FEW = 1_000_000  # as long as there are no more than this, it always does


def springs_of(lengths: NDArray[np.int64]) -> int:
    """How many springs lists of these lengths have in all."""
    return int(lengths @ (lengths - 1)) // 2


def worth_storing(lengths: NDArray[np.int64]) -> bool:
    """Whether the springs of these lists should be kept."""
    return springs_of(lengths) <= max(FEW, PER_ENTRY * int(lengths.sum()))


@kernel
def pull(lists: Any, springs: Any, scales: Any, direction: Any, by_item: Any) -> None:
    """Add the curvature of minus the log-likelihood in the scores, times a direction."""
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
                mine, pulled = v[i], 0.0
                for j in range(i + 1, end):
                    force = springs[at] * (mine - v[j])
                    pulled += force
                    out[j] -= force
                    at += 1
                out[i] = factor * (out[i] + pulled)
        for e in range(first, last):
            by_item[lists.items[e]] += out[e - first]
        low = high


@kernel
def add_matrix(lists: Any, springs: Any, scales: Any, matrix: Any) -> None:
    """Add the same curvature to a dense matrix, items by items."""
    at = 0
    for which in range(len(lists.graders)):
        scale = scales[lists.graders[which]]
        factor = lists.weights[which] * scale * scale
        for e in range(lists.starts[which], lists.starts[which + 1]):
            one = lists.items[e]
            for f in range(e + 1, lists.starts[which + 1]):
                other, force = lists.items[f], factor * springs[at]
                matrix[one, one] += force
                matrix[other, other] += force
                matrix[one, other] -= force
                matrix[other, one] -= force
                at += 1


@kernel
def add_diagonal(lists: Any, springs: Any, scales: Any, by_item: Any) -> None:
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
                mine += springs[at]
                own[j] += springs[at]
                at += 1
            by_item[lists.items[first + i]] += factor * mine
