"""Several objectives of the same scores and reliabilities, added up."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from peerage.models.smooth import Objective
from peerage.models.solver import total

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Sum(Objective):
    """F = F1 + F2 + ..., each part with its own share of the priors."""

    pieces = None  # the sum may have a level where a part has none

    def __init__(self, *parts: Objective) -> None:
        self.parts = parts
        self.n_items, self.n_graders = parts[0].n_items, parts[0].n_graders

    @cached_property
    def most_evidence(self) -> float:
        """That of the parts together."""
        return sum(part.most_evidence for part in self.parts)

    def evaluate(self, scores: NDArray[np.float64], scales: NDArray[np.float64]) -> float:
        """Move to a point; the value there, priors of reliabilities not included."""
        self.scores, self.scales = scores, scales
        return sum(part.evaluate(scores, scales) for part in self.parts)

    def score_slope(self) -> NDArray[np.float64]:
        """dF/ds."""
        return total(part.score_slope() for part in self.parts)

    def scale_slopes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """First and second derivative of F in each scale, priors of reliabilities not included."""
        slopes = [part.scale_slopes() for part in self.parts]
        return total(first for first, _ in slopes), total(second for _, second in slopes)

    def cross_down(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """How dF/da changes along a direction in the scores."""
        return total(part.cross_down(direction) for part in self.parts)

    def cross_up(self, moves: NDArray[np.float64]) -> NDArray[np.float64]:
        """How dF/ds changes with moves of the scales."""
        return total(part.cross_up(moves) for part in self.parts)

    def cross_matrix(self) -> NDArray[np.float64]:
        """Mixed derivatives as a dense matrix, items by graders; for small classes."""
        return total(part.cross_matrix() for part in self.parts)

    def curve(
        self, direction: NDArray[np.float64], soft: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """d2F/ds2 times a direction."""
        return total(part.curve(direction) for part in self.parts)

    def hessian(self) -> NDArray[np.float64]:
        """d2F/ds2 as a dense matrix; for small classes."""
        return total(part.hessian() for part in self.parts)

    def diagonal(self) -> NDArray[np.float64]:
        """About the diagonal of d2F/ds2."""
        return total(part.diagonal() for part in self.parts)
