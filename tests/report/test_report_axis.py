import numpy as np
import pytest
import report_cases as cases

import naive
from peerage.report.class_plot import class_axis, round_numbers, tick_text
from peerage.report.data_section import BINS, pair_matrix
from peerage.report.page import interval, number, percent


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 10, [0, 2, 4, 6, 8, 10]), (-1.2, 1.3, [-1, -0.5, 0, 0.5, 1]), (44, 1, [10, 20, 30, 40])],
)
def test_ticks_are_round(start, end, expected):
    np.testing.assert_allclose(round_numbers(start, end), expected, atol=1e-12)


def test_ticks_show_the_decimals_of_their_step():
    assert [tick_text(value, [-0.5, 0.0, 0.5, 1.0]) for value in (-0.5, 0.0, 1.0)] == ["−0.5", "0.0", "1.0"]


def test_points_before_scores_and_ranks_for_a_mere_ranking():
    assert class_axis(cases.lettered()).name == "Points"
    assert class_axis(cases.plain()).name == "Score"
    ranks = class_axis(cases.rankings())
    assert ranks.name == "Rank"
    assert ranks.place(1.0) > ranks.place(8.0)


def test_numbers_as_they_are_shown():
    shown = [number(-1.234, 1), number(-0.001, 2), number(None), number(float("nan"))]
    assert shown == ["−1.2", "0.00", "", ""]
    assert interval(-1, 2.5, 1) == "−1.0 to 2.5"
    assert interval(None, 2.5) == ""
    assert percent(0.315) == "32 %"


def test_the_matrix_counts_every_pair_once_by_rank():
    result = cases.plain()
    matrix = pair_matrix(result, 0)

    assert matrix.sum() == result.preflight.counts.pairs
    np.testing.assert_array_equal(np.triu(matrix), 0)
    best, last = result.order[0], result.order[-1]
    together = [{best, last} <= set(order.items) for order in naive.orders_of(result.feedback)]
    assert matrix[-1, 0] == sum(together)


def test_a_large_matrix_holds_shares_in_bins():
    matrix = pair_matrix(cases.large(), 0)

    assert matrix.shape == (BINS, BINS)
    assert 0 < matrix.max() <= 1
