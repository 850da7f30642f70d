"""The table of graders: how reliable, on how much evidence, and one word about each.

Unreliable is not the same as little data. A word against a grader is an accusation, and a class has hundreds
of graders: where each is put to a test of 1 in 100, half of all honest classes have somebody on the list. So
the rate is controlled over the class. Two questions are put to every grader: would a typical one agree as
little as this, on pairs as close as these and differing from others as graders of this class do? Would
somebody who orders at random (then the list may be upside down)? A grader is named only where the answer is
so rare that in a whole class of honest graders `LUCK` are named on average, at most (Bonferroni's bound;
Tarone's count, which leaves out graders who could not be named whatever they did). A rate of false
discoveries, the milder rule, would let one in twenty of those named be honest by design.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.grading.agreement import Agreement, allow_for_spread, lower_tail, measure_agreement
from peerage.grading.guessing import GraderKinds, grader_kinds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.misfit import Misfit
    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior

    Floats = NDArray[np.float64]

FLAGS = ("reversed", "chance", "ties", "unknown", "consistent")
NAMED = ("reversed", "chance")  # words against a grader
CHANCE = 0.5
LEVEL = 0.9  # of the interval of agreement that must lie above chance for "consistent"
LUCK = 0.05  # honest graders whom a class names by luck, on average, at most
WORDS = {  # before and after the fact
    "reversed": ("Ranks against the class", ". Perhaps best and worst were mixed up; ask."),
    "chance": ("No better than chance", ", clearly less than is typical here."),
    "unknown": (
        "Too few reviews to tell",
        "; in a class of this size, chance and a typical grader's bad luck both explain that.",
    ),
    "consistent": ("Consistent", "."),
}
SIGNAL = 0.52  # pairs on which the class agrees less than this give no yardstick
NARROW = 0.5  # of the spread of the same items' estimates: scores that hardly tell items apart


def grader_frame(
    fitted: Estimator, posterior: Posterior, misfit: Misfit, *, interval: float, others: Floats | None = None
) -> pl.DataFrame:
    """One row per grader, in the feedback's order; `others` as of :func:`measure_agreement`."""
    agreement = measure_agreement(fitted, others)
    low, high = agreement.interval(LEVEL)
    below, above = posterior.reliability_interval(interval)
    flags, kinds = flag_graders(agreement), grader_kinds(agreement)
    biases = _biases(fitted)
    frame = fitted.graders()
    columns: dict[str, Any] = {
        "reliability_low": below,
        "reliability_high": above,
        "reliability_percentile": _percentile(fitted.reliabilities_),
        "check_agreement": agreement.share,
        "check_low": low,
        "check_high": high,
        "check_typical": agreement.expected,
        "flag": flags,
        "flag_text": _texts(agreement, flags, biases, fitted),
        "guess_probability": kinds.guessed,
        "worst_first_probability": kinds.worst_first,
        "quality_mark": quality_marks(agreement, kinds),
        "infit": misfit.grader_infit,
        "outfit": misfit.grader_outfit,
        **biases,
    }
    frame = frame.with_columns(pl.Series(name, values) for name, values in columns.items())
    return frame.select(
        "grader", "reliability", "reviews", "lists", "agreement", "strict_pairs",
        "reliability_low", "reliability_high", "reliability_percentile",
        "check_agreement", "check_low", "check_high", "check_typical", "infit", "outfit", *biases,
        "guess_probability", "worst_first_probability", "quality_mark", "flag", "flag_text",
    ).with_columns(pl.col(pl.Float64).fill_nan(None))  # fmt: skip


def _texts(agreement: Agreement, flags: list[str], biases: dict[str, Floats], fitted: Estimator) -> list[str]:
    extra = _bias_texts(biases, len(flags), allowed=fitted.biases_ is not None)
    narrow = _narrow_texts(biases, flags, fitted.reliabilities_)
    return [
        flag_text(word, pairs, share) + more + warning
        for word, pairs, share, more, warning in zip(
            flags, agreement.pairs.tolist(), agreement.share.tolist(), extra, narrow, strict=True
        )
    ]


def _percentile(values: Floats) -> Floats:
    """The share of graders at or below each, in percent."""
    return 100.0 * np.searchsorted(np.sort(values), values, side="right") / max(len(values), 1)


# -- flags ------------------------------------------------------------------------------------------


def flag_graders(agreement: Agreement) -> list[str]:
    """One word per grader, from agreement with the other graders.

    ties: no pair ordered. unknown: so few pairs that not even full agreement could be told from chance.
    reversed: less than chance explains. consistent: clearly above chance. In between, the grader is "chance"
    where a typical one would hardly agree so little, and "unknown" where one might: little data.
    """
    low, _ = agreement.interval(LEVEL)
    perfect, _ = replace(agreement, share=np.ones(len(agreement.share))).interval(LEVEL)
    random = _is_rare(agreement.share, agreement.effective_pairs, np.full(len(low), CHANCE))
    typical = _is_rare(
        agreement.share, allow_for_spread(agreement.effective_pairs, agreement.spread), agreement.expected
    )
    conditions = [
        agreement.pairs == 0,
        ~(perfect > CHANCE),
        random & (agreement.expected > SIGNAL),
        low > CHANCE,
        typical & (agreement.expected > SIGNAL),
    ]
    words = ["ties", "unknown", "reversed", "consistent", "chance"]
    return [str(word) for word in np.select(conditions, words, "unknown").tolist()]


def _is_rare(share: Floats, effective: Floats, true: Floats) -> NDArray[np.bool_]:
    """Whose agreement is so small, for this true share, that `LUCK` of a class would have it, at most."""
    chance, least = lower_tail(share, effective, true), lower_tail(np.zeros(len(share)), effective, true)
    return np.asarray(chance <= _threshold(least))


def _threshold(least: Floats) -> float:
    """Tarone's: LUCK / k, with the smallest k for which no more than k could be named at LUCK / k."""
    k = np.arange(1, len(least) + 1)
    enough = np.flatnonzero(np.searchsorted(np.sort(least), LUCK / k, side="right") <= k)
    return float(LUCK / k[enough[0]]) if len(enough) else LUCK / max(len(least), 1)


def luck_sentence(flags: list[str]) -> str:
    """How many honest graders a list of named ones would have by luck; empty where nobody is named."""
    if not any(word in NAMED for word in flags):
        return ""
    return (
        f"In a class where everybody grades honestly, such a list names {LUCK:g} graders on average: it is"
        f" empty in about {round(100 * (1 - LUCK))} of 100 classes. It is a reason to look, not a verdict."
    )


def flag_text(word: str, pairs: int, share: float) -> str:
    """What to say about a grader."""
    if word == "ties":
        return "All ties: ordered no two items, so nothing can be said."
    before, after = WORDS[word]
    return f"{before}: agrees with the other graders on {100 * share:.0f} % of {pairs} pairs{after}"


# -- the mark ---------------------------------------------------------------------------------------


def quality_marks(agreement: Agreement, kinds: GraderKinds | None = None) -> Floats:
    """A mark from 0 to 100 for grading as consistently as is typical of the class.

    0 is chance or below, 100 is what is typical of the class for pairs as close as the grader's, or above,
    in a straight line between; and what counts is the most that the evidence allows, the upper end of the
    90 % interval of the grader's agreement. So a mark is lost only where it is plain that it should be:
    little data costs little, because its interval is wide. With `kinds`, the mark is shrunk towards the 0
    that a random grader deserves, by the probability of being one (or of ranking worst first). NaN for
    graders who ordered nothing, or only items that nobody can tell apart.
    """
    typical = agreement.expected
    _, high = agreement.interval(LEVEL)
    with np.errstate(invalid="ignore", divide="ignore"):
        marks = 100.0 * np.clip((high - CHANCE) / (typical - CHANCE), 0.0, 1.0)
        if kinds is not None:
            marks *= 1.0 - np.nan_to_num(kinds.guessed) - np.nan_to_num(kinds.worst_first)
        return np.where(typical > SIGNAL, marks, np.nan)


def trust(fitted: Estimator, graders: pl.DataFrame) -> Floats:
    """By whom staff would ask for more reviews first: larger is better.

    The model's reliability; but of graders who score, the agreement that is certain. A model of scores calls
    those reliable who are near the mean of all, and whoever gives about the same score to everything is.
    """
    if fitted.score_scale != "grading":
        return fitted.reliabilities_
    return graders["check_low"].fill_null(0.0).to_numpy()


# -- scores: harsh or lenient, wide or narrow ---------------------------------------------------------


def _biases(fitted: Estimator) -> dict[str, Floats]:
    """Bias, its standard error, and spread, for feedback with scores; else nothing.

    Bias is how much above the estimate a grader scores: the model's own where it has one, else the mean
    difference. Spread is the standard deviation of the grader's scores over that of the same items'
    estimates: 1 as the class, less for a narrow range.
    """
    feedback = fitted.feedback_
    if feedback.scores is None or fitted.score_scale != "grading":
        return {}
    scored = ~np.isnan(feedback.scores)
    graders, n = feedback.entry_graders[scored], feedback.n_graders
    reported, estimated = feedback.scores[scored], fitted.scores_[feedback.items[scored]]
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


def _spread(graders: NDArray[np.int32], values: Floats, count: Floats) -> Floats:
    n = len(count)
    mean = np.bincount(graders, values, n) / count
    squares = np.bincount(graders, (values - mean[graders]) ** 2, n)
    return np.sqrt(np.where(count > 1, squares / np.maximum(count - 1, 1), np.nan))


def _bias_texts(biases: dict[str, Floats], n: int, *, allowed: bool) -> list[str]:
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


def _narrow_texts(biases: dict[str, Floats], flags: list[str], reliabilities: Floats) -> list[str]:
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
