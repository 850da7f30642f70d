"""The posterior of normal scores as one function to minimise, biases eliminated.

F(s, eta) = min over b of  sum over reviews of w (eta_g r^2 - log eta_g) / 2,  r = y - slope s_d - b_g
            + sum over graders of b_g^2 / (2 bias_variance) + sum over items of precision s_d^2 / 2

Scores and reviews are in units of the noise and measured from the prior mean.

Given the scores, a grader's best eta minimises  A eta + c eta / (1 + k eta) - C log eta,  with
A = within / 2 + rate, c = n mean^2 / 2, k = n bias_variance, C = n / 2 + shape - 1. Its derivative
vanishes at the positive roots of a cubic, one or three of them; of the outer two we take the better one.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import kernel
from peerage.models import thresholds
from peerage.models.normal import reviews as by
from peerage.models.solver.dense import dot
from peerage.models.solver.scales import BestScales, subtract_schur
from peerage.models.solver.threads import each, total

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from peerage.models.normal.reviews import Reviews
    from peerage.models.solver.scales import GammaPrior

LEAST = 1e-12  # the reliability of a grader of whom nothing is known under a prior whose mode is zero


class ScoreObjective:
    """Implements `Objective`: F at a point (scores, eta), the scale of a grader being its reliability."""

    def __init__(
        self,
        reviews: Reviews,
        n_items: int,
        *,
        precision: float,
        bias_variance: float,
        slope: float = 1.0,
        n_runs: int = thresholds.SCORE_RUNS,
    ) -> None:
        self.reviews, self.precision = reviews, precision
        self.bias_variance, self.slope = bias_variance, slope
        self.n_items, self.n_graders = n_items, len(reviews.weight)
        self.runs = by.runs_of(reviews, n_runs)
        self.mean, self.within, self.bias, self.sums, self.squares = np.zeros((5, self.n_graders))
        self.u, self.mixed = np.zeros((2, len(reviews.y)))
        self.scores, self.scales = np.empty(0), np.ones(self.n_graders)
        self._judged: csr_array | None = None  # of the last products

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (*self.reviews, self.u, self.mixed)) + 100 * self.n_graders

    @cached_property
    def most_evidence(self) -> float:
        """Weight of all reviews of the item with most."""
        evidence = np.bincount(self.reviews.items, self.reviews.w, self.n_items)
        return max(1.0, float(evidence.max(initial=0.0)))

    def evaluate(self, scores: NDArray[np.float64], scales: NDArray[np.float64]) -> float:
        """Move to a point; the value there, priors of reliabilities not included."""
        self.moments(scores)
        self.scales, self._judged = scales, None

        def work(run: tuple[int, int]) -> float:
            return by.eliminate_biases(
                self.reviews, *run, self.u, self.mean, self.bias_variance, scales,
                self.bias, self.sums, self.squares,
            )  # fmt: skip

        value = sum(each(work, self.runs))
        return value + 0.5 * self.precision * dot(scores, scores) if self.precision else value

    def moments(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and summed squares of each grader's reviews less the scores, before any bias."""

        def work(run: tuple[int, int]) -> None:
            by.residuals(self.reviews, *run, scores, self.slope, self.u, self.mean, self.within)

        if scores is not self.scores:  # otherwise only the reliabilities have moved
            list(each(work, self.runs))
            self.scores = scores
        return self.mean, self.within

    def gradient(self) -> NDArray[np.float64]:
        gradient = self._by_item(by.gradient, self.u, self.slope, self.scales, self.bias)
        if self.precision:
            gradient += self.precision * self.scores
        return gradient

    def _by_item(self, work: Callable[..., None], *arguments: Any) -> NDArray[np.float64]:
        """A pass that adds up by item: every run into an array of its own, summed in order."""

        def run_alone(run: tuple[int, int]) -> NDArray[np.float64]:
            part = np.zeros(self.n_items)
            work(self.reviews, *run, *arguments, part)
            return part

        return total(each(run_alone, self.runs))

    # -- reliabilities ------------------------------------------------------------------------------

    def scale_gradient(self) -> NDArray[np.float64]:
        """dF/d eta."""
        return 0.5 * (self.squares - self.reviews.weight / self.scales)

    def scale_derivatives(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """First and second derivative of F in each eta; makes the mixed derivatives ready."""
        eta, weight = self.scales, self.reviews.weight
        soft = self.bias_variance / (1.0 + weight * self.bias_variance * eta)
        self._find_mixed()
        return self.scale_gradient(), 0.5 * weight / eta**2 - soft * self.sums**2

    def _find_mixed(self) -> None:
        def work(run: tuple[int, int]) -> None:
            by.mixed_terms(
                self.reviews, *run, self.u, self.slope, self.bias_variance, self.scales,
                self.bias, self.sums, self.mixed,
            )  # fmt: skip

        list(each(work, self.runs))

    def mixed_by_grader(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """How dF/d eta changes along a direction in the scores."""
        moves = np.zeros(self.n_graders)
        list(each(lambda run: by.sums_by_grader(self.reviews, *run, self.mixed, direction, moves), self.runs))
        return moves

    def mixed_by_item(self, moves: NDArray[np.float64]) -> NDArray[np.float64]:
        """How dF/ds changes with moves of eta."""
        return self._by_item(by.sums_by_item, self.mixed, moves)

    def add_mixed(self, moves: NDArray[np.float64], by_item: NDArray[np.float64]) -> None:
        by_item += self.mixed_by_item(moves)

    def mixed_matrix(self) -> NDArray[np.float64]:
        """Mixed derivatives as a dense matrix, items by graders; for small classes."""
        return self._dense(self.mixed)

    def sparse_mixed(self) -> csr_array:
        """The same as a sparse matrix."""
        return self._sparse(self.mixed)

    def _dense(self, entry: NDArray[np.float64]) -> NDArray[np.float64]:
        matrix = np.zeros((self.n_items, self.n_graders))
        np.add.at(matrix, (self.reviews.items, self._graders()), entry)
        return matrix

    def _sparse(self, entry: NDArray[np.float64]) -> csr_array:
        from scipy import sparse  # slow to import, and not needed by a fit

        shape = (self.n_items, self.n_graders)
        return sparse.coo_array((entry, (self.reviews.items, self._graders())), shape=shape).tocsr()

    def _graders(self) -> NDArray[np.int64]:
        """The grader of every review."""
        return np.repeat(np.arange(self.n_graders), np.diff(self.reviews.starts))

    # -- Hessian in the scores ------------------------------------------------------------------------

    def hessian_product(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """d2F/ds2 times a direction."""
        return self.eliminated_product(direction, np.zeros(self.n_graders))

    def eliminated_product(
        self, direction: NDArray[np.float64], inverse: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The same where every eta follows the scores; `inverse` is 1 / the curvature in eta."""

        def work(run: tuple[int, int]) -> NDArray[np.float64]:
            pairs = np.zeros((self.n_items, 2))
            pairs[:, 0] = direction
            by.hessian_product(
                self.reviews, *run, self.slope, self.bias_variance, self.scales, self.mixed, inverse, pairs
            )
            return pairs[:, 1]

        product = total(each(work, self.runs))
        if self.precision:
            product += self.precision * direction
        return product

    def hessian(self) -> NDArray[np.float64]:
        """d2F/ds2 as a dense matrix; for small classes."""
        judged = self.slope * self._dense(self.reviews.w)
        eta, weight = self.scales, self.reviews.weight
        with np.errstate(divide="ignore"):  # no biases: infinite curvature
            curvature = (1.0 + weight * self.bias_variance * eta) / (eta**2 * self.bias_variance)
        matrix = np.diag(self._own())
        subtract_schur(np.ascontiguousarray(judged.T), curvature, matrix)
        return matrix

    def hessian_products(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same for many directions, columns of single precision."""
        if self._judged is None:
            judged, give = self._shared()
            self._judged = (judged * np.sqrt(give)).astype(np.float32)
        product = self._own().astype(np.float32)[:, None] * columns
        product -= self._judged @ (self._judged.T @ columns)
        return np.asarray(product)

    def sparse_hessian(self) -> csr_array:
        """d2F/ds2 as a sparse matrix."""
        from scipy import sparse

        judged, give = self._shared()
        return sparse.csr_array(sparse.diags_array(self._own()) - (judged * give) @ judged.T)

    def _shared(self) -> tuple[csr_array, NDArray[np.float64]]:
        """What every grader has judged, items by graders, and how far the bias follows: it couples items."""
        eta, weight = self.scales, self.reviews.weight
        judged = self.slope * self._sparse(self.reviews.w)
        return judged, eta**2 * self.bias_variance / (1.0 + weight * self.bias_variance * eta)

    def _own(self) -> NDArray[np.float64]:
        """The diagonal before biases are eliminated."""
        weight = self.reviews.w * np.repeat(self.scales, np.diff(self.reviews.starts))
        return self.precision + self.slope**2 * by.sums(self.reviews.items, weight, self.n_items)

    def diagonal(self) -> NDArray[np.float64]:
        diagonal = self._by_item(by.diagonal, self.slope, self.bias_variance, self.scales)
        if self.precision:
            diagonal += self.precision
        return diagonal

    def probed_diagonal(self, seed: int) -> NDArray[np.float64]:
        """Never sampled: the exact one is cheap."""
        return self.diagonal()

    def exact_diagonal(self) -> NDArray[np.float64]:
        """The same, also where a grader scored an item twice."""
        judged, give = self._shared()
        return np.asarray(self._own() - judged.power(2) @ give)

    # -- for the posterior ----------------------------------------------------------------------------

    def reviews_by_grader(self) -> NDArray[np.int64]:
        """How many items every grader has scored."""
        return np.diff(self.reviews.starts)

    def overlap(self, diagonal: NDArray[np.float64]) -> float:
        """Reviews are independent."""
        return 1.0


class ScoreScales(BestScales):
    """Every bias and reliability is the best one for the scores."""

    objective: ScoreObjective
    closed_form = True

    def __init__(self, objective: ScoreObjective, prior: GammaPrior) -> None:
        super().__init__(objective, prior)

    def evaluate(self, scores: NDArray[np.float64], start: NDArray[np.float64] | None = None) -> float:
        """Go to these scores, solve biases and reliabilities there; the value there."""
        mean, within = self.objective.moments(scores)
        weight = self.objective.reviews.weight
        eta = np.empty(len(weight))
        best_reliabilities(
            0.5 * within + self.prior.rate,
            0.5 * weight * mean**2,
            weight * self.objective.bias_variance,
            0.5 * weight + self.prior.shape - 1.0,
            eta,
        )
        value = self.objective.evaluate(scores, eta) + self.prior.value(eta)
        self.scales = eta
        self.scale_curvature = self.objective.scale_derivatives()[1] + self.prior.curvature(eta)
        np.copyto(
            self.scale_curvature, np.inf, where=self.scale_curvature <= 0
        )  # a prior without mode, and no reviews
        return value

    def hessian_product(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Hessian there, times a direction."""
        return self.objective.eliminated_product(direction, 1.0 / self.scale_curvature)

    def gradient(self) -> NDArray[np.float64]:
        """Gradient where it was last evaluated."""
        return self.objective.gradient()

    def response(self, direction: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Reliabilities are solved without a start."""
        return None

    def estimates(self) -> tuple[NDArray[np.float64], ...]:
        """Reliabilities and biases."""
        return self.scales, self.objective.bias


@kernel
def best_reliabilities(A: Any, c: Any, k: Any, C: Any, eta: Any) -> None:
    """The eta > 0 of every grader where A eta + c eta / (1 + k eta) - C log eta is least."""
    for g in range(len(eta)):
        if C[g] <= 0.0:
            eta[g] = LEAST
            continue
        low, high = C[g] / (A[g] + c[g]), C[g] / A[g]  # no root lies outside
        left, right = _turns(A[g], c[g], k[g], C[g])
        eta[g] = _root(A[g], c[g], k[g], C[g], low, left if low < left < high else high)
        if low < right < high:
            other = _root(A[g], c[g], k[g], C[g], right, high)
            if _cost(A[g], c[g], k[g], C[g], other) < _cost(A[g], c[g], k[g], C[g], eta[g]):
                eta[g] = other


@kernel
def _cost(A: float, c: float, k: float, C: float, x: float) -> float:
    return A * x + c * x / (1.0 + k * x) - C * math.log(x)


@kernel
def _scaled_derivative(A: float, c: float, k: float, C: float, x: float) -> float:
    """x times the derivative of the cost: negative below a best point, positive above."""
    return A * x + c * x / (1.0 + k * x) ** 2 - C


@kernel
def _turns(A: float, c: float, k: float, C: float) -> tuple[float, float]:
    """Where the cubic turns, if between its turns it changes sign; otherwise infinity, twice."""
    a, b, d = 3.0 * A * k * k, 2.0 * (2.0 * A * k - C * k * k), A + c - 2.0 * C * k
    inside = b * b - 4.0 * a * d
    if k == 0.0 or inside <= 0.0 or b >= 0.0 or d <= 0.0:
        return math.inf, math.inf
    q = 0.5 * (-b + math.sqrt(inside))
    left, right = d / q, q / a
    if _scaled_derivative(A, c, k, C, left) > 0.0 > _scaled_derivative(A, c, k, C, right):
        return left, right
    return math.inf, math.inf


@kernel
def _root(A: float, c: float, k: float, C: float, low: float, high: float) -> float:
    """The root of the derivative between two points, by Newton steps kept inside the bracket."""
    x = 0.5 * (low + high)
    for _ in range(100):
        scaled = _scaled_derivative(A, c, k, C, x)
        if scaled == 0.0:
            return x
        if scaled > 0.0:
            high = x
        else:
            low = x
        second = A + c * (1.0 - k * x) / (1.0 + k * x) ** 3
        new = x - scaled / second if second > 0.0 else low
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - x) <= 4e-16 * x:
            return new
        x = new
    return x
