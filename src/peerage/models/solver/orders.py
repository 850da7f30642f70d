"""What the search tells the parts: where to stand, how to get there, and what to answer from there.

Everything that cannot be worked out again is at the one who asks. A part that stands elsewhere, because it
was read anew after its worker was lost, says so, and is told the point once more: the scores, and the scales
of its graders as they were found. From there all is as it was, to the last bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from peerage._parts import STALE, Told

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Kind = Literal["fixed", "free", "held"]  # how reliabilities follow the scores


@dataclass(frozen=True, slots=True)
class Order:
    """A question to every part.

    report : what to tell, a method of the part
    point : the number of the point to stand at
    kind : whether reliabilities stay, follow the scores, or follow them with their mean held
    move : how to get there, if not there already: begin anew, solve the scales better, or go ahead
    origin : the number of the point that the move starts from, 0 for none
    aim : the number of the direction to go ahead in, and how far
    tolerance : how well the scales are solved
    multipliers, shift, pull : by group of graders whose mean is held, its multiplier; what was missing at the
        origin; and how the multiplier changes in the direction
    """

    report: str
    point: int
    kind: Kind
    move: Literal["", "begin", "again", "ahead"] = ""
    origin: int = 0
    aim: int = 0
    step: float = 1.0
    tolerance: float = 0.0
    multipliers: Floats | None = None
    shift: Floats | None = None
    pull: Floats | None = None
    seed: int = 0
    with_diagonal: bool = False  # whether to tell the diagonal of the Hessian with the value


@dataclass(frozen=True, slots=True)
class Back:
    """The way back to a point, for a part that does not stand there; its scales come part by part."""

    point: int
    scores: Floats
    multipliers: Floats | None


class Part(ABC):
    """What all parts share: they go where they are told, once, and answer from there."""

    at = 0  # the point it stands at
    aim = 0  # the direction that it knows

    def __init__(self) -> None:
        self.lock = Lock()

    @abstractmethod
    def begin(self, order: Order, scores: Floats, scales: Floats | None) -> None:
        """Go to these scores; the scales are sought from the given ones, or from 1."""

    @abstractmethod
    def again(self, order: Order) -> None:
        """Solve the scales once more, from where they are."""

    @abstractmethod
    def ahead(self, order: Order, direction: Floats) -> None:
        """Go ahead from the origin."""

    @abstractmethod
    def back(self, order: Order, back: Back, scales: Floats | None) -> None:
        """Stand where it stood, scales as they were found."""

    def answer(self, order: Order, vector: Any, back: Back | None, scales: Floats | None) -> Told:
        """Stand where the order says and tell; stale where that cannot be."""
        with self.lock:
            if self.at != order.point and not self._move(order, vector, back, scales):
                return STALE
            found: Told = getattr(self, order.report)(order, vector)
            return found

    def _move(self, order: Order, vector: Any, back: Back | None, scales: Floats | None) -> bool:
        if order.move == "begin":
            self.begin(order, vector, scales)
        else:
            knows = self.at == order.origin or (order.move == "ahead" and self.aim == order.aim)
            if not knows or not order.move:
                if back is None:
                    return False
                self.aim = 0
                self.back(order, back, scales)
                self.at = back.point
            if order.move == "again":
                self.again(order)
            elif order.move == "ahead":
                self.ahead(order, vector)
                self.aim = order.aim
        self.at = order.point
        return True


def answer(part: Part, order: Order, vector: Any, back: Back | None, scales: Floats | None) -> Told:
    """What the part answers; a function, so that it can be sent."""
    return part.answer(order, vector, back, scales)
