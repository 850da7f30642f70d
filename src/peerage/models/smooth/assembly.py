"""Sparse matrices from blocks of lists, for the posterior."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.smooth.blocks import Block

    Floats = NDArray[np.float64]


def add_block_hessian(
    start: sparse.csr_array, block: Block, scales: Floats, multiply_column: Callable[[Block, int], None]
) -> sparse.csr_array:
    """The Hessian of minus the log-likelihood of a block, added: one column of every list's at a time.

    `multiply_column` leaves that column in ``block.out``.
    """
    lists = block.lists
    lengths = np.diff(lists.starts)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    factor = (lists.weights * scales[lists.graders] ** 2)[owner]
    rows, columns, values = [], [], []
    for column in range(int(lengths.max(initial=0))):
        multiply_column(block, column)
        reached = np.flatnonzero(lengths[owner] > column)
        rows.append(lists.items[reached])
        columns.append(lists.items[lists.starts[owner[reached]] + column])
        values.append(-factor[reached] * block.out[reached])
    if not rows:
        return start
    cells = (np.concatenate(rows), np.concatenate(columns))
    return start + sparse.coo_array((np.concatenate(values), cells), shape=start.shape).tocsr()


def by_grader(blocks: list[Block], entries: list[Floats], shape: tuple[int, int]) -> list[sparse.csr_array]:
    """A number per entry of every block, summed by item and grader of the block."""
    return [_by_grader(*part, shape) for part in zip(blocks, entries, strict=True)]


def _by_grader(block: Block, entry: Floats, shape: tuple[int, int]) -> sparse.csr_array:
    cells = (block.lists.items, np.repeat(block.lists.graders, np.diff(block.lists.starts)))
    return sparse.coo_array((entry, cells), shape=shape).tocsr()
