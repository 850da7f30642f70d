"""The small linear algebra against numpy's, and the same bits whatever the threads of the large one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from peerage.models.solver.dense import dot, factorise, substitute

FIT = """
import hashlib
from model_cases import make, some_class
feedback = some_class(items=140, graders=200, length=6)
for code in ("PL", "BT+G", "NCS+G"):
    fitted = make(code).fit(feedback)
    print(code, hashlib.sha256(fitted.scores_.tobytes() + fitted.reliabilities_.tobytes()).hexdigest())
"""


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 100])
def test_factor_and_dot_agree_with_numpy(n):
    root, right = np.random.default_rng(n).normal(size=(n, n)), np.arange(1.0, n + 1)
    matrix = root @ root.T + np.eye(n)
    solution = right.copy()

    factor = matrix.copy()

    assert factorise(factor)
    substitute(factor, solution)

    np.testing.assert_allclose(matrix @ solution, right, rtol=1e-10)
    assert dot(solution, right) == pytest.approx(solution @ right)


@pytest.mark.parametrize("worst", [-1.0, 0.0, np.nan])
def test_a_matrix_that_is_not_positive_definite_is_refused(worst):
    assert not factorise(np.diag([1.0, worst, 1.0]))


def test_only_the_lower_half_is_read():
    matrix, solution = np.array([[2.0, np.nan], [1.0, 2.0]]), np.array([3.0, 3.0])

    assert factorise(matrix)
    substitute(matrix, solution)

    np.testing.assert_allclose(solution, [1.0, 1.0])


def test_the_threads_of_the_linear_algebra_change_no_bit():
    def bits(threads):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        environment = os.environ | dict.fromkeys(names, str(threads))
        command = [sys.executable, "-c", FIT]
        return subprocess.check_output(command, cwd=Path(__file__).parent, env=environment, text=True)

    assert bits(1) == bits(2)
