"""Sparse matrices from blocks of lists, for the posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.smooth.blocks import Block


class Blocks(Protocol):
    """What a sum over blocks gives to be assembled from."""

    n_items: int
    n_graders: int
    scales: NDArray[np.float64]
    blocks: list[Block]

    def multiply_column(self, block: Block, column: int) -> None:
        """Leave that column of every list's Hessian in the block's `out`."""


def hessian(lists: Blocks, prior: sparse.csr_array) -> sparse.csr_array:
    """The prior's Hessian and that of minus the log-likelihood in the scores, reliabilities held."""
    matrix = prior
    for block in lists.blocks:
        matrix = matrix + _block_hessian(lists, block)
    return sparse.csr_array(matrix)


def _block_hessian(sums: Blocks, block: Block) -> sparse.csr_array:
    """The lists of one block: one column of every list's Hessian at a time."""
    lists, size = block.lists, sums.n_items
    lengths = np.diff(lists.starts)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    factor = (lists.weights * sums.scales[lists.graders] ** 2)[owner]
    rows, columns, values = [], [], []
    for column in range(int(lengths.max(initial=0))):
        sums.multiply_column(block, column)
        reached = np.flatnonzero(lengths[owner] > column)
        rows.append(lists.items[reached])
        columns.append(lists.items[lists.starts[owner[reached]] + column])
        values.append(-factor[reached] * block.out[reached])
    if not rows:
        return sparse.csr_array((size, size))
    cells = (np.concatenate(rows), np.concatenate(columns))
    return sparse.coo_array((np.concatenate(values), cells), shape=(size, size)).tocsr()


def mixed(lists: Blocks) -> sparse.csr_array:
    """Mixed derivatives in the scores and the scales, items by graders."""
    matrix = sparse.csr_array((lists.n_items, lists.n_graders))
    for block in lists.blocks:
        matrix = matrix + _by_entry(lists, block, block.mixed)
    return matrix


def gradient_squares(lists: Blocks) -> tuple[float, int]:
    """Summed squares of the graders' gradients by item, and how many comparisons the lists amount to."""
    squares, comparisons = 0.0, 0
    for block in lists.blocks:
        lengths = np.diff(block.lists.starts)
        factor = np.repeat(block.lists.weights * lists.scales[block.lists.graders], lengths)
        squares += float((_by_entry(lists, block, factor * block.grad).data ** 2).sum())
        comparisons += int((lengths - 1).sum())
    return squares, comparisons


def _by_entry(lists: Blocks, block: Block, entry: NDArray[np.float64]) -> sparse.csr_array:
    """A number per entry of a block, summed by item and grader."""
    cells = (block.lists.items, np.repeat(block.lists.graders, np.diff(block.lists.starts)))
    return sparse.coo_array((entry, cells), shape=(lists.n_items, lists.n_graders)).tocsr()
