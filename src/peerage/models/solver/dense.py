"""Dense linear algebra with the same bits on any number of cores.

The usual libraries cut their sums by the number of threads, and wake threads for matrices so small that the
waking costs more than the work. Here every number is summed in one order. Long loops take four terms at a
time, one after the other: that saves three trips to memory of four and changes no bit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models.solver.threads import each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PANEL = 48  # columns factorised before the rest is told of them
TILE = 64  # right sides solved together: they stay in the processor's cache


@kernel
def dot(left: Any, right: Any) -> float:
    """The inner product, in four interleaved sums: as fast as memory, and always in the same order."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(left) - len(left) % 4
    for i in range(0, whole, 4):
        a += left[i] * right[i]
        b += left[i + 1] * right[i + 1]
        c += left[i + 2] * right[i + 2]
        d += left[i + 3] * right[i + 3]
    for i in range(whole, len(left)):
        a += left[i] * right[i]
    return (a + b) + (c + d)


@kernel
def largest(vector: Any) -> float:
    """The largest size of a number; not a number where one is none."""
    most = 0.0
    for number in vector:
        size = abs(number)
        if size > most or size != size:
            most = size
    return most


@kernel
def factorise(matrix: Any) -> bool:
    """Put Cholesky's factor into the lower half, in place; false where the matrix is not positive definite.

    Only the lower half is read. Where the answer is false, the matrix is spoilt.
    """
    n = len(matrix)
    panel = np.empty((PANEL, n))  # transposed
    for low in range(0, n, PANEL):
        high = min(low + PANEL, n)
        for k in range(low, high):
            if not matrix[k, k] > 0.0:
                return False
            pivot, column = math.sqrt(matrix[k, k]), panel[k - low]
            for i in range(k, n):
                column[i] = matrix[i, k] / pivot
                matrix[i, k] = column[i]
            for i in range(k + 1, n):
                factor = column[i]
                for j in range(k + 1, min(i + 1, high)):
                    matrix[i, j] -= factor * column[j]
        for i in range(high, n):
            subtract_rows(panel[: high - low, i], panel, high, i + 1, matrix[i])
    return True


@kernel
def subtract_rows(factors: Any, rows: Any, low: int, high: int, out: Any) -> None:
    """Subtract factors[k] * rows[k] from out, between two columns, for k = 0, 1, 2, ... in this order."""
    n = len(factors)
    whole = n - n % 4
    for k in range(0, whole, 4):
        a, b, c, d = factors[k], factors[k + 1], factors[k + 2], factors[k + 3]
        one, two, three, four = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for j in range(low, high):
            out[j] = (((out[j] - a * one[j]) - b * two[j]) - c * three[j]) - d * four[j]
    for k in range(whole, n):
        a, one = factors[k], rows[k]
        for j in range(low, high):
            out[j] -= a * one[j]


@kernel
def substitute(factor: Any, right: Any) -> None:
    """Solve factor * factor' * x = right, in place."""
    substitute_forward(factor, right)
    substitute_backward(factor, right)


@kernel
def substitute_forward(factor: Any, right: Any) -> None:
    """Solve factor * x = right, in place."""
    for k in range(len(right)):
        for i in range(k):
            right[k] -= factor[k, i] * right[i]
        right[k] /= factor[k, k]


@kernel
def substitute_backward(factor: Any, right: Any) -> None:
    """Solve factor' * x = right, in place."""
    for k in range(len(right) - 1, -1, -1):
        right[k] /= factor[k, k]
        for i in range(k):
            right[i] -= factor[k, i] * right[k]


@kernel
def _forward_tile(factor: Any, x: Any, first: int) -> None:
    """The same for many right sides at once, whose rows before the first are zero."""
    for k in range(first, len(x)):
        subtract_rows(factor[k, first:k], x[first:k], 0, x.shape[1], x[k])
        for c in range(x.shape[1]):
            x[k, c] /= factor[k, k]


@kernel
def _backward_tile(transposed: Any, x: Any) -> None:
    for k in range(len(x) - 1, -1, -1):
        subtract_rows(transposed[k, k + 1 :], x[k + 1 :], 0, x.shape[1], x[k])
        for c in range(x.shape[1]):
            x[k, c] /= transposed[k, k]


def inverse(factor: Floats) -> Floats:
    """The inverse of factor * factor', by threads."""
    n = len(factor)
    transposed = np.ascontiguousarray(np.tril(factor).T)

    def work(first: int) -> Floats:
        tile = np.eye(n, min(TILE, n - first), -first)
        _forward_tile(factor, tile, first)
        _backward_tile(transposed, tile)
        return tile

    return np.hstack(list(each(work, range(0, n, TILE))))


def solve_transposed(factor: Floats, right: Floats) -> Floats:
    """Solve factor' * x = right for every column, by threads: white noise becomes draws."""
    transposed = np.ascontiguousarray(np.tril(factor).T)

    def work(first: int) -> Floats:
        tile = right[:, first : first + TILE].copy()
        _backward_tile(transposed, tile)
        return tile

    return np.hstack(list(each(work, range(0, right.shape[1], TILE))))


@kernel
def multiply(left: Any, right: Any) -> Any:
    """The product of two matrices."""
    out = np.zeros((left.shape[0], right.shape[1]))
    whole = left.shape[1] - left.shape[1] % 4
    for i in range(left.shape[0]):
        row = out[i]
        for j in range(0, whole, 4):
            a, b, c, d = left[i, j], left[i, j + 1], left[i, j + 2], left[i, j + 3]
            one, two, three, four = right[j], right[j + 1], right[j + 2], right[j + 3]
            for k in range(right.shape[1]):
                row[k] = (((row[k] + a * one[k]) + b * two[k]) + c * three[k]) + d * four[k]
        for j in range(whole, left.shape[1]):
            for k in range(right.shape[1]):
                row[k] += left[i, j] * right[j, k]
    return out
