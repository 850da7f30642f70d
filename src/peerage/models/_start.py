"""A first guess of the scores that costs one look at the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback


def win_log_odds(feedback: Feedback) -> NDArray[np.float64]:
    """log(won / lost) over all comparisons of an item, one more of each so that it stays finite.

    A tie is half won. From here Newton's method needs no more than a few full steps; from zero, its first
    step would throw items that always win far beyond their place.
    """
    lengths = feedback.list_lengths
    bucket = np.cumsum(feedback.opens) - 1
    size = feedback.bucket_sizes
    first = np.flatnonzero(feedback.opens) - np.repeat(feedback.list_starts[:-1], lengths)[feedback.opens]
    before = (first + 0.5 * (size - 1))[bucket]  # items above, half of those tied
    others = np.repeat(lengths - 1, lengths)
    weight = np.repeat(feedback.list_weights, lengths)
    lost = np.bincount(feedback.items, weight * before, feedback.n_items)
    met = np.bincount(feedback.items, weight * others, feedback.n_items)
    return np.asarray(np.log((met - lost + 1.0) / (lost + 1.0)))
