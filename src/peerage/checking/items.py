"""Items that the feedback says too little about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage._words import plural
from peerage.checking.counts import weighted_reviews
from peerage.checking.report import Finding, item_cases, template

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


def item_findings(feedback: Feedback, min_reviews: int) -> list[Finding]:
    """Items without or with few reviews, and items that only ever win or lose."""
    reviews = weighted_reviews(feedback)
    lost, won = lost_and_won(feedback)
    return [
        *_unreviewed(feedback, np.flatnonzero(reviews == 0)),
        *_few_reviews(feedback, reviews, min_reviews),
        *_unbeaten(feedback, np.flatnonzero(won & ~lost)),
        *_winless(feedback, np.flatnonzero(lost & ~won)),
    ]


def lost_and_won(feedback: Feedback) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Per item: whether some list puts another strictly above it, and strictly below it."""
    bucket = np.cumsum(feedback.bucket_starts)
    top = np.repeat(bucket[feedback.list_starts[:-1]], feedback.list_lengths)
    bottom = np.repeat(bucket[feedback.list_starts[1:] - 1], feedback.list_lengths)
    lost, won = np.zeros((2, feedback.n_items), dtype=bool)
    lost[feedback.items[bucket != top]] = True
    won[feedback.items[bucket != bottom]] = True
    return lost, won


def _unreviewed(feedback: Feedback, items: NDArray[np.int64]) -> list[Finding]:
    if len(items) == 0:
        return []
    return [
        Finding(
            code="unreviewed",
            severity="warning",
            found=f"{plural(len(items), 'item')} got no review at all.",
            means="There is nothing to grade them by: they are reported as ungraded.",
            advice="Have staff or late graders look at them.",
            cases=item_cases(feedback, items),
            example=template(feedback, "{item}"),
        )
    ]


def _few_reviews(feedback: Feedback, reviews: NDArray[np.float64], least: int) -> list[Finding]:
    items = np.flatnonzero((reviews > 0) & (reviews < least))
    if len(items) == 0:
        return []
    items = items[np.argsort(reviews[items], kind="stable")]
    return [
        Finding(
            code="few-reviews",
            severity="warning",
            found=f"{plural(len(items), 'item has', 'items have')} fewer than {plural(least, 'review')}.",
            means="Their grades hang on few opinions and can be far off in either direction.",
            advice="Collect more reviews of them, or grade them by hand.",
            cases=item_cases(feedback, items, reviews=reviews[items]),
            example=template(feedback, "{item} ({reviews:g})"),
        )
    ]


def _how_far(feedback: Feedback, where: str) -> str:
    """What says how far from the others an item is that stands at an end."""
    if feedback.scores is not None:
        return f"their scores alone say how far {where} they belong"
    return f"the data do not say how far {where} they belong: the prior decides"


def _unbeaten(feedback: Feedback, items: NDArray[np.int64]) -> list[Finding]:
    if len(items) == 0:
        return []
    return [
        Finding(
            code="always-wins",
            severity="info",
            found=f"{plural(len(items), 'item was', 'items were')} never ranked below another.",
            means=f"Nothing was ever put above them, so {_how_far(feedback, 'up')}, and after few reviews it"
            " may be luck.",
            advice="Nothing, unless exact points at the top matter: then add staff grades for them.",
            cases=item_cases(feedback, items, reviews=feedback.item_reviews[items]),
            example=template(feedback, "{item} ({reviews})"),
        )
    ]


def _winless(feedback: Feedback, items: NDArray[np.int64]) -> list[Finding]:
    if len(items) == 0:
        return []
    return [
        Finding(
            code="never-wins",
            severity="info",
            found=f"{plural(len(items), 'item was', 'items were')} never ranked above another.",
            means=f"Nothing was ever put below them, so {_how_far(feedback, 'down')}, and after few reviews"
            " it may be bad luck.",
            advice="Have staff look at them before a failing grade is given.",
            cases=item_cases(feedback, items, reviews=feedback.item_reviews[items]),
            example=template(feedback, "{item} ({reviews})"),
        )
    ]
