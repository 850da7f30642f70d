"""The stored off-diagonal Hessian must be the one that the models' own products give."""

from __future__ import annotations

import numpy as np
import pytest
from model_cases import UNEVEN, make

from peerage import Feedback
from peerage.models.lists import count_pairs
from peerage.models.smooth.curvature import Curvature
from peerage.models.smooth.objective import ListObjective
from peerage.models.smooth.off_diagonal import worth_storing

VARIANTS = [
    ("BT", {}),
    ("BT", {"ties": "model"}),
    ("BT", {"pairs": "adjacent"}),
    ("BT", {"ties": "model", "pairs": "adjacent"}),
    ("THUR", {}),
    ("THUR", {"ties": "model"}),
    ("THUR", {"pairs": "adjacent"}),
    ("MALS", {}),
]


def evaluated(code: str, options: dict[str, str], spread: float, stored: bool) -> ListObjective:
    objective = make(code, **options).objective(Feedback.from_orders(UNEVEN))
    if not stored:
        objective.curvature = Curvature(objective.likelihood)
    random = np.random.default_rng(3)
    objective.evaluate(spread * random.normal(size=6), random.uniform(0.5, 2.0, 6))
    return objective


@pytest.mark.parametrize(("code", "options"), VARIANTS)
def test_matrix_is_that_of_the_products_and_so_are_product_and_diagonal(code, options):
    direction = np.random.default_rng(4).normal(size=6)
    for spread in (1.0, 50.0):  # 50: too far apart for plain exponentials
        objective = evaluated(code, options, spread, stored=True)

        matrix = objective.hessian()

        slow = evaluated(code, options, spread, stored=False).hessian()
        np.testing.assert_allclose(matrix, slow, atol=1e-11)
        np.testing.assert_allclose(objective.hessian_product(direction), matrix @ direction, atol=1e-12)
        np.testing.assert_allclose(objective.exact_diagonal(), np.diag(matrix), rtol=1e-12)
        np.testing.assert_array_equal(objective.diagonal(), objective.exact_diagonal())


def test_stored_hessian_follows_the_scores():
    objective = evaluated("BT", {}, 1.0, stored=True)
    before = objective.hessian()

    objective.evaluate(np.arange(6.0), np.ones(6))

    assert np.abs(objective.hessian() - before).max() > 0.1


def test_more_lists_than_are_fetched_together_change_nothing():
    names = [f"i{number:03d}" for number in range(50)]
    random = np.random.default_rng(5)
    lists = [(f"g{grader}", random.permutation(names)[: grader % 9].tolist()) for grader in range(2, 900)]
    objective = make("BT").objective(Feedback.from_orders([one for one in lists if one[1]]))
    objective.evaluate(random.normal(size=50), np.ones(objective.n_graders))
    direction = random.normal(size=50)

    np.testing.assert_allclose(
        objective.hessian_product(direction), objective.hessian() @ direction, rtol=1e-10
    )


def test_pairs_of_long_lists_are_not_stored():
    def stored(lists: int, length: int) -> bool:
        return worth_storing(count_pairs(np.arange(lists + 1) * length), lists * length)

    assert stored(200_000, 10)
    assert stored(3, 500)
    assert not stored(2_000, 500)
