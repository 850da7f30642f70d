"""How a block of lists is evaluated, and what is kept at a point for the second derivatives there.

There are three ways, and they agree: to ask the model's own product every time; to keep the numbers beside
the diagonal of every list's Hessian, pair by pair; and, for choices, to keep two numbers by entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage.models.lists import count_pairs, longest_of
from peerage.models.smooth import blocks as on
from peerage.models.smooth import choices
from peerage.models.smooth import off_diagonal as pairs
from peerage.models.solver.threads import each, total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.smooth.blocks import Block

    Floats = NDArray[np.float64]
    Columns = NDArray[np.float32]


class Likelihood(NamedTuple):
    """A model as the machinery sees it: its kernels, their options, and how scale follows reliability.

    is_choices : whether lists are runs of choices, which have kernels of their own
    """

    value_and_gradient: Any
    hessian_product: Any
    options: tuple[Any, ...]
    power: int
    threshold: float
    off_diagonal: Any = None  # the kernel that fills it in, where the model has one
    is_choices: bool = False

    def curvature(self, n_pairs: int, n_entries: int) -> Curvature:
        """The fastest way for lists with so many pairs and entries."""
        worth_storing = pairs.worth_storing(n_pairs, n_entries)
        if self.is_choices and self.value_and_gradient is None:  # kernels that a subclass gives come first
            return ByChoices(self, stores_pairs=worth_storing)
        stores = self.off_diagonal is not None and worth_storing
        return ByPairs(self) if stores else Curvature(self)


class Curvature:
    """By the model's own product. Blocks are evaluated first; sums are of minus the log-likelihood."""

    exact_diagonal_is_cheap = False  # no more than a product

    def __init__(self, likelihood: Likelihood) -> None:
        self.likelihood = likelihood

    def evaluate(self, block: Block) -> None:
        """Value and gradient of every list at the block's x and t."""
        like, lists = self.likelihood, block.lists
        like.value_and_gradient(
            block.x,
            block.t,
            lists.bucket_starts,
            lists.starts,
            like.options,
            block.value,
            block.grad,
            block.grad_t,
        )
        block.fresh = False

    def multiply(self, block: Block, v: Floats, v_t: Floats) -> None:
        """The Hessian of every list's log-likelihood, times (v, v_t), into the block's out."""
        like = self.likelihood
        like.hessian_product(
            block.x, block.t, block.lists.bucket_starts, block.lists.starts, like.options,
            v, v_t, block.out, block.out_t,
        )  # fmt: skip

    def multiply_column(self, block: Block, column: int) -> None:
        """One column of every list's Hessian into the block's out, its unit vectors in v."""
        on.unit_vectors(block.lists, column, block.v)
        self.multiply(block, block.v, block.v_t)

    def add_product(self, block: Block, scales: Floats, direction: Floats, by_item: Floats) -> None:
        """Add the Hessian in the scores, times a direction."""
        on.scale_direction(block.lists, direction, scales, block.v)
        self.multiply(block, block.v, block.v_t)
        on.subtract_by_item(block.lists, block.out, scales, by_item)

    def product(self, blocks: list[Block], scales: Floats, direction: Floats) -> Floats:
        """The Hessian of all blocks in the scores, times a direction."""

        def work(block: Block) -> Floats:
            part = np.zeros(len(direction))
            self.add_product(block, scales, direction, part)
            return part

        return total(each(work, blocks))

    def products(self, blocks: list[Block], scales: Floats, columns: Columns) -> Columns:
        """The same for many directions, one by one."""
        each_one = [self.product(blocks, scales, column.astype(np.float64)) for column in columns.T]
        return np.stack(each_one, axis=1).astype(np.float32)

    def add_matrix(self, block: Block, scales: Floats, matrix: Floats) -> None:
        """Add the same as a dense matrix."""
        for column in range(longest_of(block.lists.starts)):  # of every list at a time
            self.multiply_column(block, column)
            on.subtract_columns(block.lists, scales, column, block.out, matrix)

    def add_diagonal(self, block: Block, scales: Floats, by_item: Floats) -> None:
        """Add its diagonal."""
        for column in range(longest_of(block.lists.starts)):
            self.multiply_column(block, column)
            on.subtract_diagonal(block.lists, scales, block.v, block.out, by_item)


class ByPairs(Curvature):
    """By the stored numbers beside the diagonal, found when first asked for."""

    exact_diagonal_is_cheap = True

    def stored(self, block: Block) -> Floats:
        """Those of a block at this point."""
        if not block.fresh:
            if not len(block.off_diagonal):
                block.off_diagonal = np.empty(count_pairs(block.lists.starts))
            self.fill(block)
            block.fresh = True
        return block.off_diagonal

    def fill(self, block: Block) -> None:
        """Find them."""
        like, lists = self.likelihood, block.lists
        like.off_diagonal(
            block.x, block.t, lists.bucket_starts, lists.starts, like.options, block.off_diagonal
        )

    def add_product(self, block: Block, scales: Floats, direction: Floats, by_item: Floats) -> None:
        """Add the Hessian in the scores, times a direction."""
        pairs.add_product(block.lists, self.stored(block), scales, direction, by_item)

    def products(self, blocks: list[Block], scales: Floats, columns: Columns) -> Columns:
        """The same for many directions, all at once; block by block, to save memory."""
        product = np.zeros_like(columns)
        for block in blocks:
            pairs.add_products(block.lists, self.stored(block), scales, columns, product)
        return product

    def add_matrix(self, block: Block, scales: Floats, matrix: Floats) -> None:
        """Add the same as a dense matrix."""
        pairs.add_matrix(block.lists, self.stored(block), scales, matrix)

    def add_diagonal(self, block: Block, scales: Floats, by_item: Floats) -> None:
        """Add its diagonal."""
        pairs.add_diagonal(block.lists, self.stored(block), scales, by_item)


class ByChoices(ByPairs):
    """By powers and odds, which an evaluation finds anyway; by pairs only for many columns at once."""

    def __init__(self, likelihood: Likelihood, *, stores_pairs: bool) -> None:
        super().__init__(likelihood)
        self.stores_pairs = stores_pairs
        (self.shared,) = likelihood.options

    def evaluate(self, block: Block) -> None:
        """Value and gradient of every list at the block's x, with powers and odds."""
        lists = block.lists
        if not len(block.power):
            block.power, block.odds = np.empty(len(lists.items)), np.empty(len(lists.items))
        choices.value_and_gradient(
            block.x, lists.bucket_starts, lists.starts, self.shared, block.value, block.grad, *_kept(block)
        )
        block.fresh = False

    def multiply(self, block: Block, v: Floats, v_t: Floats) -> None:
        """The Hessian of every list's log-likelihood, times v, into the block's out."""
        lists = block.lists
        choices.multiply(block.x, lists.bucket_starts, lists.starts, self.shared, *_kept(block), v, block.out)

    def fill(self, block: Block) -> None:
        """Find what is beside the diagonal."""
        lists = block.lists
        choices.fill_pairs(
            block.x, lists.bucket_starts, lists.starts, self.shared, *_kept(block), block.off_diagonal
        )

    def add_product(self, block: Block, scales: Floats, direction: Floats, by_item: Floats) -> None:
        """Add the Hessian in the scores, times a direction."""
        choices.add_product(block.lists, block.x, self.shared, *_kept(block), scales, direction, by_item)

    def products(self, blocks: list[Block], scales: Floats, columns: Columns) -> Columns:
        """The same for many directions, at once where pairs are not too many to be stored."""
        way = ByPairs if self.stores_pairs else Curvature
        return way.products(self, blocks, scales, columns)

    def add_matrix(self, block: Block, scales: Floats, matrix: Floats) -> None:
        """Add the same as a dense matrix."""
        choices.add_matrix(block.lists, block.x, self.shared, *_kept(block), scales, matrix)

    def add_diagonal(self, block: Block, scales: Floats, by_item: Floats) -> None:
        """Add its diagonal."""
        choices.add_diagonal(block.lists, block.x, self.shared, *_kept(block), scales, by_item)


def _kept(block: Block) -> tuple[Floats, Floats]:
    return block.power, block.odds
