import math

import naive_metrics as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import MANY_TIES, SCORES, columns

from peerage import DataError
from peerage.metrics.accuracy import bottom_agreement, pairwise_accuracy, spearman, top_agreement

SHARES = st.sampled_from([0.05, 0.25, 0.3, 0.5])


@given(columns(SCORES, SCORES))
def test_pairwise_accuracy_agrees_with_its_definition(case):
    agreed, turned, tied = naive.pair_counts(*case)
    expected = (agreed + tied / 2) / (agreed + turned + tied) if agreed + turned + tied else math.nan

    assert pairwise_accuracy(*case) == pytest.approx(expected, nan_ok=True)


@given(columns(SCORES, SCORES) | columns(MANY_TIES, MANY_TIES))
def test_spearman_agrees_with_its_definition(case):
    assert spearman(*case) == pytest.approx(naive.spearman(*case), nan_ok=True, abs=1e-12)


@given(columns(SCORES, SCORES, max_size=6) | columns(MANY_TIES, MANY_TIES, max_size=6), SHARES)
def test_quartiles_agree_with_their_definition(case, share):
    negated = [[-value for value in column] for column in case]

    top, bottom = top_agreement(*case, share=share), bottom_agreement(*case, share=share)

    assert top == pytest.approx(naive.top_agreement(*case, share), nan_ok=True)
    assert bottom == pytest.approx(naive.top_agreement(*negated, share), nan_ok=True)


METRICS = [pairwise_accuracy, spearman, top_agreement, bottom_agreement]


def test_a_perfect_prediction_is_exactly_one():
    for n in (2, 3, 41, 42):
        target = np.random.default_rng(n).permutation(n) // 2 if n > 2 else np.arange(n)
        assert [metric(target, 10 * target - 3) for metric in METRICS] == [1] * 4, n


@pytest.mark.parametrize("metric", METRICS)
def test_targets_are_averaged_over_the_items_they_have(metric):
    first, second, predicted = [4, 3, 2, 1], [1, 2, 3, math.nan], [4, 2, 3, 1]

    both = metric([first, second, [1, 1, 1, 1]], predicted)

    assert both == pytest.approx((metric(first, predicted) + metric(second[:3], predicted[:3])) / 2)


def test_a_target_without_strict_pairs_says_nothing():
    for target in ([], [1], [3, 3, 3]):
        assert all(math.isnan(metric(target, list(range(len(target))))) for metric in METRICS), target


def test_a_constant_prediction_is_at_chance():
    target, constant = np.arange(40), np.zeros(40)

    assert top_agreement(target, constant) == bottom_agreement(target, constant) == 0.25
    assert pairwise_accuracy(target, constant) == 0.5
    assert math.isnan(spearman(target, constant))


def test_any_order_of_what_the_target_ties_is_right():
    assert top_agreement([2, 2, 2, 2, 1, 1, 1, 1], [5, 8, 6, 7, 4, 3, 2, 1]) == 1
    assert top_agreement([2, 2, 2, 2, 1, 1, 1, 1], [5, 8, 6, 6, 7, 3, 2, 1]) == 0.5


def test_a_share_that_is_no_end_of_the_class_is_refused():
    for share in (0, -1, 0.51, math.nan):
        with pytest.raises(DataError, match=r"share must be above 0 and at most 0\.5"):
            top_agreement([1, 2], [1, 2], share=share)
