"""Kinds of classes in which intervals are known to hold the truth less often than they say, in words.

The figures are measured by `experiments/grade_coverage.py`, 40 classes of a kind, and a test holds them to
its file. Where one applies, the sentence goes into the posterior's note, and from there into every report,
beside the numbers it is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator

FEW_GRADERS = 15  # with something to say; beyond, reliabilities know each other well enough
SMALL = 100  # items
FEW_COMPARISONS = 7.0  # of an item, on average
MANY_TIES = 0.1  # of all pairs in lists

PAIRS_HELD, PAIRS_TOO_HIGH = (80, 87), 8  # per cent, of intervals that should hold 90; points of chances
PAIRS_RELIABILITIES_HELD = (65, 84)  # with few graders
RELIABILITIES_HELD = (75, 88)
SCORES_HELD = (84, 91)
COMPARISONS_HELD = (85, 87)
TIED_HELD, TIED_TOO_HIGH = (81, 86), 6  # by Plackett-Luce; per cent, points
TIED_SCORES_HELD = (79, 87)  # by score-weighted Mallows
BOTH_SCORES_HELD, BOTH_RANKS_HELD, BOTH_RELIABILITIES_HELD = (77, 87), (86, 91), (85, 94)
BOTH_TOO_HIGH = 5
# of `kinds_of_classes.py`
CHANCE_RANKS_HELD, CHANCE_SCORES_HELD = 90, 32
EQUAL_RELIABILITIES_HELD = (90, 100)
SCORED_RELIABILITIES_HELD, TRUE_SHAPE = (72, 78), 5.0  # with a prior of a larger shape
FEW_SCORED_HELD, FEW_SCORED_WIDENED = (83, 88), (88, 91)  # `kinds_of_classes.py --small`

PAIRS_OF_LISTS = (
    "This method takes every pair of a list as a judgement of its own. Although widened for it, its intervals"
    " and chances are a few points too sure on lists (in simulated classes 90 % intervals of scores and ranks"
    " held the truth in {} to {} %, of reliabilities with fewer than 15 graders in {} to {} %; chances were"
    " up to {} points too high). Plackett-Luce (PL+G) has no such fault."
).format(*PAIRS_HELD, *PAIRS_RELIABILITIES_HELD, PAIRS_TOO_HIGH)
RELIABILITIES = (
    "With so few graders, intervals of reliabilities are too short: in simulated classes 90 % intervals held"
    " the truth in {} to {} %."
).format(*RELIABILITIES_HELD)
SCORES = (
    "In a class of fewer than 100 items the spread of the scores is itself known poorly: in simulated classes"
    " 90 % intervals of scores held the truth in {} to {} %."
).format(*SCORES_HELD)
COMPARISONS = (
    "With so few comparisons of an item, intervals of scores are a little too short: in simulated classes"
    " 90 % intervals held the truth in {} to {} %."
).format(*COMPARISONS_HELD)
TIED = (
    "{{share:.0f}} % of all pairs are tied. If graders tied without looking, intervals and chances are too"
    " sure: in classes simulated by Plackett-Luce with 20 and 40 % of random ties 90 % intervals of ranks"
    " held the truth in {} to {} %, and chances were up to {} points too high; by score-weighted Mallows,"
    " intervals of scores held it in {} to {} %. Where graders tied what looked alike to them, ranks held."
).format(*TIED_HELD, TIED_TOO_HIGH, *TIED_SCORES_HELD)
BOTH = (
    "Where orders and scores are taken together, intervals of scores are too short: in simulated classes 90 %"
    " intervals of scores held the truth in {} to {} %, of ranks in {} to {} % and of reliabilities in {} to"
    " {} %, and chances were up to {} points too high."
).format(*BOTH_SCORES_HELD, *BOTH_RANKS_HELD, *BOTH_RELIABILITIES_HELD, BOTH_TOO_HIGH)
FEW_SCORED = (
    "With so few graders the noise of their scores is itself known poorly: in simulated classes of 12 to 20"
    " items 90 % intervals of scores held the truth in {} to {} %, and once widened by infit, as in grades,"
    " in {} to {} %."
).format(*FEW_SCORED_HELD, *FEW_SCORED_WIDENED)
SCORED_RELIABILITIES = (
    "If graders differ more than the method expects beforehand, intervals of reliabilities are too short: in"
    " such simulated classes 90 % intervals held the truth in {} to {} %."
).format(*SCORED_RELIABILITIES_HELD)
RANKINGS_ANEW = (
    "A ranking found anew from other graders changes more than it is unknown: in simulated classes of 400"
    " chances from resampling were up to 8 points too modest, and never too sure."
)


def list_cautions(estimator: Estimator, source: str) -> str:
    """What to know about these intervals, as text; empty where there is nothing."""
    feedback = estimator.feedback_
    lists = feedback.n_lists > 0 and int(feedback.list_lengths.max()) > 2
    cautions = []
    if estimator.counts_pairs and lists:
        cautions.append(PAIRS_OF_LISTS)
    elif estimator.scale_is_free and estimator.reliability and has_few_graders(feedback):
        cautions.append(RELIABILITIES)
    if estimator.needs_orders and estimator.needs_scores:
        cautions.append(BOTH)
    elif estimator.needs_scores and estimator.reliability and has_few_graders(feedback):
        cautions.append(FEW_SCORED)
    only_scores = estimator.needs_scores and not estimator.needs_orders
    if only_scores and estimator.reliability and estimator.reliability_shape > TRUE_SHAPE:
        cautions.append(SCORED_RELIABILITIES)
    if estimator.scale_is_free and estimator.prior_learned_ and feedback.n_items < SMALL:
        cautions.append(SCORES)
    elif estimator.scale_is_free and estimator.prior_learned_ and _comparisons(feedback) < FEW_COMPARISONS:
        cautions.append(COMPARISONS)
    share = tied_share(feedback)
    if estimator.scale_is_free and share > MANY_TIES:
        cautions.append(TIED.format(share=100 * share))
    if source == "bootstrap" and estimator.sampler == "rankings":
        cautions.append(RANKINGS_ANEW)
    return " ".join(cautions)


def has_few_graders(feedback: Feedback) -> bool:
    """Whether few graders have anything to say."""
    return int((feedback.grader_strict_pairs > 0).sum()) < FEW_GRADERS


def _comparisons(feedback: Feedback) -> float:
    """Strict pairs that an item is in, on average."""
    return 2.0 * float(feedback.list_strict_pairs.sum()) / max(feedback.n_items, 1)


def tied_share(feedback: Feedback) -> float:
    """Of all pairs in lists, how many are tied."""
    lengths = feedback.list_lengths.astype(np.float64)
    pairs = float((lengths * (lengths - 1.0)).sum()) / 2.0
    return 1.0 - float(feedback.list_strict_pairs.sum()) / pairs if pairs else 0.0
