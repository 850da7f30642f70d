"""Blocks of lists: the unit of work. Lists in; value, gradient and Hessian products out.

A block is a run of lists with flat arrays of its own. Everything a smooth model does is a sum over blocks,
so blocks can be worked on by threads here and by machines elsewhere. The cut into blocks depends on the data
alone, never on the number of cores, and sums run in block order: the same data gives the same bits anywhere.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from peerage._numba import kernel
from peerage.models.solver.threads import runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


class BlockLists(NamedTuple):
    """The feedback of one block: entries best first, ``bucket_starts`` where a tie bucket begins."""

    items: NDArray[np.int32]
    bucket_starts: NDArray[np.bool_]
    starts: NDArray[np.int64]
    graders: NDArray[np.int32]
    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]  # taken off the item's score inside the list; empty where there are none

    def entry_graders(self) -> NDArray[np.int32]:
        return np.repeat(self.graders, np.diff(self.starts))


class Block:
    """One run of lists and what the last passes over it left behind.

    x : scale times (score less offset), by entry;  t : scale times threshold, by list
    v, out : a direction in x and the Hessian times it, by entry; of the thread, not of the block
    grad, grad_t, value : gradient of the log-likelihood in x and t, by entry and list, and its value by list
    mixed : by entry, the derivative of the objective in the item's score and the grader's scale
    off_diagonal : by pair of entries of a list, see off_diagonal.py; fresh where it is that of x
    power, odds : by entry, where lists are runs of choices, see choices.py
    """

    def __init__(self, lists: BlockLists) -> None:
        self.lists = lists
        n_entries, n_lists = len(lists.items), len(lists.graders)
        self.x = np.empty(n_entries)
        self.grad = np.empty(n_entries)
        self.mixed = np.empty(0)
        self.off_diagonal, self.fresh = np.empty(0), False
        self.power, self.odds = np.empty(0), np.empty(0)
        self.t = np.zeros(n_lists)
        self.grad_t = np.zeros(n_lists)
        self.v_t = np.zeros(n_lists)
        self.out_t = np.zeros(n_lists)
        self.value = np.empty(n_lists)

    @property
    def v(self) -> NDArray[np.float64]:
        """A direction in x."""
        return _scratch.array("v", len(self.lists.items))

    @property
    def out(self) -> NDArray[np.float64]:
        """The Hessian times a direction."""
        return _scratch.array("out", len(self.lists.items))


class _Scratch(threading.local):
    """Room that a thread needs while it works on a block, and uses again for the next one."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[np.float64]] = {}

    def array(self, name: str, size: int) -> NDArray[np.float64]:
        if name not in self.arrays or len(self.arrays[name]) < size:
            self.arrays[name] = np.empty(size)
        return self.arrays[name][:size]


_scratch = _Scratch()


def cut(feedback: Feedback, offsets: NDArray[np.float64] | None) -> list[Block]:
    """The feedback as blocks of about equal numbers of entries; one block where it is small."""
    return [Block(_run(feedback, *run, offsets)) for run in runs(feedback.list_starts, feedback.n_entries)]


def whole(feedback: Feedback, offsets: NDArray[np.float64] | None) -> Block:
    """The feedback as one block."""
    return Block(_run(feedback, 0, feedback.n_lists, offsets))


def _run(feedback: Feedback, first: int, last: int, offsets: NDArray[np.float64] | None) -> BlockLists:
    starts = feedback.list_starts[first : last + 1]
    entries = slice(int(starts[0]), int(starts[-1]))
    return BlockLists(
        items=feedback.items[entries],
        bucket_starts=feedback.bucket_starts[entries],
        starts=starts - starts[0],
        graders=feedback.list_graders[first:last],
        weights=np.ascontiguousarray(feedback.list_weights[first:last]),
        offsets=np.empty(0) if offsets is None else offsets[entries],
    )


def margins(feedback: Feedback) -> NDArray[np.float64]:
    """Reported scores; where one is missing the whole list goes without margin."""
    scores = cast("NDArray[np.float64]", feedback.scores)
    gaps = np.isnan(scores)
    spoilt = np.zeros(feedback.n_lists, dtype=bool)
    spoilt[feedback.entry_lists[gaps]] = True
    return np.where(spoilt[feedback.entry_lists], 0.0, scores)


# -- the passes around a model's kernels --------------------------------------------------------------


@kernel
def scale_entries(lists: Any, scores: Any, scales: Any, threshold: float, x: Any, t: Any) -> None:
    """x = scale * (score - offset) for every entry, t = scale * threshold for every list."""
    shifted = len(lists.offsets) > 0
    for which in range(len(lists.graders)):
        scale = scales[lists.graders[which]]
        t[which] = scale * threshold
        for e in range(lists.starts[which], lists.starts[which + 1]):
            z = scores[lists.items[e]]
            if shifted:
                z -= lists.offsets[e]
            x[e] = scale * z


@kernel
def scale_direction(lists: Any, direction: Any, scales: Any, v: Any) -> None:
    """v = scale * direction for every entry: how x moves with the scores."""
    for which in range(len(lists.graders)):
        scale = scales[lists.graders[which]]
        for e in range(lists.starts[which], lists.starts[which + 1]):
            v[e] = scale * direction[lists.items[e]]


@kernel
def subtract_by_item(lists: Any, entry: Any, scales: Any, by_item: Any) -> None:
    """Take weight * scale * entry off the sum of its item."""
    for which in range(len(lists.graders)):
        factor = lists.weights[which] * scales[lists.graders[which]]
        for e in range(lists.starts[which], lists.starts[which + 1]):
            by_item[lists.items[e]] -= factor * entry[e]


@kernel
def subtract_scale_gradient(
    lists: Any, scales: Any, x: Any, t: Any, grad: Any, grad_t: Any, by_grader: Any
) -> None:
    """Take the log-likelihood's derivative in the grader's scale off its sum: x / scale is dx / dscale."""
    for which in range(len(lists.graders)):
        inner = t[which] * grad_t[which]
        for e in range(lists.starts[which], lists.starts[which + 1]):
            inner += x[e] * grad[e]
        grader = lists.graders[which]
        by_grader[grader] -= lists.weights[which] * inner / scales[grader]


@kernel
def subtract_scale_curvature(
    lists: Any,
    scales: Any,
    x: Any,
    t: Any,
    grad: Any,
    product: Any,
    product_t: Any,
    by_grader: Any,
    mixed: Any,
) -> None:
    """The same for the second derivative, and, by entry, the one in the item's score and the scale.

    ``product`` is the Hessian times (x, t).
    """
    for which in range(len(lists.graders)):
        weight, inner = lists.weights[which], t[which] * product_t[which]
        for e in range(lists.starts[which], lists.starts[which + 1]):
            inner += x[e] * product[e]
            mixed[e] = -weight * (grad[e] + product[e])
        grader = lists.graders[which]
        by_grader[grader] -= weight * inner / scales[grader] ** 2


@kernel
def mixed_by_grader(lists: Any, mixed: Any, direction: Any, by_grader: Any) -> None:
    """From a direction in the scores to its effect on the gradient in each grader's scale."""
    for which in range(len(lists.graders)):
        inner = 0.0
        for e in range(lists.starts[which], lists.starts[which + 1]):
            inner += mixed[e] * direction[lists.items[e]]
        by_grader[lists.graders[which]] += inner


@kernel
def mixed_by_item(lists: Any, mixed: Any, by_grader: Any, by_item: Any) -> None:
    """From a change of each grader's scale to its effect on the gradient in the scores."""
    for which in range(len(lists.graders)):
        move = by_grader[lists.graders[which]]
        for e in range(lists.starts[which], lists.starts[which + 1]):
            by_item[lists.items[e]] += mixed[e] * move


@kernel
def unit_vectors(lists: Any, column: int, v: Any) -> None:
    """v = 1 at one position of every list, else 0: the product is then a column of every list's Hessian."""
    for which in range(len(lists.graders)):
        for e in range(lists.starts[which], lists.starts[which + 1]):
            v[e] = 1.0 if e - lists.starts[which] == column else 0.0


@kernel
def subtract_columns(lists: Any, scales: Any, column: int, product: Any, hessian: Any) -> None:
    """Take one column of every list's Hessian off the dense matrix of the whole."""
    for which in range(len(lists.graders)):
        first, last = lists.starts[which], lists.starts[which + 1]
        if first + column >= last:
            continue
        scale = scales[lists.graders[which]]
        factor = lists.weights[which] * scale * scale
        other = lists.items[first + column]
        for e in range(first, last):
            hessian[lists.items[e], other] -= factor * product[e]


@kernel
def rademacher(lists: Any, seed: int, v: Any) -> None:
    """A fixed pattern of random-looking signs: one of Hutchinson's probes of the diagonal."""
    state = np.uint64(88172645463325252 + 7919 * seed)
    for e in range(len(lists.items)):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        v[e] = 1.0 if (state >> np.uint64(33)) & np.uint64(1) else -1.0


@kernel
def subtract_diagonal(lists: Any, scales: Any, v: Any, product: Any, by_item: Any) -> None:
    """Take weight * scale^2 * v * product off the sum of its item: the diagonal, in expectation."""
    for which in range(len(lists.graders)):
        scale = scales[lists.graders[which]]
        factor = lists.weights[which] * scale * scale
        for e in range(lists.starts[which], lists.starts[which + 1]):
            by_item[lists.items[e]] -= factor * v[e] * product[e]
