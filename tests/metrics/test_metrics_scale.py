import math

import naive_metrics as naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import GRADES, columns

from peerage import DataError
from peerage.metrics.accuracy import boundary_error, grade_rmse

CUTS = st.lists(GRADES, min_size=1, max_size=4, unique=True).map(sorted)


@given(columns(GRADES, GRADES) | columns(*[st.floats(-1e150, 1e150, allow_subnormal=False)] * 2))
def test_rmse_agrees_with_its_definition(case):
    assert grade_rmse(*case) == pytest.approx(naive.grade_rmse(*case), nan_ok=True)


@given(columns(GRADES, GRADES), CUTS)
def test_boundary_error_agrees_with_its_definition(case, cuts):
    assert boundary_error(*case, cuts) == pytest.approx(naive.boundary_error(*case, cuts), nan_ok=True)


def test_huge_and_tiny_differences_survive_the_square():
    assert grade_rmse([1e200, 0], [0, 0]) == pytest.approx(1e200 / math.sqrt(2))
    assert grade_rmse([1e-200, 0], [0, 0]) == pytest.approx(1e-200 / math.sqrt(2))


def test_a_grade_on_the_boundary_passes():
    assert boundary_error([5.0], [4.9], [5]) == 1
    assert boundary_error([5.0], [9.0], [5]) == 0


def test_targets_are_averaged_over_the_items_they_have():
    targets = [[8, 6, math.nan], [math.nan, math.nan, 5], [math.nan] * 3]

    assert grade_rmse(targets, [8, 6, 7]) == 1
    assert boundary_error(targets, [8, 6, 7], [6]) == 0.5


def test_boundaries_must_increase():
    for boundaries in ([], [5, 5], [7, 5]):
        with pytest.raises(DataError, match="boundaries must be increasing, at least one; got"):
            boundary_error([1], [1], boundaries)


def test_infinite_grades_are_refused():
    for target, predicted, name in (([math.inf], [1], "target"), ([1], [-math.inf], "predicted")):
        with pytest.raises(DataError, match=f"{name} holds an infinite grade"):
            grade_rmse(target, predicted)
        with pytest.raises(DataError, match=f"{name} holds an infinite grade"):
            boundary_error(target, predicted, [5])
