"""The sums that anybody can check: the plain mean of an item's marks, and its mean place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


def plain_means(feedback: Feedback) -> dict[str, NDArray[np.float64]]:
    """Per item, NaN without reviews: `mean_score` where graders gave scores, `mean_rank` where they ranked.

    A list counts as often as its weight says. In a rank, tied items share the mean of their places.
    """
    weights = np.repeat(feedback.list_weights, feedback.list_lengths)
    found = {}
    if feedback.scores is not None:
        found["mean_score"] = _means(feedback, feedback.scores, weights)
    if feedback.ordered_by == "rank":
        found["mean_rank"] = _means(feedback, _places(feedback), weights)
    return found


def _means(
    feedback: Feedback, values: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    known = ~np.isnan(values)
    items, shares = feedback.items[known], weights[known]
    sums = np.bincount(items, weights=shares * values[known], minlength=feedback.n_items)
    counts = np.bincount(items, weights=shares, minlength=feedback.n_items)
    means = np.divide(sums, counts, out=np.full(feedback.n_items, np.nan), where=counts > 0)
    return np.asarray(means, dtype=np.float64)


def _places(feedback: Feedback) -> NDArray[np.float64]:
    """The place of every entry in its list, 1 the best; tied entries share the mean."""
    opened = np.flatnonzero(feedback.bucket_starts)
    sizes = feedback.bucket_sizes
    first = opened - feedback.list_starts[feedback.bucket_lists]  # how many are better
    return np.repeat(first + (sizes + 1) / 2, sizes)
