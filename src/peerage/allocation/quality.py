"""How good an allocation is for the estimator, before anybody has reviewed anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array, triu
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

if TYPE_CHECKING:
    from numpy.typing import NDArray

DENSE_ITEMS = 800  # up to here all eigenvalues at once are faster than an iteration


@dataclass(frozen=True, slots=True)
class Quality:
    """What the comparison graph looks like: items are nodes, two items in one list are an edge.

    Attributes
    ----------
    loads : number of items with each number of reviews.
    lists : number of graders with each number of reviews (graders without any are left out).
    components : groups of items that no list connects; scores can only be compared within one.
    repeated_pairs : pairs of items that meet in more than one list.
    most_together : how often the most frequent pair meets.
    covered_pairs : share of all pairs that meet at least once.
    spectral_gap : second smallest eigenvalue of the normalised Laplacian, pairs in a list of k weighing
        1 / k; 0 where disconnected; the larger, the faster information travels. At most n / (n - 1).
    """

    n_graders: int
    n_items: int
    n_reviews: int
    loads: dict[int, int]
    lists: dict[int, int]
    components: int
    repeated_pairs: int
    most_together: int
    covered_pairs: float
    spectral_gap: float

    @property
    def connected(self) -> bool:
        """Whether every item can be compared with every other, directly or over others."""
        return self.components <= 1

    @property
    def balance(self) -> int:
        """Difference between the largest and the smallest load."""
        return max(self.loads) - min(self.loads)


def measure_quality(graders: NDArray[np.int64], items: NDArray[np.int64], n_items: int) -> Quality:
    """Measure the reviews given as pairs of numbers."""
    table = lists_by_items(graders, items, n_items)
    together = _together(table)
    possible = n_items * (n_items - 1) / 2
    components = n_components(table)
    return Quality(
        n_graders=table.shape[0],
        n_items=n_items,
        n_reviews=len(items),
        loads=_histogram(np.bincount(items, minlength=n_items)),
        lists=_histogram(np.diff(table.indptr)),
        components=components,
        repeated_pairs=int((together > 1).sum()),
        most_together=int(together.max(initial=0)),
        covered_pairs=float(len(together) / possible) if possible else 1.0,
        spectral_gap=_gap(table) if components == 1 else 0.0,
    )


def spectral_gap(graders: NDArray[np.int64], items: NDArray[np.int64], n_items: int) -> float:
    """The spectral gap alone."""
    table = lists_by_items(graders, items, n_items)
    return _gap(table) if n_components(table) == 1 else 0.0


def lists_by_items(graders: NDArray[np.int64], items: NDArray[np.int64], n_items: int) -> csr_array:
    """Lists by items, one where the list holds the item; graders without reviews have no row."""
    lists, rows = np.unique(graders, return_inverse=True)
    return csr_array((np.ones(len(items), dtype=np.int32), (rows, items)), shape=(len(lists), n_items))


def _histogram(counts: NDArray[np.int64]) -> dict[int, int]:
    values, times = np.unique(counts, return_counts=True)
    return {int(value): int(number) for value, number in zip(values, times, strict=True)}


def _together(table: csr_array) -> NDArray[np.int32]:
    """How often each pair of items meets that does meet."""
    return np.asarray(triu(table.T @ table, k=1).data)


def n_components(table: csr_array) -> int:
    """Parts of the comparison graph; an item nobody reviews is a part of its own."""
    n_lists, n_items = table.shape
    graph = csr_array(
        (table.data, table.indices + n_lists, np.append(table.indptr, np.full(n_items, table.nnz))),
        shape=(n_lists + n_items, n_lists + n_items),
    )
    return int(connected_components(graph, directed=False, return_labels=False))


def _gap(table: csr_array) -> float:
    if table.shape[1] < 2 or np.diff(table.indptr).max() < 2:
        return 0.0
    return fiedler_pair(table)[0]


def fiedler_pair(table: csr_array) -> tuple[float, NDArray[np.float64]]:
    """Spectral gap and Fiedler vector of a connected graph, by the normalised Laplacian.

    A pair in a list of k items weighs 1 / k, because a ranking of k items tells about k - 1 things, not
    about k (k - 1) / 2.
    """
    n_items = table.shape[1]
    weight = 1 / np.diff(table.indptr)
    shared = table.T @ weight  # what an item would weigh with itself
    degree = np.bincount(table.indices, minlength=n_items) - shared
    scale = 1 / np.sqrt(degree)
    if n_items > DENSE_ITEMS:
        return _lanczos(table, weight, shared, scale)
    dense = (table.T @ (table * weight[:, None])).toarray() - np.diag(shared)
    values, vectors = np.linalg.eigh(dense * scale[:, None] * scale)
    return float(1 - values[-2]), np.asarray(vectors[:, -2])


def _lanczos(
    table: csr_array, weight: NDArray[np.float64], shared: NDArray[np.float64], scale: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """The same by Lanczos, with the known top eigenvector taken out so that one eigenvalue is enough."""
    lists = csr_array(table, dtype=np.float64)
    back = csr_array(lists.T)
    top = (1 / scale) / np.linalg.norm(1 / scale)

    def apply(vector: NDArray[np.float64]) -> NDArray[np.float64]:
        vector = vector.ravel()
        scaled = scale * vector
        moved = scale * (back @ (weight * (lists @ scaled)) - shared * scaled)
        return np.asarray(moved - 2 * top * (top @ vector))

    n_items = len(scale)
    operator = LinearOperator((n_items, n_items), matvec=apply, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(n_items)
    try:
        values, vectors = eigsh(operator, k=1, which="LA", v0=start, tol=1e-3)
    except ArpackNoConvergence:  # a gap so small that only its order of magnitude is known
        values, vectors = eigsh(operator, k=1, which="LA", v0=start, tol=1e-1, maxiter=50 * n_items)
    return float(1 - values[0]), np.asarray(vectors[:, 0])
