"""One word per grader, and the sentence that goes with it: unreliable is not the same as little data.

A word against a grader needs strong evidence. Two questions are put to every grader: would somebody who
orders at random agree as little as this (then the list may be upside down)? Would a typical grader, on pairs
as close as these? A grader is named only where the answer is: hardly ever.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.agreement import Agreement

FLAGS = ("reversed", "chance", "ties", "unknown", "consistent")
CHANCE = 0.5
LEVEL = 0.9  # of the interval of agreement that must lie above chance for "consistent"
RARE = 0.01  # a word against a grader needs something that happens less often than this


def flag(checked: Agreement) -> list[str]:
    """One word per grader, from agreement with the other graders.

    ties: no pair ordered. unknown: so few pairs that not even full agreement could be told from chance.
    reversed: less than chance explains. consistent: clearly above chance. In between, the grader is "chance"
    where a typical one would hardly agree so little, and "unknown" where one might: little data.
    """
    low, _ = checked.interval(LEVEL)
    perfect, _ = replace(checked, share=np.ones(len(checked.share))).interval(LEVEL)
    conditions = [
        checked.pairs == 0,
        ~(perfect > CHANCE),
        _at_most(checked, np.full(len(low), CHANCE)) < RARE,
        low > CHANCE,
        _at_most(checked, checked.expected) < RARE,
    ]
    words = ["ties", "unknown", "reversed", "consistent", "chance"]
    return [str(word) for word in np.select(conditions, words, "unknown")]


def _at_most(checked: Agreement, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance that a grader of this true share agrees as little as was seen, or less.

    The binomial distribution for the number of independent pairs that theirs are worth; what was seen
    counts half (mid-p), because so few pairs leave large steps.
    """
    n, miss = checked.worth, np.clip(1.0 - np.nan_to_num(share), 0.0, 1.0)
    seen = np.clip(np.nan_to_num(checked.share) * n, 0.0, n)
    tiny = 1e-12
    up_to = betainc(np.maximum(n - seen, tiny), seen + 1.0, miss)
    below = np.where(seen > 0, betainc(n - seen + 1.0, np.maximum(seen, tiny), miss), 0.0)
    return np.where(n > seen, 0.5 * (up_to + below), 1.0)


def flag_text(word: str, pairs: int, share: float) -> str:
    """What to say about a grader."""
    if word == "ties":
        return "All ties: ordered no two items, so nothing can be said."
    fact = f"agrees with the other graders on {100 * share:.0f} % of {pairs} pairs"
    return {
        "reversed": f"Ranks against the class: {fact}. Perhaps best and worst were mixed up; ask.",
        "chance": f"No better than chance: {fact}, clearly less than is typical here.",
        "unknown": f"Too few reviews to tell: {fact}; both chance and a typical grader could do that.",
        "consistent": f"Consistent: {fact}.",
    }[word]
