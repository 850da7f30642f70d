"""Parts that go to the same point share one array, and no other part gets it."""

from __future__ import annotations

import numpy as np

from peerage.models.solver.part import shared_step

ORIGIN, DIRECTION = np.array([1.0, 2.0]), np.array([0.5, -1.0])
WAY = (3, 0.5)  # the number of the direction, and the step


def test_the_same_way_leads_to_the_same_array_and_another_elsewhere():
    first, second = (shared_step.take(WAY, ORIGIN, DIRECTION) for _ in range(2))
    others = [
        ((4, 0.5), ORIGIN, DIRECTION), ((3, 0.25), ORIGIN, DIRECTION),
        (WAY, ORIGIN.copy(), DIRECTION), (WAY, ORIGIN, DIRECTION.copy()),
    ]  # fmt: skip

    assert first is second
    assert first.tolist() == [1.25, 1.5]
    for other in others:
        known, found = shared_step.take(WAY, ORIGIN, DIRECTION), shared_step.take(*other)
        assert found is not known
        assert found.tolist() == (other[1] + other[0][1] * other[2]).tolist()


def test_a_direction_that_was_changed_in_place_has_another_aim():
    direction = DIRECTION.copy()
    first = shared_step.take(WAY, ORIGIN, direction)
    direction *= 2.0

    assert shared_step.take((4, 0.5), ORIGIN, direction).tolist() == [1.5, 1.0]
    assert first.tolist() == [1.25, 1.5]
