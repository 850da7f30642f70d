"""Parts that go to the same point share one array, and no other part gets it."""

from __future__ import annotations

import numpy as np

from peerage.models.solver.part import PartRequest, _shared_step

ORIGIN, DIRECTION = np.array([1.0, 2.0]), np.array([0.5, -1.0])


def request(direction: int = 3, step: float = 0.5) -> PartRequest:
    return PartRequest("report_value", 7, "fixed", move="step", direction=direction, step=step)


def test_the_same_way_leads_to_the_same_array_and_another_elsewhere():
    first, second = (_shared_step.take(request(), ORIGIN, DIRECTION) for _ in range(2))
    others = [
        (request(direction=4), ORIGIN, DIRECTION), (request(step=0.25), ORIGIN, DIRECTION),
        (request(), ORIGIN.copy(), DIRECTION), (request(), ORIGIN, DIRECTION.copy()),
    ]  # fmt: skip

    assert first is second
    assert first.tolist() == [1.25, 1.5]
    for other in others:
        known, found = _shared_step.take(request(), ORIGIN, DIRECTION), _shared_step.take(*other)
        assert found is not known
        assert found.tolist() == (other[1] + other[0].step * other[2]).tolist()


def test_a_direction_that_was_changed_in_place_has_another_aim():
    direction = DIRECTION.copy()
    first = _shared_step.take(request(), ORIGIN, direction)
    direction *= 2.0

    assert _shared_step.take(request(direction=4), ORIGIN, direction).tolist() == [1.5, 1.0]
    assert first.tolist() == [1.25, 1.5]
