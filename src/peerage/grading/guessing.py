"""How likely each grader guessed, or ranked worst first: three kinds of graders, mixed in unknown shares.

A grader agrees with the others on a number of pairs that is binomial: at the rate that is typical for such
pairs (honest), one half (guessing), or one less the typical rate (worst first). The pairs are effective ones;
who does not guess may differ from the typical grader, so there pairs are worth fewer. The shares of the kinds
in the class are found by the EM algorithm with a weak prior, so that a class says itself how many guess;
given them, Bayes' rule says how likely each grader is of each kind. A probability names nobody: it says whom
to talk to first, and how many of these are expected to have guessed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import gammaln

from peerage._words import plural
from peerage.grading.agreement import Agreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PRIOR = np.array([2.5, 0.6, 0.1])  # graders of each kind that the class is thought to have had before
ROUNDS = 100
LEAST_SPREAD, MOST_SPREAD, OWN_SPREAD = 0.001, 0.02, 10.0  # variance of honest graders' true agreement
LIKELY = 0.5  # from so much on a grader is among those to talk to first
WORST_FIRST = 0.1  # of the class, and at least three: more than a few mixed-up lists


class GraderKinds(NamedTuple):
    """Per grader, the probability of having guessed, and of having ranked worst first; NaN without pairs."""

    guessed: Floats
    worst_first: Floats


def grader_kinds(agreement: Agreement) -> GraderKinds:
    """From everybody's agreement with the others."""
    nothing = np.full(len(agreement.share), np.nan)
    known = (agreement.effective_pairs > 0) & np.isfinite(agreement.expected) & (agreement.expected > 0.5)
    if not known.any():
        return GraderKinds(nothing, nothing.copy())
    share, typical = agreement.share[known], agreement.expected[known] - 0.5
    pairs = agreement.effective_pairs[known]
    chance = 0.25 / pairs
    guessing = _log_choices(share, pairs) - pairs * math.log(2.0)
    weights, lift, spread = PRIOR / PRIOR.sum(), 1.0, 0.25 / agreement.spread
    for _ in range(ROUNDS):
        above = np.clip(lift * typical, 0.0, 0.45)
        noise = (1 - 4 * above**2) * chance
        worth = (0.25 - above**2) / (noise + spread)  # pairs of graders who differ from the typical one
        agreed, choices = share * worth, _log_choices(share, worth)
        more, less = np.log(0.5 + above), np.log(0.5 - above)
        honest = choices + agreed * more + (worth - agreed) * less
        worst_first = choices + agreed * less + (worth - agreed) * more
        log = np.stack([honest, guessing, worst_first], axis=1) + np.log(weights)
        kinds = np.exp(log - log.max(axis=1, keepdims=True))
        kinds /= kinds.sum(axis=1, keepdims=True)
        weights = (kinds.sum(axis=0) + PRIOR) / (len(kinds) + PRIOR.sum())
        # guessers pull what is typical down, and spread graders out: both are found again among the honest
        ahead, sure = share - 0.5, kinds[:, 0] / (noise + spread)
        lift = float(np.clip((sure @ (ahead * typical)) / max(sure @ typical**2, 1e-12), 0.9, 2.0))
        extra = kinds[:, 0] @ ((ahead - above) ** 2 - noise) + OWN_SPREAD * LEAST_SPREAD
        spread = float(np.clip(extra / (kinds[:, 0].sum() + OWN_SPREAD), LEAST_SPREAD, MOST_SPREAD))
    found = GraderKinds(nothing, nothing.copy())
    found.guessed[known], found.worst_first[known] = kinds[:, 1], kinds[:, 2]
    return found


def _log_choices(share: Floats, pairs: Floats) -> Floats:
    """The constant of the binomial density: how many ways there are to agree on a share of the pairs."""
    agreed = share * pairs
    choices = gammaln(pairs + 1) - gammaln(agreed + 1) - gammaln(pairs - agreed + 1)
    return np.asarray(np.log(pairs) + choices)


def guessing_sentence(guessed: Floats, worst_first: Floats) -> str:
    """How many to talk to first, and how many of these are expected to have guessed; without names."""
    said = []
    turned, graders = float(np.nansum(worst_first)), plural(len(worst_first), "grader")
    if turned >= max(3.0, WORST_FIRST * len(worst_first)):
        said.append(
            f"About {turned:.0f} of the {graders} seem to rank worst first: ask whether everybody knew which"
            " end is best."
        )
    likely = guessed[np.nan_to_num(guessed) >= LIKELY]
    if len(likely) == 1:
        said.append(
            f"1 grader agrees with the others as guessing would, and has guessed with a chance of"
            f" {100 * likely[0]:.0f} %: talk to this one first. That accuses nobody."
        )
    elif len(likely):
        said.append(
            f"{len(likely):,} graders agree with the others as guessing would. Of these, {likely.sum():.0f}"
            " are expected to have guessed: talk to them first. They lead the list, which accuses nobody."
        )
    return " ".join(said)
