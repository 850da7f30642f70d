"""The dense linear algebra against numpy's; that threads change no bit is tested with uncertainty."""

from __future__ import annotations

import numpy as np
import pytest

from peerage.models.solver.dense import dot, factorise, inverse, multiply, solve_transposed, substitute


def definite(n):
    root = np.random.default_rng(n).normal(size=(n, n))
    return root @ root.T + np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 64, 130])
def test_solutions_inverse_and_draws_agree_with_numpy(n):
    matrix, right, noise = definite(n), np.arange(1.0, n + 1), np.random.default_rng(n).normal(size=(n, 70))
    factor, solution = matrix.copy(), right.copy()

    assert factorise(factor)
    substitute(factor, solution)

    np.testing.assert_allclose(matrix @ solution, right, rtol=1e-10)
    assert dot(solution, right) == pytest.approx(solution @ right)
    np.testing.assert_allclose(inverse(factor), np.linalg.inv(matrix), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(np.tril(factor).T @ solve_transposed(factor, noise), noise, atol=1e-9)


@pytest.mark.parametrize("worst", [-1.0, 0.0, np.nan])
def test_a_matrix_that_is_not_positive_definite_is_refused(worst):
    assert not factorise(np.diag([1.0, worst, 1.0]))


def test_only_the_lower_half_is_read():
    matrix, solution = np.array([[2.0, np.nan], [1.0, 2.0]]), np.array([3.0, 3.0])

    assert factorise(matrix)
    substitute(matrix, solution)

    np.testing.assert_allclose(solution, [1.0, 1.0])


def test_products_agree_with_numpy():
    random = np.random.default_rng(0)
    left, right = random.normal(size=(7, 13)), random.normal(size=(13, 5))

    np.testing.assert_allclose(multiply(left, right), left @ right, rtol=1e-12, atol=1e-12)


def test_panels_change_no_bit():
    """One column after the other, as the definition says, gives the very same factor."""
    factor, plain = definite(130), definite(130)
    factorise(factor)

    for k in range(130):
        plain[k:, k] /= np.sqrt(plain[k, k])
        plain[k + 1 :, k + 1 :] -= plain[k + 1 :, k, None] * plain[k + 1 :, k]

    np.testing.assert_array_equal(np.tril(factor), np.tril(plain))
