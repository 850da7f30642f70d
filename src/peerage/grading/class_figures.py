"""The class as a whole, in the figures that psychometrics and comparative judgement expect.

separation    share of the variance of scores that is true: V / (V + E), with V the variance of the estimates
              and E the mean of their squared errors; where estimates are not drawn to a mean, (V - E) / V
split_half    scores of two halves of the graders, fitted apart, correlated and stepped up (Spearman-Brown);
              in large classes halves are fitted in a few steps, and what a method learns of the class as a
              whole (variances of scores) is that of both together, which moved .005 at most in trials
icc_single, icc_mean      one-way intraclass correlation of scores, of one review and of an item's mean
alpha_interval, alpha_ordinal      Krippendorff's alpha of scores
alpha_pairs   Krippendorff's alpha of orders: which of two items is better, over pairs that several judged.
              A unit is a pair of items, its values are the graders who put the first above the second, and
              those who put it below. Which item is called the first is a convention, so that chance has both
              equally often: of a pair with a votes one way and b the other, a + b > 1, the observed
              disagreement is 2ab / (a + b - 1), that of chance is (a + b) / 2. Ties are indifference and
              count neither way. The interval is a jackknife over graders. In large classes nearly all pairs
              are judged once, say nothing, and are not kept (`pair_counts.py`).

The seed of a run changes none but separation, and that only where errors come from draws: halves are dealt by
a stream of their own.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from scipy.special import fdtri, ndtri, stdtrit

from peerage._numba import kernel
from peerage.errors import ConvergenceWarning
from peerage.grading.pair_counts import count_pair, count_repeated, empty_counts, may_repeat
from peerage.metrics.inter_rater import Estimate, intraclass_correlation, krippendorff_alpha
from peerage.models.base import clone, rough_clone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior

    Floats = NDArray[np.float64]

HALVES = 0x68616C76  # the stream that deals graders into halves
MOST_SPLITS = 4
SPLIT_ENTRIES = 40_000  # reviews that are fitted again, about, over all splits
ROUGH_ENTRIES = 50_000  # reviews of a half from which it is fitted to this tolerance, in few steps
ROUGH = 1e-3
ROUGHLY = " in a few steps (the class is large; right to about two digits)"
METRICS: tuple[Literal["interval", "ordinal"], ...] = ("interval", "ordinal")
LEAST = 4  # items below which a correlation says nothing
MOST_PAIRS = 100_000_000  # of all lists, for the alpha of orders
MOST_KEPT = 30_000_000  # of these: beyond, memory runs out before patience
ALL_KEPT = 1_000_000  # up to here, those judged once are
SCHEMA = {
    "name": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "sentence": pl.String,
}


def class_figures(fitted: Estimator, posterior: Posterior, level: float) -> pl.DataFrame:
    """One row per figure that is defined for this class: name, value, low, high, sentence."""
    feedback = fitted.feedback_
    figures = {"separation": separation(fitted, posterior, level), "split_half": split_half(fitted, level)}
    if feedback.scores is not None:
        tasks = feedback.item_tasks[feedback.items]
        icc = intraclass_correlation(feedback.items, feedback.scores, parts=tasks, interval=level)
        figures |= {"icc_single": icc.single, "icc_mean": icc.mean}
        for name in METRICS:
            figures[f"alpha_{name}"] = krippendorff_alpha(
                feedback.items, feedback.scores, level=name, parts=tasks, interval=level
            )
    if feedback.ordered_by == "rank":
        figures["alpha_pairs"] = pair_alpha(feedback, level)
    rough = _is_large(feedback.n_entries // 2)
    rows = [
        (name, *map(float, figure), figure_sentence(name, figure, rough=rough))
        for name, figure in figures.items()
        if np.isfinite(figure.value)
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))


def separation(fitted: Estimator, posterior: Posterior, level: float) -> Estimate:
    """Separation reliability; the interval is Feldt's, from the F distribution."""
    feedback = fitted.feedback_
    seen = feedback.item_reviews > 0
    scores, tasks = fitted.scores_[seen], feedback.item_tasks[seen]
    freedom = len(scores) - len(np.unique(tasks))
    if freedom < 2:
        return Estimate(np.nan, np.nan, np.nan)
    spread = float((_centred(scores, tasks) ** 2).sum() / freedom)
    error = float((posterior.score_se[seen] ** 2).mean())
    total = spread if posterior.source == "bootstrap" else spread + error
    if total <= 0:
        return Estimate(np.nan, np.nan, np.nan)
    lost = min(error / total, 1.0)
    rest = max(feedback.n_entries - len(scores), 1)
    low, high = (lost / float(fdtri(rest, freedom, p)) for p in (0.5 - level / 2, 0.5 + level / 2))
    return Estimate(1.0 - lost, max(1.0 - low, 0.0), 1.0 - high)


def _centred(scores: Floats, tasks: NDArray[np.int32]) -> Floats:
    number = np.unique(tasks, return_inverse=True)[1]
    return np.asarray(scores - (np.bincount(number, scores) / np.bincount(number))[number])


def split_half(fitted: Estimator, level: float) -> Estimate:
    """Over a few fixed splits of the graders; Fisher's interval of the correlation, stepped up likewise."""
    feedback = fitted.feedback_
    splits = int(np.clip(SPLIT_ENTRIES // max(feedback.n_entries, 1), 1, MOST_SPLITS))
    rng = np.random.default_rng(HALVES)
    correlations = []
    for _ in range(splits if feedback.n_graders > 3 else 0):
        first = (rng.permutation(feedback.n_graders) % 2 == 0)[feedback.list_graders]
        correlations.append(_correlation(fitted, first))
    defined = [(r, n) for r, n in correlations if np.isfinite(r)]
    if not defined:
        return Estimate(np.nan, np.nan, np.nan)
    r, n = np.mean(defined, axis=0)
    middle = np.arctanh(np.clip(r, -0.999999, 0.999999))
    reach = ndtri(0.5 + level / 2) / np.sqrt(max(n - 3.0, 1.0))
    return Estimate(*(_stepped_up(float(x)) for x in (r, np.tanh(middle - reach), np.tanh(middle + reach))))


def _stepped_up(r: float) -> float:
    """Spearman and Brown: the reliability of twice as many reviews; a negative one is none."""
    return max(2.0 * r / (1.0 + r), 0.0)


def _correlation(fitted: Estimator, first: NDArray[np.bool_]) -> tuple[float, int]:
    """Of the scores that two halves of the lists give to items both have seen; and how many these are."""
    feedback = fitted.feedback_
    halves = [feedback.take_lists(np.flatnonzero(half)) for half in (first, ~first)]
    if any(half.n_entries == 0 for half in halves):
        return np.nan, 0
    both = (halves[0].item_reviews > 0) & (halves[1].item_reviews > 0)
    tasks = feedback.item_tasks[both]
    freedom = int(both.sum()) - len(np.unique(tasks))
    if freedom < LEAST:
        return np.nan, 0
    left, right = (_centred(_scores(fitted, half)[both], tasks) for half in halves)
    size = np.sqrt((left @ left) * (right @ right))
    return (float(left @ right / size), freedom + 1) if size > 0 else (np.nan, 0)


def _scores(fitted: Estimator, part: Feedback) -> Floats:
    half = (
        rough_clone(fitted, tol=ROUGH, max_iter=fitted.rough_steps)
        if _is_large(part.n_entries)
        else clone(fitted)
    )
    with warnings.catch_warnings():  # near the optimum is near enough for a correlation
        warnings.simplefilter("ignore", ConvergenceWarning)
        return half.fit(part).scores_


def _is_large(entries: int) -> bool:
    return entries > ROUGH_ENTRIES


# -- alpha of orders ----------------------------------------------------------------------------------


def pair_alpha(feedback: Feedback, level: float) -> Estimate:
    """Alpha over the pairs of items that two or more lists put in order; undefined without any."""
    nothing = Estimate(np.nan, np.nan, np.nan)
    n = int(feedback.list_strict_pairs.sum())
    if not 1 < n <= MOST_PAIRS:
        return nothing
    kept = _kept_pairs(feedback, n)
    if kept is None:
        return nothing
    key, first, grader = kept
    unit = np.unique(key, return_inverse=True)[1]
    votes = np.bincount(unit).astype(float)
    wins = np.bincount(unit, first).astype(np.float64)
    if not (votes > 1).any():
        return nothing
    ordered = feedback.grader_strict_pairs > 0
    return _over_graders(unit, first, grader, wins, votes, ordered, level)


def _kept_pairs(feedback: Feedback, n: int) -> tuple[Any, Any, Any] | None:
    """Pairs that more than one list may have put in order; all where there are few, none where too many."""
    lists = (feedback.items, feedback.bucket_starts, feedback.list_starts, feedback.list_graders)
    counts, least, room = (empty_counts(n), 2, -1) if n > ALL_KEPT else (empty_counts(0), 0, n)
    if least:
        _count_pairs(lists, feedback.n_items, counts)
        room = count_repeated(counts, least)
    if room < 0:
        room = _pairs(lists, feedback.n_items, counts, least, *_room(0))
    if room > MOST_KEPT:
        return None
    pairs = _room(room)
    _pairs(lists, feedback.n_items, counts, least, *pairs)
    return pairs


def _room(n: int) -> tuple[Any, Any, Any]:
    return np.empty(n, dtype=np.int64), np.empty(n, dtype=bool), np.empty(n, dtype=np.int32)


def _observed(wins: Floats, votes: Floats) -> Floats:
    return np.where(votes > 1, 2.0 * wins * (votes - wins) / np.maximum(votes - 1.0, 1.0), 0.0)


def _expected(votes: Floats) -> Floats:
    return np.where(votes > 1, 0.5 * votes, 0.0)


def _over_graders(
    unit: Any, first: Any, grader: Any, wins: Floats, votes: Floats, ordered: NDArray[np.bool_], level: float
) -> Estimate:
    """Alpha, and its interval from leaving out one grader at a time; who ordered nothing does not count.

    Who ordered the same pair more than once is left out one vote at a time, which is nearly the same.
    """
    observed, expected = _observed(wins, votes), _expected(votes)
    total = np.array([observed.sum(), expected.sum()])
    fewer, n_graders = votes[unit] - 1.0, len(ordered)
    lost = np.array(
        [
            np.bincount(grader, observed[unit] - _observed(wins[unit] - first, fewer), n_graders),
            np.bincount(grader, expected[unit] - _expected(fewer), n_graders),
        ]
    )
    left = total[:, None] - lost[:, ordered]
    alpha, n = 1.0 - total[0] / total[1], left.shape[1]
    if n < 3 or (left[1] <= 0).any():
        return Estimate(alpha, np.nan, np.nan)
    alphas = 1.0 - left[0] / left[1]
    error = np.sqrt((n - 1) / n * ((alphas - alphas.mean()) ** 2).sum())
    reach = float(stdtrit(n - 1, 0.5 + level / 2) * error)
    return Estimate(alpha, alpha - reach, min(alpha + reach, 1.0))


@kernel
def _count_pairs(lists: Any, n_items: int, counts: Any) -> None:
    """Every strict pair of every list into the counts."""
    items, bucket_starts, starts, _ = lists
    for which in range(len(starts) - 1):
        start, last = starts[which], starts[which + 1]
        while start < last:
            end = start + 1
            while end < last and not bucket_starts[end]:
                end += 1
            for e in range(start, end):
                for f in range(end, last):
                    above, below = np.int64(items[e]), np.int64(items[f])
                    count_pair(counts, min(above, below) * n_items + max(above, below))
            start = end


@kernel
def _pairs(lists: Any, n_items: int, counts: Any, least: int, key: Any, first: Any, grader: Any) -> int:
    """Strict pairs that may be in so many lists: a number for the two, whether the smaller is above, by whom.

    All of them where `least` is 0; as many as there is room for; and how many there are.
    """
    items, bucket_starts, starts, graders = lists
    at = 0
    for which in range(len(graders)):
        start, last = starts[which], starts[which + 1]
        while start < last:
            end = start + 1
            while end < last and not bucket_starts[end]:
                end += 1
            for e in range(start, end):
                for f in range(end, last):
                    above, below = np.int64(items[e]), np.int64(items[f])
                    number = min(above, below) * n_items + max(above, below)
                    if least and not may_repeat(counts, number, least):
                        continue
                    if at < len(key):
                        key[at], first[at], grader[at] = number, above < below, graders[which]
                    at += 1
            start = end
    return at


# -- in words -----------------------------------------------------------------------------------------


def figure_sentence(name: str, figure: Estimate, *, rough: bool = False) -> str:
    """What a figure says, in one sentence; `rough` where halves are large and fitted in a few steps."""
    value, low, high = figure
    likely = f" ({low:.2f} to {high:.2f})" if np.isfinite(low) and np.isfinite(high) else ""
    half = value / (2.0 - value)
    title, words = {
        "separation": (
            "Separation reliability",
            f"about {100 * value:.0f} % of the variance of the scores is between items, the rest is the luck"
            " of who reviewed what",
        ),
        "split_half": (
            "Split-half reliability",
            f"two halves of the graders, fitted apart{ROUGHLY if rough else ''}, give scores that correlate"
            f" by {half:.2f}, which means {value:.2f} for all of them together",
        ),
        "icc_single": (
            "Intraclass correlation of one review",
            "so much of the variance of single scores is between items, the rest is leniency and noise",
        ),
        "icc_mean": (
            "Intraclass correlation of an item's mean",
            "so much of the variance of plainly averaged scores is between items",
        ),
        "alpha_interval": (
            "Krippendorff's alpha of scores as numbers",
            "how far single graders agree about an item, where 1 is fully and 0 as chance would have it",
        ),
        "alpha_ordinal": (
            "Krippendorff's alpha of scores as mere order",
            "how far single graders agree, whatever the steps of the scale mean",
        ),
        "alpha_pairs": (
            "Krippendorff's alpha of orders",
            "how far single graders agree which of two items is better, where 1 is fully and 0 as chance"
            " would have it",
        ),
    }[name]
    return f"{title} {value:.2f}{likely}: {words}."
