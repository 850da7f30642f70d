"""How near scores and grades are to the target, against the definitions."""

import math
from pathlib import Path

import naive_metrics as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import GRADES, MANY_TIES, SCORES, columns
from scipy.stats import kendalltau, rankdata

from peerage import DataError, Feedback, metrics
from peerage.metrics.accuracy import (
    bottom_agreement,
    boundary_error,
    count_pairs,
    grade_rmse,
    pairwise_accuracy,
    spearman,
    task_tau_errors,
    tau_error,
    tau_error_by_task,
    top_agreement,
)

MAYBE = MANY_TIES | st.just(math.nan)

# -- the tau error ----------------------------------------------------------------------------------------


@given(columns(SCORES, SCORES) | columns(MANY_TIES, MANY_TIES, max_size=40))
def test_pairs_are_counted_as_one_by_one(case):
    agreed, turned, tied = naive.pair_counts(*case)
    accuracy = (agreed + tied / 2) / (agreed + turned + tied) if agreed + turned + tied else math.nan

    assert tuple(count_pairs(*case)) == (agreed, turned, tied)
    assert pairwise_accuracy(*case) == pytest.approx(accuracy, nan_ok=True)


@given(columns(SCORES | st.just(math.nan), MAYBE, SCORES))
def test_tau_error_is_the_mean_of_its_definition_over_several_targets(case):
    *several, predicted = case

    error = tau_error(several, predicted)

    expected = naive.mean_of_defined([naive.tau_error(one, predicted) for one in several])
    assert error == pytest.approx(expected, nan_ok=True)


@given(columns(st.integers(-1, 2), MAYBE, MANY_TIES))
def test_tasks_are_compared_each_for_itself(case):
    expected = naive.task_tau_errors(*case)

    assert task_tau_errors(*case).tolist() == pytest.approx(expected, nan_ok=True)
    assert tau_error_by_task(*case) == pytest.approx(naive.mean_of_defined(expected), nan_ok=True)


def test_feedback_brings_its_own_tasks():
    feedback = Feedback.from_columns(["g"] * 4, ["a", "b", "a", "b"], rank=[1, 2, 1, 2], task=[1, 1, 2, 2])

    assert task_tau_errors(feedback, [2, 1, 2, 1], [2, 1, 1, 2]).tolist() == [0, 100]


def test_the_target_itself_is_perfect_and_its_reverse_entirely_wrong():
    for n in (2, 3, 7, 64, 1000, 1025):
        target = np.random.default_rng(n).permutation(n)
        errors = [tau_error(target, predicted) for predicted in (target, -target, np.zeros(n))]
        assert errors == [0, 100, 50], n


def test_counts_of_large_classes_agree_with_scipy_and_do_not_overflow():
    rng, n = np.random.default_rng(5), 200_000
    target, predicted = rng.integers(0, 300, 20_000), rng.integers(0, 500, 20_000)

    counts = count_pairs(target, predicted)

    tau_c = 2 * (counts.agreed - counts.reversed) / (20_000**2 * 299 / 300)
    assert tau_c == pytest.approx(kendalltau(target, predicted, variant="c").statistic, rel=1e-12)
    assert count_pairs(np.arange(n), -np.arange(n)) == (0, n * (n - 1) // 2, 0)


# -- ranks, either end, and grades ------------------------------------------------------------------------


@given(columns(SCORES, SCORES) | columns(MANY_TIES, MANY_TIES))
def test_spearman_is_the_correlation_of_the_ranks_of_scipy(case):
    constant = min(len(set(column)) for column in case) < 2
    expected = math.nan if constant else np.corrcoef(*map(rankdata, case))[0, 1]

    assert spearman(*case) == pytest.approx(expected, nan_ok=True, abs=1e-12)


@given(
    columns(SCORES, SCORES, max_size=6) | columns(MANY_TIES, MANY_TIES, max_size=6),
    st.sampled_from([0.05, 0.25, 0.3, 0.5]),
)
def test_quartiles_agree_with_their_definition(case, share):
    negated = [[-value for value in column] for column in case]

    top, bottom = top_agreement(*case, share=share), bottom_agreement(*case, share=share)

    assert top == pytest.approx(naive.top_agreement(*case, share), nan_ok=True)
    assert bottom == pytest.approx(naive.top_agreement(*negated, share), nan_ok=True)


@given(columns(GRADES, GRADES) | columns(*[st.floats(-1e150, 1e150, allow_subnormal=False)] * 2))
def test_rmse_agrees_with_its_definition(case):
    assert grade_rmse(*case) == pytest.approx(naive.grade_rmse(*case), nan_ok=True)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_huge_and_tiny_differences_survive_the_square(size):
    assert grade_rmse([size, 0], [0, 0]) == pytest.approx(size / math.sqrt(2))


@given(columns(GRADES, GRADES), st.lists(GRADES, min_size=1, max_size=4, unique=True).map(sorted))
def test_boundary_error_agrees_with_its_definition(case, cuts):
    assert boundary_error(*case, cuts) == pytest.approx(naive.boundary_error(*case, cuts), nan_ok=True)
    assert boundary_error([cuts[0]], [cuts[0] - 0.05], cuts) == 1  # a grade on the boundary passes


METRICS = {
    "pairwise": pairwise_accuracy,
    "spearman": spearman,
    "top": top_agreement,
    "bottom": bottom_agreement,
    "rmse": grade_rmse,
    "boundary": lambda target, predicted: boundary_error(target, predicted, [2, 4]),
}


@pytest.mark.parametrize("name", METRICS)
def test_targets_are_averaged_over_the_items_they_have(name):
    metric, predicted = METRICS[name], [4, 2, 3, 1]
    first, second, nothing = [4, 3, 2, 1], [1, 2, 3, math.nan], [math.nan] * 4

    both = metric([first, second, nothing], predicted)

    assert both == pytest.approx((metric(first, predicted) + metric(second[:3], predicted[:3])) / 2)


# -- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: tau_error([1, 2], [1, 2, 3]), "lengths must be equal: target has 2, predicted has 3"),
        (
            lambda: tau_error([1, 2], [1, math.nan]),
            r"predicted\[1\] is NaN; every entry needs a number \(1 are NaN\)",
        ),
        (lambda: tau_error([1, 2], [[1, 2]]), "predicted must have one dimension, not 2"),
        (lambda: tau_error(5, [1]), "target must be one array or a sequence of arrays, but has 0 dimensions"),
        (lambda: tau_error(["a", "b"], [1, 2]), "target must hold numbers, not <U1"),
        (lambda: tau_error([[1, 2], [1]], [1, 2]), "target must be an array of numbers"),
        (lambda: tau_error_by_task([0], [1, 2], [1, 2]), "tasks has 1, target has 2, predicted has 2"),
        (lambda: count_pairs([math.nan, 1], [1, 2]), r"target\[0\] is NaN"),
        (lambda: top_agreement([1, 2], [1, 2], share=0), r"share must be above 0 and at most 0\.5"),
        (lambda: top_agreement([1, 2], [1, 2], share=-1), r"share must be above 0 and at most 0\.5"),
        (lambda: bottom_agreement([1, 2], [1, 2], share=0.51), r"share must be above 0 and at most 0\.5"),
        (lambda: boundary_error([1], [1], []), "boundaries must be increasing, at least one; got"),
        (lambda: boundary_error([1], [1], [5, 5]), "boundaries must be increasing, at least one; got"),
        (lambda: boundary_error([1], [1], [7, 5]), "boundaries must be increasing, at least one; got"),
        (lambda: grade_rmse([math.inf], [1]), "target holds an infinite grade"),
        (lambda: grade_rmse([1], [math.inf]), "predicted holds an infinite grade"),
        (lambda: boundary_error([math.inf], [1], [5]), "target holds an infinite grade"),
        (lambda: boundary_error([1], [-math.inf], [5]), "predicted holds an infinite grade"),
    ],
)
def test_questions_without_an_answer_are_refused(ask, message):
    with pytest.raises(DataError, match=message):
        ask()


def test_the_page_explains_every_function():
    page = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"
    text = page.read_text(encoding="utf-8")

    assert [name for name in metrics.__all__ if name[0].islower() and f"`{name}" not in text] == []
