import math

import naive_metrics as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import MANY_TIES, SCORES, columns

from peerage import DataError, Feedback
from peerage.metrics.accuracy import count_pairs, task_tau_errors, tau_error, tau_error_by_task


@given(columns(SCORES, SCORES) | columns(MANY_TIES, MANY_TIES, max_size=40))
def test_pairs_are_counted_as_one_by_one(case):
    counts = count_pairs(*case)

    assert tuple(counts) == naive.pair_counts(*case)


@given(columns(SCORES | st.just(math.nan), SCORES))
def test_tau_error_agrees_with_its_definition(case):
    assert tau_error(*case) == pytest.approx(naive.tau_error(*case), nan_ok=True)


@given(columns(SCORES | st.just(math.nan), MANY_TIES | st.just(math.nan), SCORES))
def test_several_targets_are_macro_averaged(case):
    *several, predicted = case

    error = tau_error(several, predicted)

    expected = naive.mean_of_defined([naive.tau_error(one, predicted) for one in several])
    assert error == pytest.approx(expected, nan_ok=True)


@given(columns(st.integers(-1, 2), MANY_TIES | st.just(math.nan), MANY_TIES))
def test_tasks_are_compared_each_for_itself(case):
    expected = naive.task_tau_errors(*case)

    assert task_tau_errors(*case).tolist() == pytest.approx(expected, nan_ok=True)
    assert tau_error_by_task(*case) == pytest.approx(naive.mean_of_defined(expected), nan_ok=True)


def test_the_target_itself_is_perfect_and_its_reverse_entirely_wrong():
    for n in (2, 3, 7, 64, 1000, 1025):
        target = np.random.default_rng(n).permutation(n)
        errors = [tau_error(target, predicted) for predicted in (target, -target, np.zeros(n))]
        assert errors == [0, 100, 50], n


def test_counts_of_a_large_class_agree_with_scipy():
    from scipy.stats import kendalltau

    rng = np.random.default_rng(5)
    target, predicted = rng.integers(0, 300, 20_000), rng.integers(0, 500, 20_000)

    counts = count_pairs(target, predicted)

    tau_c = 2 * (counts.agreed - counts.reversed) / (20_000**2 * 299 / 300)
    assert tau_c == pytest.approx(kendalltau(target, predicted, variant="c").statistic, rel=1e-12)


def test_many_counts_do_not_overflow():
    n = 200_000

    counts = count_pairs(np.arange(n), -np.arange(n))

    assert counts == (0, n * (n - 1) // 2, 0)
    assert counts.strict == 19_999_900_000


def test_without_a_strict_pair_it_is_undefined_and_does_not_count():
    for target in ([], [1.0], [2.0, 2.0], [math.nan, 1.0]):
        assert math.isnan(tau_error(target, np.arange(len(target)))), target
    assert tau_error([[1, 1, 1], [3, 2, 1]], [1, 2, 3]) == 100


def test_feedback_brings_its_own_tasks():
    feedback = Feedback.from_columns(["g"] * 4, ["a", "b", "a", "b"], rank=[1, 2, 1, 2], task=[1, 1, 2, 2])

    assert task_tau_errors(feedback, [2, 1, 2, 1], [2, 1, 1, 2]).tolist() == [0, 100]
    assert tau_error_by_task(feedback, [2, 1, 2, 1], [2, 1, 1, 2]) == 50


def test_inputs_are_left_alone():
    target, predicted = np.array([1.0, 3.0, 2.0]), np.array([3.0, 1.0, 2.0])

    tau_error(target, predicted)

    assert target.tolist() == [1, 3, 2]
    assert predicted.tolist() == [3, 1, 2]


@pytest.mark.parametrize(
    ("target", "predicted", "message"),
    [
        ([1, 2], [1, 2, 3], "lengths must be equal: target has 2, predicted has 3"),
        ([1, 2], [1, math.nan], r"predicted\[1\] is NaN; every entry needs a number \(1 are NaN\)"),
        ([1, 2], [[1, 2]], "predicted must have one dimension, not 2"),
        (5, [1], "target must be one array or a sequence of arrays, but has 0 dimensions"),
        ([[[1]]], [1], "but has 3 dimensions"),
        (["a", "b"], [1, 2], "target must hold numbers, not <U1"),
        ([[1, 2], [1]], [1, 2], "target must be an array of numbers"),
        ([1, 2], [object(), 1], "predicted must be an array of numbers"),
    ],
)
def test_what_cannot_be_compared_is_refused(target, predicted, message):
    with pytest.raises(DataError, match=message):
        tau_error(target, predicted)


def test_tasks_must_fit_the_items_and_counts_need_every_item():
    with pytest.raises(DataError, match="tasks has 1, target has 2, predicted has 2"):
        tau_error_by_task([0], [1, 2], [1, 2])
    with pytest.raises(DataError, match=r"target\[0\] is NaN"):
        count_pairs([math.nan, 1], [1, 2])
