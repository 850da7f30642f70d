import math

import naive_metrics as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import CHANCES, MANY_TIES, columns

from peerage import DataError
from peerage.metrics.calibration import (
    brier_score,
    expected_calibration_error,
    log_loss,
    pair_outcomes,
    reliability_diagram,
)

FORECASTS = columns(CHANCES, st.booleans())


@given(FORECASTS, st.integers(1, 12))
def test_diagram_and_expected_error_agree_with_their_definitions(case, bins):
    diagram = reliability_diagram(*case, bins=bins)
    error = expected_calibration_error(*case, bins=bins)

    counts, forecast, observed = zip(*naive.diagram(*case, bins), strict=True)
    assert diagram.counts.tolist() == list(counts)
    assert diagram.forecast == pytest.approx(forecast, nan_ok=True)
    assert diagram.observed == pytest.approx(observed, nan_ok=True)
    assert error == pytest.approx(naive.expected_calibration_error(*case, bins), nan_ok=True, abs=1e-12)


def test_a_forecast_on_an_edge_belongs_to_the_bin_above():
    diagram = reliability_diagram([0.0, 0.3, 0.7, 1.0], [0, 0, 1, 1])

    assert diagram.counts.tolist() == [1, 0, 0, 1, 0, 0, 0, 1, 0, 1]


@given(FORECASTS)
def test_proper_scores_agree_with_their_definitions(case):
    assert brier_score(*case) == pytest.approx(naive.brier_score(*case), nan_ok=True)
    assert log_loss(*case) == pytest.approx(naive.log_loss(*case), nan_ok=True, abs=1e-12)


@given(columns(MANY_TIES | st.just(math.nan), max_size=6))
def test_pairs_come_both_ways_round_unless_tied(case):
    (target,) = case
    above = np.arange(len(target) ** 2, dtype=float).reshape(len(target), len(target))

    probability, came_true = pair_outcomes(target, above)

    pairs = [(i, j) for i in range(len(target)) for j in range(len(target))]
    strict = [(i, j) for i, j in pairs if target[i] > target[j] or target[i] < target[j]]
    assert probability.tolist() == [above[i, j] for i, j in strict]
    assert came_true.tolist() == [target[i] > target[j] for i, j in strict]


def test_the_impossible_that_happened_costs_everything_and_a_tiny_chance_something():
    assert log_loss([0.0, 0.5], [True, True]) == math.inf
    assert log_loss([1e-20], [False]) == pytest.approx(1e-20, abs=0)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: brier_score([0.5], [True, False]), "probability has 1, above has 2"),
        (lambda: brier_score([0.5, 1.5], [1, 0]), r"probability\[1\] is 1.5; it must be from 0 to 1"),
        (lambda: brier_score([0.5, -0.1], [True, False]), r"probability\[1\] is -0.1"),
        (lambda: brier_score([0.5, math.nan], [True, False]), r"probability\[1\] is NaN"),
        (lambda: brier_score([0.5], [0.5]), r"above\[0\] is 0.5; use True or False, or 1 and 0"),
        (lambda: reliability_diagram([0.5], [True], bins=0), "bins must be at least 1, not 0"),
        (lambda: pair_outcomes([1, 2, 3], np.eye(2)), "above must be 3 by 3, one row per item"),
        (lambda: pair_outcomes([[1, 2]], np.eye(2)), "target must have one dimension"),
    ],
)
def test_what_is_no_forecast_and_what_does_not_fit_is_refused(ask, message):
    with pytest.raises(DataError, match=message):
        ask()
