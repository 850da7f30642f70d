import math

import naive_metrics as naive
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


@pytest.mark.parametrize("metric", METRICS)
def test_targets_are_averaged_over_the_items_they_have(metric):
    first, second, predicted = [4, 3, 2, 1], [1, 2, 3, math.nan], [4, 2, 3, 1]

    both = metric([first, second, [1, 1, 1, 1]], predicted)

    assert both == pytest.approx((metric(first, predicted) + metric(second[:3], predicted[:3])) / 2)


def test_a_share_that_is_no_end_of_the_class_is_refused():
    for share in (0, -1, 0.51, math.nan):
        with pytest.raises(DataError, match=r"share must be above 0 and at most 0\.5"):
            top_agreement([1, 2], [1, 2], share=share)
