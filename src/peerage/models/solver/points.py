"""Points that several parts go to: one array for all of them in a process, not one for each."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING
from weakref import ref

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from peerage.models.solver.orders import Order

    Floats = NDArray[np.float64]


class _LastPoint:
    """The last point that a part went to, as long as one stands there, and the way that led to it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ends: tuple[ref[Floats], ref[Floats], ref[Floats]] | None = None
        self._way = (0, 0.0)

    def ahead(self, order: Order, origin: Floats, direction: Floats) -> Floats:
        with self._lock:
            found = self._known((order.aim, order.step), origin, direction)
            if found is None:
                found = origin + order.step * direction
                self._way, self._ends = (order.aim, order.step), (ref(origin), ref(direction), ref(found))
            return found

    def _known(self, way: tuple[int, float], origin: Floats, direction: Floats) -> Floats | None:
        if self._ends is None or self._way != way:  # aims are numbered within a fit, so the arrays count, too
            return None
        start, along, point = (end() for end in self._ends)
        return point if start is origin and along is direction else None


_last = _LastPoint()


def point_ahead(order: Order, origin: Floats, direction: Floats) -> Floats:
    """``origin + order.step * direction``, to be read only: parts that go the same way share it."""
    return _last.ahead(order, origin, direction)
