"""Graders whose lists say little."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.checking.counts import score_scale
from peerage.checking.report import Finding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

FEWEST_PAIRS = 6  # a flat grader must have had the chance to be otherwise: four items make six pairs
MOSTLY_TIED = 0.5
TINY_SPREAD = 0.25  # of the spread of the middle grader's scores


def grader_findings(feedback: Feedback) -> list[Finding]:
    """Graders with one item, with everything tied, and with next to no differences."""
    pairs, strict = _pairs(feedback)
    handed_in = feedback.grader_reviews > 0
    return [
        *_one_item(feedback, np.flatnonzero(handed_in & (pairs == 0))),
        *_all_tied(feedback, np.flatnonzero((pairs > 0) & (strict == 0))),
        *_flat(feedback, pairs, strict),
    ]


def _pairs(feedback: Feedback) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per grader: pairs listed together, and those ordered strictly."""
    lengths = feedback.list_lengths
    pairs = np.zeros(feedback.n_graders, dtype=np.int64)
    np.add.at(pairs, feedback.list_graders, lengths * (lengths - 1) // 2)
    return pairs, feedback.grader_strict_pairs


def _cases(feedback: Feedback, graders: NDArray[np.int64], **columns: object) -> pl.DataFrame:
    named = {"grader": feedback.grader_labels.gather(graders), "reviews": feedback.grader_reviews[graders]}
    return pl.DataFrame({**named, **columns})


def _one_item(feedback: Feedback, graders: NDArray[np.int64]) -> list[Finding]:
    if len(graders) == 0:
        return []
    return [
        Finding(
            code="one-item",
            severity="warning",
            found=f"{plural(len(graders), 'grader')} never ranked two items together.",
            means="A single item cannot be ranked against anything: these reviews do not move an ordinal"
            " grade, and nothing can be said about the grader's reliability.",
            advice="Ask them for the rest of their reviews, or count them as not handed in.",
            cases=_cases(feedback, graders),
            example="{grader}".format_map,
        )
    ]


def _all_tied(feedback: Feedback, graders: NDArray[np.int64]) -> list[Finding]:
    if len(graders) == 0:
        return []
    return [
        Finding(
            code="all-tied",
            severity="warning",
            found=f"{plural(len(graders), 'grader')} put everything in one tie.",
            means="A tie means indifference: these reviews do not tell the items apart and do not move an"
            " ordinal grade.",
            advice="Ask whether they meant it; if many did, the scale is too coarse or the items too alike.",
            cases=_cases(feedback, graders),
            example="{grader} ({reviews} items)".format_map,
        )
    ]


def _flat(feedback: Feedback, pairs: NDArray[np.int64], strict: NDArray[np.int64]) -> list[Finding]:
    """Far flatter than the class, though not wholly tied."""
    tied = 1 - strict / np.maximum(pairs, 1)
    enough = pairs >= FEWEST_PAIRS
    usual = float(tied[enough].mean()) if enough.any() else 0.0
    spread, middle = _spreads(feedback)
    flat = (tied > MOSTLY_TIED) & (tied > 2 * usual)
    flat |= (spread < TINY_SPREAD * middle) & ~np.isnan(spread)
    graders = np.flatnonzero(flat & enough & (strict > 0))
    if len(graders) == 0:
        return []
    graders = graders[np.argsort(-tied[graders], kind="stable")]
    columns: dict[str, object] = {"tied_share": tied[graders]}
    if feedback.scores is not None:
        columns["score_sd"] = pl.Series(spread[graders]).fill_nan(None)
    return [
        Finding(
            code="flat",
            severity="info",
            found=f"{plural(len(graders), 'grader')} told the items apart far less than the class did.",
            means=f"More than half of their pairs are tied (the class: {usual:.0%}) or their scores hardly"
            f" differ{_middle(middle)}. They may be careful, or may not have looked; they add little to an"
            " ordinal grade either way.",
            advice="Look at their lists beside the others' before counting the work as done.",
            cases=_cases(feedback, graders, **columns),
            example=_flat_in_words,
        )
    ]


def _middle(spread: float) -> str:
    return f" (the middle grader: sd {spread:.2g})" if spread else ""


def _flat_in_words(case: Mapping[str, Any]) -> str:
    spread = case.get("score_sd")
    scores = "" if spread is None else f", sd {spread:.2g}"
    return f"{case['grader']} ({case['tied_share']:.0%} tied{scores})"


def _spreads(feedback: Feedback) -> tuple[NDArray[np.float64], float]:
    """Standard deviation of each grader's scores (NaN below four), and that of the middle grader."""
    if feedback.scores is None:
        return np.full(feedback.n_graders, np.nan), 0.0
    given = ~np.isnan(feedback.scores)
    scale = score_scale(feedback.scores[given])
    scores, graders = feedback.scores[given] / scale, feedback.entry_graders[given]
    number = np.bincount(graders, minlength=feedback.n_graders)
    enough = np.maximum(number, 1)
    mean = np.bincount(graders, weights=scores, minlength=feedback.n_graders) / enough
    away = (scores - mean[graders]) ** 2
    spread = np.sqrt(np.bincount(graders, weights=away, minlength=feedback.n_graders) / enough)
    spread *= scale
    spread[number < 4] = np.nan
    return spread, float(np.nanmedian(spread)) if (number >= 4).any() else 0.0
