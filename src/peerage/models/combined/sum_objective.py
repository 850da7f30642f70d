"""Several objectives of the same scores and reliabilities, added up."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from peerage.models.solver.parallel import total

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from peerage.models.solver.objective import Objective

    Floats = NDArray[np.float64]


class SumObjective:
    """Implements `Objective`: F = F1 + F2 + ..., each part with its own share of the priors."""

    components = None  # a part may know the means that another does not

    def __init__(self, *parts: Objective) -> None:
        self.parts = parts
        self.n_items, self.n_graders = parts[0].n_items, parts[0].n_graders
        self.scores, self.scales = np.zeros(self.n_items), np.ones(self.n_graders)

    @property
    def precision(self) -> float:
        """That of the parts together."""
        return sum(part.precision for part in self.parts)

    @cached_property
    def most_evidence(self) -> float:
        """That of the parts together."""
        return sum(part.most_evidence for part in self.parts)

    def evaluate(self, scores: Floats, scales: Floats) -> float:
        """Move to a point; the value there, priors of reliabilities not included."""
        self.scores, self.scales = scores, scales
        return sum(part.evaluate(scores, scales) for part in self.parts)

    def gradient(self) -> Floats:
        """dF/ds."""
        return total(part.gradient() for part in self.parts)

    def scale_gradient(self) -> Floats:
        """dF/da."""
        return total(part.scale_gradient() for part in self.parts)

    def scale_derivatives(self) -> tuple[Floats, Floats]:
        """First and second derivative of F in each scale; makes the mixed derivatives ready."""
        parts = [part.scale_derivatives() for part in self.parts]
        return total(first for first, _ in parts), total(second for _, second in parts)

    def mixed_by_grader(self, direction: Floats) -> Floats:
        """How dF/da changes along a direction in the scores."""
        return total(part.mixed_by_grader(direction) for part in self.parts)

    def mixed_by_item(self, moves: Floats) -> Floats:
        """How dF/ds changes with moves of the scales."""
        return total(part.mixed_by_item(moves) for part in self.parts)

    def mixed_matrix(self) -> Floats:
        """Mixed derivatives as a dense matrix, items by graders; for small classes."""
        return total(part.mixed_matrix() for part in self.parts)

    def sparse_mixed(self) -> csr_array:
        """The same as a sparse matrix."""
        return _added(part.sparse_mixed() for part in self.parts)

    def hessian_product(self, direction: Floats) -> Floats:
        """d2F/ds2 times a direction."""
        return total(part.hessian_product(direction) for part in self.parts)

    def hessian_products(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same for many directions, columns of single precision."""
        first, *others = (part.hessian_products(columns) for part in self.parts)
        return sum(others, start=first)

    def hessian(self) -> Floats:
        """d2F/ds2 as a dense matrix; for small classes."""
        return total(part.hessian() for part in self.parts)

    def sparse_hessian(self) -> csr_array:
        """d2F/ds2 as a sparse matrix."""
        return _added(part.sparse_hessian() for part in self.parts)

    def diagonal(self) -> Floats:
        """About the diagonal of d2F/ds2."""
        return total(part.diagonal() for part in self.parts)

    def exact_diagonal(self) -> Floats:
        """The diagonal of d2F/ds2."""
        return total(part.exact_diagonal() for part in self.parts)

    def reviews_by_grader(self) -> NDArray[np.int64]:
        """How many items every grader has judged, in the part that knows of most."""
        return np.asarray(np.max([part.reviews_by_grader() for part in self.parts], axis=0))

    def overlap(self, diagonal: Floats) -> float:
        """The parts are taken as independent of each other."""
        return 1.0


def _added(parts: Iterable[csr_array]) -> csr_array:
    first, *others = parts
    return sum(others, start=first)
