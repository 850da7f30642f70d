"""Infit and outfit: do the reviews of an item, or of a grader, differ more than the model expects?

A review says how many of the others in its list an item was put above (orders), or a score. Its residual d is
that number less what the model expects, its variance v is what the model expects of d^2. Orders: with p_j the
chance to be put above the j-th other, the expectation is sum p_j; the others share the luck of one item, so
that v is more than sum p_j (1 - p_j). Given that luck they are independent: with y Gumbel distributed and
odds o_j = (1 - p_j) / p_j, the item is put above j with probability exp(-o_j exp(-y)), which for
Plackett-Luce is exact. Moments are means over y. Scores: d = score - item - bias, v is the mean of
noise / reliability over what is known of the reliability; where noise is Student's t, d^2 counts as often as
its review (`tails.py`), which leaves its mean at v.

The estimates were drawn to the reviews, so v is multiplied by 1 - leverage, the share of it that is left.
Reviews that count less where they are far out have less of it.

    infit  = sum d^2 / sum v        outfit = mean of d^2 / v        (Wright & Masters 1982)

Both are 1 on average where the model is right. Reviewers who are of two minds about an item make its infit
larger, in whatever direction each of them is off. If the model is right, sum d^2 has the mean sum v and a
variance known from the fourth moments, and is nearly Gamma distributed. An item is *disputed* where its infit
is so large that a class without disputes names `LUCK` items on average, at most (Bonferroni's bound).

A mean of values that scatter more than their errors say is less well known by that factor: the variance of
every item is widened by its infit where that exceeds 1 (Birge 1932, as in the tables of particle physics).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage._numba import kernel
from peerage._words import plural
from peerage.models.normal import tails

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior

    Floats = NDArray[np.float64]

LUCK = 0.05  # items that a class without disputes names, on average, at most
RANKS_HELD = (72, 81)  # per cent, of disputed items by 90 % intervals: `experiments/kinds_of_classes.py`
LEAST_REVIEWS = 3  # of an item: two reviewers who differ are no camps
MOST_LEVERAGE = 0.9
STEP = 1e-4  # of a score, for derivatives of chances
MOST_OTHERS = 64  # in a longer list an item is held against so many others, evenly spaced by score
TOGETHER = 200_000  # pairs of items in one go
# exp(-y) of the luck y of one item, twice the last each time; sums over a smooth density are integrals
HEIGHTS = 2.0 ** np.arange(-14.0, 4.5)
DENSITY = HEIGHTS * np.exp(-HEIGHTS) / (HEIGHTS * np.exp(-HEIGHTS)).sum()
LITTLE, SHOWN = 0.25, 5  # of a review: the sentence lists so many that count less
STREAM = 0x6D697366  # of random numbers: the seed of a run does not change who is named


class Misfit(NamedTuple):
    """Mean squares of residuals, NaN where there are none; who is disputed, and how much wider that makes it.

    widening : of the variance of each score, 1 or more
    """

    infit: Floats
    outfit: Floats
    grader_infit: Floats
    grader_outfit: Floats
    disputed: NDArray[np.bool_]
    widening: Floats


class Residuals(NamedTuple):
    """By review: of what, by whom, how often it counts, d^2, v after leverage, and the variance of d^2."""

    items: NDArray[np.int64]
    graders: NDArray[np.int64]
    weights: Floats
    squares: Floats
    expected: Floats
    doubt: Floats


def measure_misfit(fitted: Estimator, posterior: Posterior) -> Misfit:
    """Of scores and reliabilities as they are reported, with the errors of this posterior."""
    feedback = fitted.feedback_
    residuals = _residuals(fitted, posterior)
    n_items, n_graders = feedback.n_items, feedback.n_graders
    if residuals is None:
        nothing, nobody = np.full(n_items, np.nan), np.full(n_graders, np.nan)
        return Misfit(nothing, nothing, nobody, nobody, np.zeros(n_items, dtype=bool), np.ones(n_items))
    infit, outfit = _mean_squares(residuals, residuals.items, n_items)
    counts = np.bincount(residuals.items, minlength=n_items)
    tested = (counts >= LEAST_REVIEWS) & np.isfinite(infit)
    weights = residuals.weights
    expected = np.bincount(residuals.items, weights * residuals.expected, n_items).astype(np.float64)
    doubt = np.bincount(residuals.items, weights**2 * residuals.doubt, n_items).astype(np.float64)
    usual = max(1.0, _ratio(float((weights * residuals.squares).sum()), float(expected.sum())))
    relative = np.where(tested, infit, 0.0) / usual  # a class that scatters as a whole has no disputes
    return Misfit(
        infit,
        outfit,
        *_mean_squares(residuals, residuals.graders, n_graders),
        tested & (_upper_tail(relative, expected, doubt) <= LUCK / max(int(tested.sum()), 1)),
        np.maximum(relative, 1.0),
    )


def _ratio(above: float, below: float) -> float:
    return float(above / below) if below > 0 else 0.0


def _mean_squares(residuals: Residuals, number: NDArray[np.int64], n: int) -> tuple[Floats, Floats]:
    """Infit and outfit of the items, or of the graders."""
    _, _, weights, squares, expected, _ = residuals
    with np.errstate(invalid="ignore", divide="ignore"):
        infit = np.bincount(number, weights * squares, n) / np.bincount(number, weights * expected, n)
        outfit = np.bincount(number, weights * squares / expected, n) / np.bincount(number, weights, n)
    return infit, outfit


def _upper_tail(relative: Floats, expected: Floats, doubt: Floats) -> Floats:
    """The chance of a sum of squares as large as this: a Gamma distribution of this mean and variance."""
    from scipy.special import gammaincc

    known = (expected > 0) & (doubt > 0)
    shape = np.where(known, expected, 1.0) ** 2 / np.where(known, doubt, 1.0)
    return np.where(known, gammaincc(shape, shape * relative), 1.0)


def _residuals(fitted: Estimator, posterior: Posterior) -> Residuals | None:
    if fitted.noise_variance_ is not None and fitted.feedback_.scores is not None:
        return _score_residuals(fitted, posterior)
    if not fitted.predicts_wins:
        return None
    parts = list(_order_residuals(fitted, posterior.score_se))
    return Residuals(*map(np.concatenate, zip(*parts, strict=True))) if parts else None


# -- scores -------------------------------------------------------------------------------------------------


def _distances(fitted: Estimator) -> tuple[NDArray[np.int64], Floats, Floats]:
    """The reviews with a score, how far each is from what is expected, and the variance of the noise."""
    feedback = fitted.feedback_
    assert feedback.scores is not None
    assert fitted.noise_variance_ is not None
    scored = np.flatnonzero(~np.isnan(feedback.scores))
    graders = feedback.entry_graders[scored]
    biases = np.zeros(feedback.n_graders) if fitted.biases_ is None else fitted.biases_
    distance = feedback.scores[scored] - fitted.scores_[feedback.items[scored]] - biases[graders]
    return scored, distance, fitted.noise_variance_ / fitted.reliabilities_[graders]


def _score_residuals(fitted: Estimator, posterior: Posterior) -> Residuals | None:
    feedback = fitted.feedback_
    scored, distance, variance = _distances(fitted)
    items, graders = feedback.items[scored], feedback.entry_graders[scored]
    if not len(items):
        return None
    own = np.bincount(graders, minlength=feedback.n_graders)[graders]
    spread = max(fitted.bias_variance_ or 0.0, 1e-300)
    leverage = (posterior.score_se[items] ** 2 + 1.0 / (own / variance + 1.0 / spread)) / variance
    freedom = fitted.noise_freedom_
    counts = tails.weights(distance**2 / variance, freedom)
    expected = variance * (1.0 - np.minimum(tails.kept_leverage(freedom) * leverage, MOST_LEVERAGE))
    if posterior.log_reliability is not None:  # mean of 1 / reliability times reliability at its mean
        doubt = posterior.log_reliability[1][graders] ** 2
        expected *= np.exp(0.5 * tails.spread_of_squares(freedom) * doubt)
    squares = counts * distance**2
    # more than expected where reviews stray, which must not make their items disputed
    relative = squares / np.maximum(expected, 1e-300)
    stray = _ratio(float((relative**2).mean()), float(relative.mean()) ** 2) - 1.0
    weights = feedback.list_weights[feedback.entry_lists[scored]]
    return Residuals(
        items.astype(np.int64), graders.astype(np.int64), weights, squares, expected,
        max(tails.spread_of_squares(freedom), stray) * expected**2,
    )  # fmt: skip


# -- orders -------------------------------------------------------------------------------------------------


def _order_residuals(fitted: Estimator, errors: Floats) -> Iterator[Residuals]:
    """Lists of the same length together."""
    feedback = fitted.feedback_
    lengths = feedback.list_lengths
    for length in np.unique(lengths[lengths > 1]).tolist():
        lists = np.flatnonzero(lengths == length)
        run = max(TOGETHER // (length * min(length, MOST_OTHERS)), 1)
        for first in range(0, len(lists), run):
            yield _of_lists(fitted, errors, feedback, lists[first : first + run], length)


def _of_lists(
    fitted: Estimator, errors: Floats, feedback: Feedback, lists: NDArray[np.int64], length: int
) -> Residuals:
    """By list and item, and by which others it is held against; tied ones say nothing of each other."""
    entries = feedback.list_starts[lists][:, None] + np.arange(length)
    items, graders = feedback.items[entries], feedback.list_graders[lists]
    bucket = np.cumsum(feedback.bucket_starts[entries], axis=1)
    scores = fitted.scores_[items]
    others = np.argsort(scores, axis=1, kind="stable")
    if length > MOST_OTHERS:
        others = others[:, np.linspace(0, length - 1, MOST_OTHERS).round().astype(np.int64)]
    other_bucket = np.take_along_axis(bucket, others, axis=1)[:, None, :]
    gaps = scores[:, :, None] - np.take_along_axis(scores, others, axis=1)[:, None, :]
    apart = bucket[:, :, None] != other_bucket
    reliability = fitted.reliabilities_[graders][:, None, None]

    def chance(of: Floats) -> Floats:
        probability = fitted.win_probability(of, reliability)  # type: ignore[arg-type]
        return np.where(apart, np.clip(np.asarray(probability), 1e-9, 1.0), 0.0)

    above = chance(gaps)
    slope = ((chance(gaps + STEP) - chance(gaps - STEP)) / (2.0 * STEP)).sum(axis=2)
    put_above = (other_bucket > bucket[:, :, None]).sum(axis=2)
    variance, fourth = _moments(above, apart)
    some = (variance > 1e-9).ravel()
    square = (put_above - above.sum(axis=2)).ravel()[some] ** 2
    variance, fourth = variance.ravel()[some], fourth.ravel()[some]
    leverage = slope.ravel()[some] ** 2 * errors[items.ravel()[some]] ** 2 / variance
    left = 1.0 - np.minimum(leverage, MOST_LEVERAGE)
    return Residuals(
        items.ravel()[some].astype(np.int64),
        np.repeat(graders, length)[some].astype(np.int64),
        np.repeat(feedback.list_weights[lists], length)[some],
        square,
        variance * left,
        np.maximum(fourth - variance**2, 0.0) * left**2,
    )


def _moments(above: Floats, apart: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Variance and fourth central moment of how many others an item is put above, by list and item."""
    variance, fourth = np.zeros((2, *above.shape[:2]))
    _add_moments(
        above.reshape(-1, above.shape[2]), apart.reshape(-1, apart.shape[2]), HEIGHTS[0], DENSITY,
        variance.ravel(), fourth.ravel(),
    )  # fmt: skip
    return variance, fourth


@kernel
def _add_moments(above: Any, apart: Any, lowest: float, density: Any, variance: Any, fourth: Any) -> None:
    """By row. As heights double, exp(-odds height) is squared: a row needs one exponential per other item."""
    wins = np.empty(above.shape[1])
    for row in range(len(above)):
        mean, n = 0.0, 0
        for j in range(above.shape[1]):
            if apart[row, j]:
                mean += above[row, j]
                wins[n] = math.exp(-(1.0 / above[row, j] - 1.0) * lowest)
                n += 1
        for k in range(len(density)):
            off, second, third, excess = -mean, 0.0, 0.0, 0.0
            for j in range(n):
                win = wins[j]
                noise = win * (1.0 - win)  # of a sum of independent wins, the cumulants
                off += win
                second += noise
                third += noise * (1.0 - 2.0 * win)
                excess += noise * (1.0 - 6.0 * noise)
                wins[j] = win * win
            square = off * off
            variance[row] += density[k] * (second + square)
            fourth[row] += density[k] * (
                excess + 3 * second**2 + 4 * off * third + 6 * square * second + square * square
            )


# -- in words -----------------------------------------------------------------------------------------------


def tails_sentence(fitted: Estimator) -> str:
    """Which scores lie so far out that they count little; empty where noise is normal."""
    freedom, feedback = fitted.noise_freedom_, fitted.feedback_
    if np.isinf(freedom) or feedback.scores is None:
        return ""
    scored, distance, variance = _distances(fitted)
    counts = tails.weights(distance**2 / variance, freedom)
    little = scored[np.argsort(counts, kind="stable")][: int((counts < LITTLE).sum())]
    rows = zip(feedback.scores[little], feedback.item_labels.gather(feedback.items[little]), strict=True)
    names = [f"{score:g} for {label}" for score, label in rows]
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return (
        "Some scores lie farther out than a normal distribution explains, so scores far from the rest count"
        f" less (Student's t, {plural(int(freedom), 'degree')} of freedom). {len(names):,} of {len(scored):,}"
        f" count less than a quarter{': ' if names else ''}{', '.join(names[:SHOWN])}{more}."
    )


def disputed_sentence(items: Sequence[str], *, widened: bool) -> str:
    """Which items reviewers disagree about; empty where there are none."""
    if not items:
        return ""
    names = ", ".join(items[:10]) + (f" and {len(items) - 10:,} more" if len(items) > 10 else "")
    this = "this one" if len(items) == 1 else "these"
    its = "its interval is" if len(items) == 1 else "their intervals are"
    wider = f", so {its} wider" if widened else ""
    return (
        f"Reviewers disagree about {this}: {names}. Their reviews differ more than chance explains{wider}:"
        " have staff look first. Intervals may still be too short: in simulated classes with two camps 90 %"
        f" intervals of such ranks held the truth in {RANKS_HELD[0]} to {RANKS_HELD[1]} %. A class without"
        f" disputes names {LUCK:g} items on average."
    )
