"""The Mallows model whose distance weighs every reversed pair by its score gap."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.errors import DataError
from peerage.models.lists import bucket_end, longest_of
from peerage.models.mallows.ranking import mean_ranks_of, rank_sums
from peerage.models.smooth.model import SmoothModel, logistic, smooth_model
from peerage.models.smooth.subsets import (
    LANES,
    N_TABLES,
    differentiate_positions,
    expect_positions,
    expect_products,
    sort_lanes,
    sum_chains,
    sum_onward,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

START_RANGE = 2.0  # of the scores at the start, first to last; saves Newton a step or two
MOST_ITEMS = 18  # 2^18 subsets: 50 megabytes of workspace, some ten milliseconds per list


@kernel
def _note(slots: Any, runs: Any, low: int, size: int, sign: int, which: int) -> None:
    if len(runs):
        runs[slots[size]] = (low, sign, which)
    slots[size] += 1


@kernel
def _list_runs(bucket_starts: Any, starts: Any, slots: Any, runs: Any) -> None:
    """Count (where ``runs`` is empty) or write down the runs of entries whose orders are summed, by length.

    The orders that agree with a list are those of its first bucket at positions 1, 2, ..., then those of the
    next: their sum is a product over buckets, divided by the sum over all orders. A run is (first entry,
    +1 for a bucket or -1 for a whole list, list). A bucket of one item needs no sum, nor does a list that is
    one bucket.
    """
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        low = first
        while low < last:
            high = bucket_end(bucket_starts, low, last)
            if 1 < high - low < last - first:
                _note(slots, runs, low, high - low, 1, which)
            if high == last and low > first:
                _note(slots, runs, first, last - first, -1, which)
            low = high


@kernel
def _runs_by_length(bucket_starts: Any, starts: Any) -> Any:
    """All runs, short ones first, and where those of each length begin."""
    longest = longest_of(starts)
    counts = np.zeros(longest + 1, dtype=np.int64)
    _list_runs(bucket_starts, starts, counts, np.empty((0, 3), dtype=np.int64))
    edges = np.zeros(longest + 2, dtype=np.int64)
    edges[1:] = np.cumsum(counts)
    runs = np.empty((edges[-1], 3), dtype=np.int64)
    _list_runs(bucket_starts, starts, edges[:-1].copy(), runs)
    return runs, edges


@kernel
def _workspace(longest: int) -> Any:
    """Room for lists of this length, made once: orders, subset sizes, rows by item, tables by subset."""
    order, held = np.empty((longest, LANES), dtype=np.int64), np.empty(1 << longest, dtype=np.int64)
    return order, held, np.empty((3, longest, LANES)), np.empty((N_TABLES, 1 << longest, LANES))


@kernel
def _add_gradient(x: Any, runs: Any, size: int, work: Any, value: Any, lead: Any, grad: Any) -> None:
    """Add log(sum over the orders of a run of exp(-sum of x times position)), signed, to its list.

    The best order's exponent goes into ``lead`` as coefficients of x, so that lists which agree with the
    scores lose nothing to cancellation; the logarithm of the rest goes into ``value``.
    """
    order, held, rows, tables = work
    sort_lanes(x, runs, size, order)
    sum_chains(x, order, size, held, rows[0], tables)
    sum_onward(size, tables)
    expect_positions(size, tables, rows[1])
    for lane in range(len(runs)):
        _, sign, which = runs[lane]
        value[which] += sign * math.log(tables[1, (1 << size) - 1, lane])
        for rank in range(size):
            lead[order[rank, lane]] -= sign * (size - rank)
            grad[order[rank, lane]] -= sign * rows[1, rank, lane]


@kernel
def _add_product(x: Any, v: Any, runs: Any, size: int, work: Any, out: Any) -> None:
    order, held, rows, tables = work
    sort_lanes(x, runs, size, order)
    sum_chains(x, order, size, held, rows[0], tables)
    for lane in range(LANES):
        middle = 0.0
        for rank in range(size):
            middle += v[order[rank, lane]] / size
        for rank in range(size):  # only differences matter, and small ones must not drown
            rows[1, rank, lane] = v[order[rank, lane]] - middle
    differentiate_positions(size, rows[1], tables, rows[2])
    for lane in range(len(runs)):
        for rank in range(size):
            out[order[rank, lane]] -= runs[lane, 1] * rows[2, rank, lane]


@kernel
def _add_off_diagonal(x: Any, runs: Any, size: int, work: Any, product: Any, lists: Any, out: Any) -> None:
    """The Hessian of the log of a sum over orders is the covariance of the positions."""
    order, held, rows, tables = work
    starts, pairs_at = lists
    sort_lanes(x, runs, size, order)
    sum_chains(x, order, size, held, rows[0], tables)
    sum_onward(size, tables)
    expect_positions(size, tables, rows[1])
    expect_products(size, tables, product, rows[2])
    for lane in range(len(runs)):
        _, sign, which = runs[lane]
        first, length = starts[which], starts[which + 1] - starts[which]
        for one in range(size):
            for two in range(one):
                together = product[one, two, lane] - rows[1, one, lane] * rows[1, two, lane]
                low = min(order[one, lane], order[two, lane]) - first
                high = max(order[one, lane], order[two, lane]) - first
                row = pairs_at[which] + low * (2 * length - low - 1) // 2
                out[row + high - low - 1] += sign * together


@kernel
def _add_offsets(bucket_starts: Any, first: int, last: int, lead: Any, grad: Any) -> None:
    """Positions that a bucket starts from, and the position of an item alone in its bucket."""
    low = first
    while low < last:
        high = bucket_end(bucket_starts, low, last)
        for e in range(low, high):
            position = low - first + (1 if high - low == 1 and last - first > 1 else 0)
            lead[e] = grad[e] = -position
        low = high


@kernel
def value_and_gradient(
    x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, value: Any, grad: Any, grad_t: Any
) -> None:
    """Log-likelihood of every list, and its gradient in x."""
    runs, edges = _runs_by_length(bucket_starts, starts)
    work = _workspace(len(edges) - 2)
    lead = np.empty(len(x))
    value[:] = 0.0
    for which in range(len(starts) - 1):
        _add_offsets(bucket_starts, starts[which], starts[which + 1], lead, grad)
    for size in range(2, len(edges) - 1):
        for at in range(edges[size], edges[size + 1], LANES):
            batch = runs[at : min(at + LANES, edges[size + 1])]
            _add_gradient(x, batch, size, work, value, lead, grad)
    for which in range(len(starts) - 1):
        for e in range(starts[which], starts[which + 1]):
            value[which] += lead[e] * (x[e] - x[starts[which]])


@kernel
def hessian_product(
    x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, v: Any, v_t: Any, out: Any, out_t: Any
) -> None:
    """Hessian of every list's log-likelihood in x, times v."""
    runs, edges = _runs_by_length(bucket_starts, starts)
    work = _workspace(len(edges) - 2)
    out[:] = 0.0
    for size in range(2, len(edges) - 1):
        for at in range(edges[size], edges[size + 1], LANES):
            _add_product(x, v, runs[at : min(at + LANES, edges[size + 1])], size, work, out)


@kernel
def off_diagonal(x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, out: Any) -> None:
    """Hessian of every list's log-likelihood in x, beside the diagonal."""
    runs, edges = _runs_by_length(bucket_starts, starts)
    longest = len(edges) - 2
    work, product = _workspace(longest), np.empty((longest, longest, LANES))
    pairs_at = np.zeros(len(starts), dtype=np.int64)
    for which in range(len(starts) - 1):
        length = starts[which + 1] - starts[which]
        pairs_at[which + 1] = pairs_at[which] + length * (length - 1) // 2
    out[:] = 0.0
    for size in range(2, len(edges) - 1):
        for low in range(edges[size], edges[size + 1], LANES):
            batch = runs[low : min(low + LANES, edges[size + 1])]
            _add_off_diagonal(x, batch, size, work, product, (starts, pairs_at), out)


@smooth_model
class ScoreWeightedMallows(SmoothModel):
    """Score-weighted Mallows model: a reversed pair costs eta times its score gap.

    P(order) is proportional to exp(-eta * sum over items of s_i * position(i)) over the k! orders of the
    list's items, and P(list) sums it over the orders that agree with the list. Both sums run over the 2^k
    subsets of the items instead, at most 18 in a list. Strict lists make the objective convex; with ties
    the search starts from small Borda scores.

    Parameters
    ----------
    $PARAMETERS

    Attributes
    ----------
    $ATTRIBUTES

    References
    ----------
    Raman & Joachims, Methods for Ordinal Peer Grading, KDD 2014, section 4.1.

    Examples
    --------
    >>> from peerage import Feedback, ScoreWeightedMallows
    >>> feedback = Feedback.from_orders([("ada", ["x", "y", "z"]), ("bob", ["x", {"y", "z"}])])
    >>> ScoreWeightedMallows().fit(feedback).grades()["item"].to_list()
    ['x', 'y', 'z']
    """

    inverse_link = staticmethod(logistic)
    starts_from_comparisons = False
    longest_list = MOST_ITEMS

    value_and_gradient = staticmethod(value_and_gradient)
    hessian_product = staticmethod(hessian_product)
    off_diagonal = staticmethod(off_diagonal)

    def start_sums(self, feedback: Feedback) -> tuple[NDArray[np.float64], ...]:
        """Of every item, the sum of its fractional ranks and how often it was ranked."""
        return (rank_sums(feedback, feedback.list_weights),)

    def start_of(self, *sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Borda scores, scaled down: with ties there may be several optima, and this one is near the data."""
        return START_RANGE * (0.5 - mean_ranks_of(*sums))

    def _validate(self, feedback: Feedback) -> None:
        super()._validate(feedback)
        lengths = feedback.list_lengths
        if lengths.max(initial=0) > MOST_ITEMS:
            worst = int(np.argmax(lengths))
            grader = feedback.grader_labels[int(feedback.list_graders[worst])]
            raise DataError(
                f"grader {grader!r} ranks {lengths[worst]} items in one list, and score-weighted Mallows"
                f" (MALS) takes at most {MOST_ITEMS}, because it sums over all subsets of a list;"
                " use another method, such as Plackett-Luce (PL)"
            )
