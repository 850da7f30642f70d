"""Whether items were ranked higher because graders saw them earlier.

The rank that item i has in list l is taken as linear in when it was shown there:

    rank(l, i) = list(l) + item(i) + slope * shown(l, i) + noise

The items' own effects keep a good item that everybody saw first from looking like an order effect; where all
graders saw the same order, nothing is left to estimate it from. `slope` is zero or not by a score test: the
residuals are those of the model without it, and a grader's lists vary together. Each sum of a grader is
compared with the spread of these sums over graders, so that no distribution of ranks is assumed. In small
classes that is a cautious test: |z| is at most the square root of the number of graders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from peerage.checking.findings import Finding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

BEYOND_NOISE = 3.0  # standard errors; tests/checking/test_order_effect.py has the rate of false alarms
STEPS = 500  # of LSQR: more than enough for a class, and a bound where comparisons hang together by a thread


class OrderEffect(NamedTuple):
    """By how many ranks an item does better for each step that it is shown earlier."""

    slope: float
    z: float
    last: int  # position, in the median list


def order_effect_findings(feedback: Feedback) -> list[Finding]:
    """An advantage, or a disadvantage, of being shown early that is larger than its noise."""
    effect = estimate_order_effect(feedback)
    if effect is None or abs(effect.z) < BEYOND_NOISE:
        return []
    ranks = abs(effect.slope) * (effect.last - 1)
    noise = 2 * ranks / abs(effect.z)
    better = "higher" if effect.slope > 0 else "lower"
    return [
        Finding(
            code="order-effect",
            severity="info",
            found=(
                f"An item that is shown first is placed {ranks:.1f} ranks (± {noise:.1f}) {better} than the"
                f" same item shown last of {effect.last}."
            ),
            means=(
                "Where graders see items in different orders, this evens out over an item's reviews, except"
                " for chance. Grades do not correct for it."
            ),
            advice="Show every grader another order, and ask graders to look at all items before they rank.",
            cases=pl.DataFrame(
                {"ranks": [round(effect.slope * (effect.last - 1), 3)], "noise": [round(noise, 3)]}
            ),
        )
    ]


def estimate_order_effect(feedback: Feedback) -> OrderEffect | None:
    """The estimate, with its z; None where the shown order is not known or says nothing apart from items."""
    if feedback.positions is None:
        return None
    known = feedback.positions > 0
    lists, items = feedback.entry_lists[known], feedback.items[known]
    if len(lists) == 0:
        return None
    shown = _ranks_within(lists, feedback.positions[known])
    ranks = _ranks_within(lists, np.cumsum(feedback.bucket_starts)[known])
    shown_rest, ranks_rest = (_without_lists_and_items(column, lists, items) for column in (shown, ranks))
    spread = float(shown_rest @ shown_rest)
    sums = np.bincount(feedback.list_graders[lists], shown_rest * ranks_rest)
    noise = float(np.sqrt(sums @ sums))
    if spread < 1e-6 * float(shown @ shown) or noise < 1e-9 * spread:
        return None
    lengths = np.bincount(lists)
    last = int(np.median(lengths[lengths > 1]))
    return OrderEffect(float(shown_rest @ ranks_rest) / spread, float(sums.sum()) / noise, last)


def _ranks_within(lists: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.float64]:
    """1, 2, … within each list; equal values share the mean."""
    frame = pl.DataFrame({"list": lists, "value": values})
    return frame.select(pl.col("value").rank("average").over("list")).to_series().to_numpy()


def _without_lists_and_items(
    values: NDArray[np.float64], lists: NDArray[np.int64], items: NDArray[np.int32]
) -> NDArray[np.float64]:
    """What no sum of an effect per list and an effect per item explains, by least squares."""
    from scipy import sparse
    from scipy.sparse.linalg import lsqr

    entries, ones = np.arange(len(values)), np.ones(len(values))
    effects = sparse.hstack(
        [sparse.csr_array((ones, (entries, codes))) for codes in (lists, items)], format="csr"
    )
    fitted = lsqr(effects, values, atol=1e-10, btol=1e-10, iter_lim=STEPS)[0]
    return np.asarray(values - effects @ fitted)
