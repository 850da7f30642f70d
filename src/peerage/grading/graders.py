"""The table of graders: how reliable, on how much evidence, and what to say about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.grading.agreement import Agreement, agreement
from peerage.grading.flags import CHANCE, LEVEL, SIGNAL, flag, flag_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior

NARROW = 0.5  # of the spread of the same items' estimates: scores that hardly tell items apart


def grader_frame(
    fitted: Estimator, posterior: Posterior, *, interval: float, others: NDArray[np.float64] | None = None
) -> pl.DataFrame:
    """One row per grader, in the feedback's order; `others` as of :func:`agreement`."""
    checked = agreement(fitted, others)
    low, high = checked.interval(LEVEL)
    below, above = posterior.reliability_interval(interval)
    flags = flag(checked)
    biases = _biases(fitted)
    frame = fitted.graders()
    columns: dict[str, Any] = {
        "reliability_low": below,
        "reliability_high": above,
        "reliability_percentile": _percentile(fitted.reliabilities_),
        "check_agreement": checked.share,
        "check_low": low,
        "check_high": high,
        "check_typical": checked.expected,
        "flag": flags,
        "flag_text": _texts(checked, flags, biases, fitted),
        "quality_mark": quality_marks(checked),
        **biases,
    }
    frame = frame.with_columns(pl.Series(name, values) for name, values in columns.items())
    return frame.select(
        "grader", "reliability", "reviews", "lists", "agreement", "strict_pairs",
        "reliability_low", "reliability_high", "reliability_percentile",
        "check_agreement", "check_low", "check_high", "check_typical", *biases,
        "quality_mark", "flag", "flag_text",
    ).with_columns(pl.col(pl.Float64).fill_nan(None))  # fmt: skip


def _texts(
    checked: Agreement, flags: list[str], biases: dict[str, NDArray[np.float64]], fitted: Estimator
) -> list[str]:
    extra = _bias_texts(biases, len(flags), allowed=fitted.biases_ is not None)
    narrow = _narrow_texts(biases, flags, fitted.reliabilities_)
    return [
        flag_text(word, pairs, share) + more + warning
        for word, pairs, share, more, warning in zip(
            flags, checked.pairs.tolist(), checked.share.tolist(), extra, narrow, strict=True
        )
    ]


def _percentile(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of graders at or below each, in percent."""
    return 100.0 * np.searchsorted(np.sort(values), values, side="right") / max(len(values), 1)


# -- the mark ---------------------------------------------------------------------------------------


def quality_marks(checked: Agreement) -> NDArray[np.float64]:
    """A mark from 0 to 100 for grading as consistently as is typical of the class.

    0 is chance or below, 100 is what is typical of the class for pairs as close as the grader's, or above,
    in a straight line between; and what counts is the most that the evidence allows, the upper end of the
    90 % interval of the grader's agreement. So a mark is lost only where it is plain that it should be:
    little data costs little, because its interval is wide. NaN for graders who ordered nothing, or only
    items that nobody can tell apart.
    """
    typical = checked.expected
    _, high = checked.interval(LEVEL)
    with np.errstate(invalid="ignore", divide="ignore"):
        marks = 100.0 * np.clip((high - CHANCE) / (typical - CHANCE), 0.0, 1.0)
        return np.where(typical > SIGNAL, marks, np.nan)


def trust(fitted: Estimator, graders: pl.DataFrame) -> NDArray[np.float64]:
    """By whom staff would ask for more reviews first: larger is better.

    The model's reliability; but of graders who score, the agreement that is certain. A model of scores calls
    those reliable who are near the mean of all, and whoever gives about the same score to everything is.
    """
    if fitted.score_scale != "grading":
        return fitted.reliabilities_
    return graders["check_low"].fill_null(0.0).to_numpy()


# -- scores: harsh or lenient, wide or narrow ---------------------------------------------------------


def _biases(fitted: Estimator) -> dict[str, NDArray[np.float64]]:
    """Bias, its standard error, and spread, for feedback with scores; else nothing.

    Bias is how much above the estimate a grader scores: the model's own where it has one, else the mean
    difference. Spread is the standard deviation of the grader's scores over that of the same items'
    estimates: 1 as the class, less for a narrow range.
    """
    feedback = fitted.feedback_
    if feedback.scores is None or fitted.score_scale != "grading":
        return {}
    given = ~np.isnan(feedback.scores)
    graders, n = feedback.entry_graders[given], feedback.n_graders
    reported, estimated = feedback.scores[given], fitted.scores_[feedback.items[given]]
    count = np.bincount(graders, minlength=n).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(graders, reported - estimated, n) / count
        rest = (reported - estimated) - mean[graders]
        noise = np.sqrt((rest**2).sum() / max(count.sum() - (count > 0).sum(), 1.0))
        spread = _spread(graders, reported, count) / _spread(graders, estimated, count)
        return {
            "bias": mean if fitted.biases_ is None else fitted.biases_,
            "bias_se": noise / np.sqrt(count),
            "spread": np.where(np.isfinite(spread), spread, np.nan),
        }


def _spread(
    graders: NDArray[np.int32], values: NDArray[np.float64], count: NDArray[np.float64]
) -> NDArray[np.float64]:
    n = len(count)
    mean = np.bincount(graders, values, n) / count
    squares = np.bincount(graders, (values - mean[graders]) ** 2, n)
    return np.sqrt(np.where(count > 1, squares / np.maximum(count - 1, 1), np.nan))


def _bias_texts(biases: dict[str, NDArray[np.float64]], n: int, *, allowed: bool) -> list[str]:
    """Words for biases that are clearly not 0; `allowed`: the method takes them out of the grades."""
    if not biases:
        return [""] * n
    end = "; the grades allow for it." if allowed else "."
    return [
        ""
        if not abs(bias) > 2 * se
        else f" {'Lenient' if bias > 0 else 'Harsh'}: scores about {abs(bias):.1f} points"
        f" {'above' if bias > 0 else 'below'} the class{end}"
        for bias, se in zip(biases["bias"].tolist(), biases["bias_se"].tolist(), strict=True)
    ]


def _narrow_texts(
    biases: dict[str, NDArray[np.float64]], flags: list[str], reliabilities: NDArray[np.float64]
) -> list[str]:
    """A warning where a reliability above the middle may only mean that all scores were about the same."""
    if not biases:
        return [""] * len(flags)
    high = reliabilities > np.median(reliabilities) if len(flags) else reliabilities
    return [
        " Gave about the same score to everything, which alone makes a reliability high."
        if spread < NARROW and above and word != "consistent"
        else ""
        for spread, above, word in zip(biases["spread"].tolist(), high.tolist(), flags, strict=True)
    ]
