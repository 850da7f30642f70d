"""Functions of a large sparse matrix, by Lanczos' method: S^(-1/2) z for many z at once, and log det S.

A few dozen products with the matrix give z' -> f(S) z to three digits where S, scaled to a unit diagonal, is
well conditioned, which reviews dealt out at random see to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh_tridiagonal

from peerage.models.solver.dense import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STEPS, CHECK = 120, 10
CHECK_SINGLE = 1  # of columns in single precision, whose class is large: every step takes long
CLOSE = 1e-3  # error of a draw; the noise of the draws themselves is far larger
BATCH = 32  # columns at once: enough to keep a product busy, few enough to fit in memory


def inverse_root(multiply: Callable[[Any], Any], diagonal: Floats, z: NDArray[Any]) -> NDArray[Any]:
    """One column x with covariance S^-1 for every column of white noise z, in the precision of z."""
    root = (1.0 / np.sqrt(diagonal)).astype(z.dtype)[:, None]

    def scaled(v: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(root * multiply(root * v))

    batches = range(0, z.shape[1], BATCH)
    return np.hstack([root * _apply(scaled, z[:, first : first + BATCH]) for first in batches])


def log_determinant(multiply: Callable[[Floats], Floats], diagonal: Floats, z: Floats) -> float:
    """log det S, its noise that of the mean over the columns of signs z."""
    root = 1.0 / np.sqrt(diagonal)[:, None]
    alphas, betas, _ = _tridiagonal(lambda v: root * multiply(root * v), z)
    inner = []
    for column in range(z.shape[1]):
        values, vectors = eigh_tridiagonal(alphas[:, column], betas[:-1, column])
        inner.append(dot(vectors[0] ** 2, np.log(np.maximum(values, 1e-12))))
    return float(np.log(diagonal).sum() + len(diagonal) * np.mean(inner))


def _apply(multiply: Callable[[Any], Any], z: NDArray[Any]) -> NDArray[Any]:
    check = CHECK_SINGLE if z.dtype == np.float32 else CHECK
    alphas, betas, basis = _tridiagonal(multiply, z, check)
    weights = np.stack([_first_column(a, b) for a, b in zip(alphas.T, betas.T, strict=True)], axis=1)
    total = np.zeros_like(z)
    for vector, weight in zip(basis, weights.astype(z.dtype), strict=True):
        total += weight * vector
    return np.asarray(total * np.linalg.norm(z, axis=0))


def _first_column(alpha: Floats, beta: Floats) -> Floats:
    """T^(-1/2) times the first unit vector, T the tridiagonal matrix."""
    values, vectors = eigh_tridiagonal(alpha, beta[:-1])
    return np.asarray(np.einsum("ij,j->i", vectors, vectors[0] / np.sqrt(np.maximum(values, 1e-12))))


def _tridiagonal(
    multiply: Callable[[Any], Any], z: NDArray[Any], check: int = CHECK
) -> tuple[Floats, Floats, list[NDArray[Any]]]:
    """Alphas, betas and the basis of every column, as far as they need to go: looked at every few steps."""
    v = z / np.linalg.norm(z, axis=0)
    before, beta = np.zeros_like(v), np.zeros(z.shape[1], dtype=z.dtype)
    alphas, betas, basis = [], [], []
    for step in range(1, min(STEPS, len(z)) + 1):
        basis.append(v)
        w = multiply(v) - beta * before
        alpha = np.einsum("nd,nd->d", w, v)
        w -= alpha * v
        beta = np.linalg.norm(w, axis=0)
        alphas.append(alpha)
        betas.append(beta)
        done = (
            step > 2
            and step % check == 0
            and _settled(np.array(alphas, dtype=float), np.array(betas, dtype=float))
        )
        if done or float(beta.min()) < 1e-10:
            break
        before, v = v, w / beta
    return np.array(alphas, dtype=float), np.array(betas, dtype=float), basis


def _settled(alphas: Floats, betas: Floats) -> bool:
    """Whether the last basis vector hardly takes part any more, and the one before not much more.

    Weights fall by a factor from step to step: what is left out is less than the last of them.
    """
    for alpha, beta in zip(alphas.T, betas.T, strict=True):
        weights = _first_column(alpha, beta)
        before, last = np.abs(weights[-2:]) / np.linalg.norm(weights)
        if last > CLOSE or before > 10.0 * CLOSE:
            return False
    return True
