"""Parts that go to the same point share one array, and no other part gets it."""

from __future__ import annotations

import numpy as np

from peerage.models.solver.orders import Order
from peerage.models.solver.points import point_ahead

ORIGIN, DIRECTION = np.array([1.0, 2.0]), np.array([0.5, -1.0])


def order(aim: int = 3, step: float = 0.5) -> Order:
    return Order("tell_value", 7, "fixed", move="ahead", aim=aim, step=step)


def test_the_same_way_leads_to_the_same_array_and_another_elsewhere():
    first, second = (point_ahead(order(), ORIGIN, DIRECTION) for _ in range(2))
    others = [
        (order(aim=4), ORIGIN, DIRECTION), (order(step=0.25), ORIGIN, DIRECTION),
        (order(), ORIGIN.copy(), DIRECTION), (order(), ORIGIN, DIRECTION.copy()),
    ]  # fmt: skip

    assert first is second
    assert first.tolist() == [1.25, 1.5]
    for other in others:
        known, found = point_ahead(order(), ORIGIN, DIRECTION), point_ahead(*other)
        assert found is not known
        assert found.tolist() == (other[1] + other[0].step * other[2]).tolist()


def test_a_direction_that_was_changed_in_place_has_another_aim():
    direction = DIRECTION.copy()
    first = point_ahead(order(), ORIGIN, direction)
    direction *= 2.0

    assert point_ahead(order(aim=4), ORIGIN, direction).tolist() == [1.5, 1.0]
    assert first.tolist() == [1.25, 1.5]
