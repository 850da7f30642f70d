"""Small linear algebra with the same bits on any number of cores.

The usual libraries cut their sums by the number of threads, and wake threads for matrices so small that the
waking costs more than the work.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from peerage._numba import kernel


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
def factorise(matrix: Any) -> bool:
    """Put Cholesky's factor into the lower half, in place; false where the matrix is not positive definite.

    Only the lower half is read. Where the answer is false, the matrix is spoilt.
    """
    n = len(matrix)
    column = np.empty(n)
    for k in range(n):
        if not matrix[k, k] > 0.0:
            return False
        pivot = math.sqrt(matrix[k, k])
        for i in range(k, n):
            column[i] = matrix[i, k] / pivot
            matrix[i, k] = column[i]
        for i in range(k + 1, n):
            factor = column[i]
            for j in range(k + 1, i + 1):
                matrix[i, j] -= factor * column[j]
    return True


@kernel
def substitute(factor: Any, right: Any) -> None:
    """Solve factor * factor' * x = right, in place."""
    n = len(right)
    for k in range(n):
        for i in range(k):
            right[k] -= factor[k, i] * right[i]
        right[k] /= factor[k, k]
    for k in range(n - 1, -1, -1):
        right[k] /= factor[k, k]
        for i in range(k):
            right[i] -= factor[k, i] * right[k]


@kernel
def multiply(left: Any, right: Any) -> Any:
    """The product of two matrices."""
    out = np.zeros((left.shape[0], right.shape[1]))
    for i in range(left.shape[0]):
        for j in range(left.shape[1]):
            for k in range(right.shape[1]):
                out[i, k] += left[i, j] * right[j, k]
    return out
