import numpy as np
import pytest

from peerage import Feedback, fit
from peerage.errors import DataError
from peerage.grading.points import parse_scale, points_map

ORDERS = Feedback.from_orders([("ada", ["x", "y", "z"]), ("bob", ["x", "z", "y"]), ("cyd", ["y", "x", "z"])])
SCORES = Feedback.from_columns(["a", "a", "b", "b"], ["x", "y", "x", "y"], score=[9.0, 4.0, 8.0, 5.0])


@pytest.mark.parametrize("text", ["100", "1:0", "a:b", "0:inf", "", "5:5"])
def test_a_scale_is_two_rising_numbers(text):
    with pytest.raises(DataError, match="is not LOW:HIGH"):
        parse_scale(text)


@pytest.mark.parametrize(
    ("code", "link"), [("bt", lambda d: 1 / (1 + np.exp(-d))), ("mals", lambda d: 1 / (1 + np.exp(-d)))]
)
def test_points_of_orders_are_chances_of_being_put_above_another(code, link):
    fitted = fit(ORDERS, code)
    s = fitted.scores_

    points = points_map(fitted, parse_scale("0:100"), None)(s)

    np.testing.assert_allclose(points, 100 * link(s[:, None] - s).mean(axis=1), atol=0.01)


def test_points_of_thurstone_use_the_normal_curve():
    from scipy.special import ndtr

    fitted = fit(ORDERS, "thur")
    s = fitted.scores_

    points = points_map(fitted, parse_scale("1:6"), None)(s)

    np.testing.assert_allclose(points, 1 + 5 * ndtr(s[:, None] - s).mean(axis=1), atol=0.001)


def test_points_of_a_ranking_count_who_is_below_and_half_of_the_level():
    fitted = fit(ORDERS, "malbc")

    points = points_map(fitted, parse_scale("0:6"), None)(fitted.scores_)

    assert sorted(points) == pytest.approx([1, 3, 5])


def test_points_rise_with_scores_in_every_draw():
    fitted = fit(ORDERS, "pl")
    draws = np.sort(np.random.default_rng(0).normal(size=(20, 3)), axis=1)

    points = points_map(fitted, parse_scale("0:100"), None)(draws)

    assert (np.diff(points, axis=1) > 0).all()


def test_scores_on_the_graders_scale_stay_as_they_are():
    fitted = fit(SCORES, "scavg")

    assert points_map(fitted, parse_scale("0:10"), None)(fitted.scores_).tolist() == [8.5, 4.5]


def test_scores_move_from_the_graders_scale_to_the_other():
    fitted = fit(SCORES, "scavg")

    assert points_map(fitted, parse_scale("0:100"), parse_scale("0:10"))(fitted.scores_) == pytest.approx(
        [85, 45]
    )


@pytest.mark.parametrize(
    ("scale", "message"), [("0:100", "a small part of the scale"), ("0:8", "beyond the scale")]
)
def test_a_scale_the_graders_did_not_use_is_questioned(scale, message):
    with pytest.raises(DataError, match=message):
        points_map(fit(SCORES, "scavg"), parse_scale(scale), None)


def test_a_peer_scale_without_scores_is_refused():
    with pytest.raises(DataError, match="uses their orders"):
        points_map(fit(ORDERS, "pl"), parse_scale("0:100"), parse_scale("0:10"))
