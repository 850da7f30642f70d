"""How much scores vary between items, between graders and from review to review, learned from the data.

The linear mixed model  y = mean of the task + item + bias + noise  has variances V, B and S. Written with
the ratios S / V and S / B, minus twice the restricted log-likelihood is, up to a constant,

    (N - p) log Q + log det C - q log(S / V) - m log(S / B),    S = Q / (N - p)

where Q is the summed squares of what the fit leaves, penalties included, C the matrix of the mixed-model
equations with task means integrated out (p of them), q the items less p and m the graders. To it we add
WEAK log(ratio)^2 for each ratio: a normal prior with standard deviation 3 on its logarithm, which keeps
ratios finite where the data cannot tell two variances apart, and matters nowhere else.

Newton's method in the logarithms of the ratios needs traces of C's inverse: exact by a dense matrix for small
classes, by Hutchinson's random signs and conjugate gradients for large ones (see `mixed.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peerage.models import thresholds
from peerage.models.normal.mixed_model import ExactTraces, MixedEquations, ScoredItems
from peerage.models.normal.sampled_traces import SampledTraces, WarmStart
from peerage.models.solver.dense import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.normal.reviews import Reviews

WEAK = 1.0 / 9.0
BOUND = np.log(1e6)  # of a ratio, either way
STEPS = 60
SETTLED = 1e-4  # change of a log ratio at which it is found


class Variances(NamedTuple):
    """Between items, between graders (0: no biases), and of a single review."""

    item: float
    bias: float
    noise: float


def learn(
    reviews: Reviews,
    item_tasks: NDArray[np.int32],
    eta: NDArray[np.float64] | None = None,
    start: Variances | None = None,
    *,
    known_mean: bool,
    steps: int = STEPS,
    warm: WarmStart | None = None,
) -> Variances | None:
    """The most likely variances; None where the scores do not vary or there are too few of them.

    Scores come measured from the known mean, or from anywhere if it is not known. With reliabilities eta,
    there are biases, and a grader's noise has variance S / eta. `steps` is how many Newton steps to go
    from the start at most; `warm` is handed from one call to the next, about the same reviews.
    """
    total = float(reviews.w.sum())
    data = ScoredItems.of(reviews if eta is None else reviews.weighted(eta), item_tasks, known_mean, total)
    scale = data.root_mean_square()
    if data.freedom <= 0 or not scale > 0.0:
        return None
    data = data.scaled(scale)
    if eta is None:
        found = _one_ratio(data)
    else:
        found = _two_ratios(data, start or Variances(1.0, 1.0, 1.0), steps, warm)
    return Variances(*(scale**2 * part for part in found))


def by_moments(reviews: Reviews, item_tasks: NDArray[np.int32], *, known_mean: bool) -> Variances | None:
    """Variances that make sums of squares what is expected of them: a place to begin at in large classes.

    Around the means of items, scores vary by bias and noise; around those of graders, by item and noise; the
    means of items vary by all three. None where a variance would not be positive.
    """
    total = float(reviews.w.sum())
    data = ScoredItems.of(reviews, item_tasks, known_mean, total)
    y, w, lengths = data.reviews.y, data.reviews.w, np.diff(data.reviews.starts)
    means, n_graders = data.means(), len(lengths)
    of_graders = np.add.reduceat(w * y, data.reviews.starts[:-1]) / data.reviews.weight
    around_items = data.within(means) / max(total - data.n_items, 1.0)
    around_graders = dot(w, (y - np.repeat(of_graders, lengths)) ** 2) / max(total - n_graders, 1.0)
    spread = dot(data.counts, means**2) - data.item_freedom * around_items
    item = spread / max(total - dot(data.counts, data.counts) / total, 1.0)
    noise = around_graders - item
    found = Variances(item, around_items - noise, noise)
    return found if min(found) > 1e-3 * (around_items + item) else None


def next_guess(history: list[tuple[Variances, Variances]]) -> Variances:
    """Where a fixed point is heading, from the last two rounds (in, out) in logarithms: Anderson's method."""
    x, after = (np.log(part) for part in history[-1])
    if len(history) > 1:
        x_before, before = (np.log(part) for part in history[-2])
        change = (after - x) - (before - x_before)
        share = float((after - x) @ change) / max(float(change @ change), 1e-300)
        after = after - np.clip(share, -3.0, 0.9) * (after - before)
    item, bias, noise = (float(part) for part in np.exp(after))
    return Variances(item, bias, noise)


# -- items and noise --------------------------------------------------------------------------------------


def _one_ratio(data: ScoredItems) -> Variances:
    """Without biases C is diagonal but for the task means, and the criterion has a closed form."""
    from scipy.optimize import minimize_scalar  # slow to import, and not needed by most

    means = data.means()
    within = data.within(means)
    result = minimize_scalar(
        lambda log_ratio: _criterion(data, means, within, log_ratio)[0],
        bounds=(-BOUND, BOUND),
        method="bounded",
        options={"xatol": 1e-9, "maxiter": 200},
    )
    noise = _criterion(data, means, within, result.x)[1]
    return Variances(noise / float(np.exp(result.x)), 0.0, noise)


def _criterion(
    data: ScoredItems, means: NDArray[np.float64], within: float, log_ratio: float
) -> tuple[float, float]:
    """Minus twice the restricted log-likelihood with its prior, and the noise that goes with it."""
    ratio = float(np.exp(log_ratio))
    shrink = data.counts / (data.counts + ratio)
    held = data.by_task(shrink)
    centre = np.zeros(data.n_tasks) if data.known_mean else data.by_task(shrink * means) / held
    left = within + ratio * dot(shrink, (means - centre[data.tasks]) ** 2)
    log_det = float(np.log(data.counts + ratio).sum())
    if not data.known_mean:
        log_det += float(np.log(held / data.by_task(np.ones(data.n_items))).sum())
    value = data.freedom * np.log(left) + log_det - data.item_freedom * log_ratio + WEAK * log_ratio**2
    return float(value), left / data.freedom


# -- items, biases and noise ------------------------------------------------------------------------------


def _two_ratios(data: ScoredItems, start: Variances, steps: int, warm: WarmStart | None) -> Variances:
    mixed: MixedEquations = (
        ExactTraces(data) if data.n_items <= thresholds.EXACT_TRACES else SampledTraces(data, warm)
    )
    logs = np.log([start.noise / start.item, start.noise / start.bias])
    for _ in range(steps):
        state = mixed.at(np.exp(logs))
        step = _newton_step(state.gradient + 2.0 * WEAK * logs, state.hessian + 2.0 * WEAK * np.eye(2))
        before, logs = logs, np.clip(logs + step, -BOUND, BOUND)
        if np.abs(logs - before).max() <= SETTLED:
            break
    item, bias = (float(part) for part in state.noise / np.exp(logs))
    return Variances(item, bias, state.noise)


def _newton_step(gradient: NDArray[np.float64], hessian: NDArray[np.float64]) -> NDArray[np.float64]:
    """Downhill even where the curvature is not positive, and never far."""
    values, vectors = np.linalg.eigh(hessian)
    step = -vectors @ ((vectors.T @ gradient) / np.maximum(np.abs(values), 1e-12))
    return np.asarray(step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-300)))
