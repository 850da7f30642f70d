"""What the solver and the posterior ask of a model: two protocols, told apart by what has been eliminated.

An `Objective` is F(s, a), minus the log posterior of scores s and graders' scales a. A `ProfileFunction` is a
function of the scores alone, the scales held or always at their best; it is all that `minimise` ever sees, so
that an engine elsewhere may eliminate reliabilities where the lists are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from peerage.models.solver.components import Components

    Floats = NDArray[np.float64]


class Objective(Protocol):
    """F at a point (scores, scales): call `evaluate` first, then ask for derivatives there.

    The priors of the scores are in it, those of the reliabilities are not.
    """

    n_items: int
    n_graders: int
    scores: Floats  # where it was last evaluated
    scales: Floats

    @property
    def precision(self) -> float:
        """Of the normal prior of every score."""

    @property
    def most_evidence(self) -> float:
        """The largest number of comparisons or reviews that an item has: what gradients are measured by."""

    @property
    def components(self) -> Components | None:
        """Connected components whose mean score only the prior knows; None where the data knows it."""

    def evaluate(self, scores: Floats, scales: Floats) -> float:
        """Move to a point; the value there."""

    def gradient(self) -> Floats:
        """dF/ds."""

    def scale_gradient(self) -> Floats:
        """dF/da."""

    def scale_derivatives(self) -> tuple[Floats, Floats]:
        """First and second derivative of F in each scale; makes the mixed derivatives ready."""

    def mixed_by_grader(self, direction: Floats) -> Floats:
        """How dF/da changes along a direction in the scores."""

    def mixed_by_item(self, moves: Floats) -> Floats:
        """How dF/ds changes with moves of the scales."""

    def mixed_matrix(self) -> Floats:
        """Mixed derivatives as a dense matrix, items by graders; for small classes."""

    def sparse_mixed(self) -> csr_array:
        """The same as a sparse matrix."""

    def hessian_product(self, direction: Floats) -> Floats:
        """d2F/ds2 times a direction."""

    def hessian_products(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same for many directions, columns of single precision."""

    def hessian(self) -> Floats:
        """d2F/ds2 as a dense matrix; for small classes."""

    def sparse_hessian(self) -> csr_array:
        """The same as a sparse matrix."""

    def diagonal(self) -> Floats:
        """The diagonal of d2F/ds2 for preconditioning: exact where it is cheap, else about right."""

    def exact_diagonal(self) -> Floats:
        """The diagonal of d2F/ds2."""

    def reviews_by_grader(self) -> NDArray[np.int64]:
        """How many items every grader has judged: their squares bound the size of the sparse Hessian."""

    def overlap(self, diagonal: Floats) -> float:
        """How many times over the likelihood counts what graders said, 1 or more; by the exact diagonal."""


class ProfileFunction(Protocol):
    """A function of the scores alone, as `minimise` asks for it: `evaluate` first, then derivatives there."""

    step_limit: float  # how far a score may go in one step
    reuse_ratio: float  # while a step shrinks the gradient to this, its factor is good for another
    inner_tolerance: float  # how far, relatively, a scale may be from its best

    @property
    def most_evidence(self) -> float:
        """What gradients are measured by."""

    @property
    def n_items(self) -> int:
        """Length of the scores."""

    @property
    def n_graders(self) -> int:
        """Length of the scales."""

    def evaluate(self, scores: Floats) -> float:
        """Go to these scores, solve the scales from where they are; the value there."""

    def aim_at(self, direction: Floats) -> None:
        """Remember where this is, and how the scales move along a direction from here."""

    def evaluate_ahead(self, scores: Floats, step: float) -> float:
        """Go to scores so far ahead, scales sought from where they should be; the value there."""

    def retreat(self, scores: Floats) -> None:
        """Back to these scores, where it was aimed."""

    def gradient(self) -> Floats:
        """Gradient there."""

    def hessian_product(self, direction: Floats) -> Floats:
        """Hessian there, times a direction."""

    def hessian(self) -> Floats:
        """Hessian there, as a matrix; for small classes."""

    def diagonal(self) -> Floats:
        """Roughly the diagonal of the Hessian there: the preconditioner."""

    def set_inner_tolerance(self, tolerance: float) -> None:
        """Solve the scales no better than this from now on."""

    def solve_null_space(self, right: Floats) -> tuple[Floats, Floats]:
        """Solve Hessian * x = right where the prior alone decides: x, and what is left of the right side."""

    def deflated(self, direction: Floats) -> Floats:
        """The direction without its part in that null space of the likelihood."""


class Resumable(ProfileFunction, Protocol):
    """One whose search can be left, and gone on with by another process, to the same bits."""

    def state(self) -> dict[str, Any]:
        """All that is needed to stand here again."""

    def resume(self, state: dict[str, Any]) -> float:
        """Stand where another stood; the value there."""
