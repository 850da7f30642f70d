import math

import naive_metrics as naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import MANY_TIES, SCORES, columns

from peerage import DataError
from peerage.metrics.lazy import equal_evidence_pairs, lazy_auc, lazy_auc_equal_evidence, lazy_detection_rate

GRADERS = columns(SCORES, st.booleans(), st.integers(0, 2))


@given(GRADERS)
def test_auc_agrees_with_its_definition(case):
    reliability, lazy, evidence = case
    plain, _ = naive.lazy_auc(reliability, lazy, [0] * len(lazy))
    stratified, pairs = naive.lazy_auc(reliability, lazy, evidence)

    assert lazy_auc(reliability, lazy) == pytest.approx(plain, nan_ok=True)
    assert lazy_auc_equal_evidence(reliability, lazy, evidence) == pytest.approx(stratified, nan_ok=True)
    assert equal_evidence_pairs(lazy, evidence) == pairs


@given(columns(SCORES | MANY_TIES, st.booleans(), max_size=6).filter(lambda case: case[0]), st.data())
def test_detection_rate_agrees_with_its_definition(case, data):
    lowest = data.draw(st.integers(1, len(case[0])))

    rate = lazy_detection_rate(*case, lowest=lowest)

    assert rate == pytest.approx(naive.lazy_detection_rate(*case, lowest), nan_ok=True)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: lazy_auc([1, 2], [True]), "reliability has 2, lazy has 1"),
        (lambda: lazy_auc([1, math.nan], [True, False]), r"reliability\[1\] is NaN"),
        (lambda: lazy_auc([1, 2], [0, 2]), r"lazy\[1\] is 2; use True or False, or 1 and 0"),
        (lambda: lazy_auc_equal_evidence([1, 2], [1, 0], [3]), "reliability has 2, strict_pairs has 1"),
        (lambda: lazy_detection_rate([1, 2], [1, 0]), "must be from 1 to the number of graders, 2, not 20"),
        (lambda: lazy_detection_rate([1, 2], [True, False], lowest=0), "lowest must be .*, not 0"),
    ],
)
def test_what_cannot_be_judged_is_refused(ask, message):
    with pytest.raises(DataError, match=message):
        ask()
