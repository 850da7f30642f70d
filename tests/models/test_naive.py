"""The references themselves, on cases worked out by hand and on laws of probability."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

import naive
from peerage import Feedback

SCORES = [0.7, -0.4, 0.1]
WEAK_ORDERS_OF_TWO = [[[0], [1]], [[1], [0]], [[0, 1]]]


def order(*buckets, grader=0, weight=1.0, given=None):
    items = [item for bucket in buckets for item in bucket]
    return naive.Order(grader, weight, [list(b) for b in buckets], given or dict.fromkeys(items, math.nan))


def total_probability(code, all_buckets, **options):
    logs = [naive.LIKELIHOODS[code](order(*buckets), SCORES, 0.6, **options) for buckets in all_buckets]
    return sum(np.exp(logs))


def test_what_can_happen_has_total_probability_one():
    orders_of_three = [[[i] for i in p] for p in permutations(range(3))]

    for code in ("PL", "MALS", "MAL"):
        assert total_probability(code, orders_of_three) == pytest.approx(1.0), code
    for code in ("BT", "THUR"):
        assert total_probability(code, WEAK_ORDERS_OF_TWO[:2]) == pytest.approx(1.0), code
        assert total_probability(code, WEAK_ORDERS_OF_TWO, ties="model") == pytest.approx(1.0), code


@pytest.mark.parametrize("code", ["MALS", "MAL"])
def test_a_tie_is_the_sum_of_the_orders_it_leaves_open(code):
    likelihood = naive.LIKELIHOODS[code]

    tied = likelihood(order([0], [1, 2]), SCORES, 0.8)

    apart = [likelihood(order([0], [1], [2]), SCORES, 0.8), likelihood(order([0], [2], [1]), SCORES, 0.8)]
    assert tied == pytest.approx(np.logaddexp(*apart))


def test_all_models_for_pairs_agree_where_they_must():
    pair = order([0], [1])
    expected = -math.log1p(math.exp(-2.0 * 1.1))

    assert naive.bradley_terry(pair, SCORES, 2.0) == pytest.approx(expected)
    assert naive.plackett_luce(pair, SCORES, 2.0) == pytest.approx(expected)
    assert naive.score_weighted_mallows(pair, SCORES, 2.0) == pytest.approx(expected)


def test_tied_items_stay_out_of_each_others_plackett_luce_sums_unless_modelled():
    tied, e = order([0, 1], [2]), math.exp
    apart = -math.log1p(e(-0.6)) - math.log1p(e(0.5))
    shared = -math.log(1 + e(-1.1) + e(-0.6)) - math.log(1 + e(1.1) + e(0.5))

    assert naive.plackett_luce(tied, SCORES, 1.0) == pytest.approx(apart)
    assert naive.plackett_luce(tied, SCORES, 1.0, ties="model") == pytest.approx(shared)


def test_adjacent_pairs_leave_out_distant_buckets():
    assert naive.strict_pairs([[2], [0, 1], [3]], "adjacent") == [(2, 0), (2, 1), (0, 3), (1, 3)]
    assert len(naive.strict_pairs([[2], [0, 1], [3]])) == 5


def test_margin_takes_the_reported_gap_off():
    pair = order([0], [1], given={0: 9.0, 1: 8.5})

    assert naive.bradley_terry(pair, SCORES, 1.0, margin=True) == pytest.approx(-math.log1p(math.exp(-0.6)))


def test_the_parts_of_mallows():
    q = math.exp(-0.3)
    feedback = Feedback.from_orders([("g", ["c", "a", "b"])])

    assert naive.log_normaliser(0.3, 3) == pytest.approx(math.log((1 + q) * (1 + q + q * q)))
    assert naive.reversed_pairs([[0], [1], [2]], [1.0, 1.0, 2.0]) == 2.5  # tied in the centre: half
    assert naive.best_mallows_objective(feedback) == pytest.approx(naive.log_normaliser(1.0, 3))


def test_normal_scores_of_one_review():
    review = order([0], given={0: 2.0})

    assert naive.normal_scores(review, [0.5], 4.0, bias=0.5) == pytest.approx(math.log(2) - 2.0)


def test_objective_adds_priors_and_multiplies_weights():
    feedback = Feedback.from_columns(["g", "g"], ["a", "b"], rank=[1, 2], weight=[3, 3])

    found = naive.objective("BT", feedback, [1.0, -1.0], [0.5], score_variance=2.0)

    assert found == pytest.approx(3 * math.log1p(math.exp(-1.0)) + 2 / 4 + 5.0 - 9 * math.log(0.5))


def test_gradient_of_a_cubic():
    gradient = naive.gradient(lambda p: p[0] ** 3 - 2 * p[1], [2.0, 5.0])

    np.testing.assert_allclose(gradient, [12.0, -2.0], rtol=1e-9)


def test_algorithm_2_ties_equal_items_and_follows_removals():
    feedback = Feedback.from_orders([("g", ["a", "b", "c"]), ("h", ["a", "c"]), ("i", ["b", "d"])])

    # x: a -3, b 0-1, c 3, d 1; without a: b -2, c 1, d 1; without b: c 0, d 0
    assert naive.algorithm_2(feedback, [1.0, 1.0, 1.0]) == [[0], [1], [2, 3]]


def test_borda_uses_fractional_mid_ranks():
    feedback = Feedback.from_orders([("g", ["a", ["b", "c"]]), ("h", ["b", "c"])])

    # a 1/6, b (2/3 + 1/4) / 2, c (2/3 + 3/4) / 2
    assert naive.borda(feedback, [1.0, 1.0]) == [[0], [1], [2]]
    assert naive.borda(feedback, [1.0, 0.0]) == [[0], [1, 2]]


def test_kemenize_swaps_only_with_a_strict_majority():
    feedback = Feedback.from_orders([("g", ["a", "b"]), ("h", ["b", "c"]), ("i", ["c", "b"])])

    assert naive.kemenize(feedback, [1.0, 1.0, 1.0], [[1], [0], [2]]) == [[0], [1], [2]]
    assert naive.kemenize(feedback, [1.0, 1.0, 2.0], [[1], [0], [2]]) == [[0], [2], [1]]
