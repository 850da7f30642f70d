"""One word per grader, and the sentence that goes with it: unreliable is not the same as little data.

A word against a grader is an accusation, and a class has hundreds of graders: where each is put to a test of
1 in 100, half of all honest classes have somebody on the list. So the rate is controlled over the class. Two
questions are put to every grader: would a typical one agree as little as this, on pairs as close as these
and differing from others as graders of this class do? Would somebody who orders at random (then the list may
be upside down)? A grader is named only where the answer is so rare that in a whole class of honest graders
`LUCK` are named on average, at most (Bonferroni's bound; Tarone's count, which leaves out graders who could
not be named whatever they did). A rate of false discoveries, the milder rule, would let one in twenty of
those named be honest by design.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from peerage.grading.typical import among_others, at_most

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.agreement import Agreement

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


def flag(checked: Agreement) -> list[str]:
    """One word per grader, from agreement with the other graders.

    ties: no pair ordered. unknown: so few pairs that not even full agreement could be told from chance.
    reversed: less than chance explains. consistent: clearly above chance. In between, the grader is "chance"
    where a typical one would hardly agree so little, and "unknown" where one might: little data.
    """
    low, _ = checked.interval(LEVEL)
    perfect, _ = replace(checked, share=np.ones(len(checked.share))).interval(LEVEL)
    random = _is_rare(checked.share, checked.worth, np.full(len(low), CHANCE))
    typical = _is_rare(checked.share, among_others(checked.worth, checked.spread), checked.expected)
    conditions = [
        checked.pairs == 0,
        ~(perfect > CHANCE),
        random & (checked.expected > SIGNAL),
        low > CHANCE,
        typical & (checked.expected > SIGNAL),
    ]
    words = ["ties", "unknown", "reversed", "consistent", "chance"]
    return [str(word) for word in np.select(conditions, words, "unknown").tolist()]


def _is_rare(share: Floats, worth: Floats, true: Floats) -> NDArray[np.bool_]:
    """Whose agreement is so small, for this true share, that `LUCK` of a class would have it, at most."""
    chance, least = at_most(share, worth, true), at_most(np.zeros(len(share)), worth, true)
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
