import math
import pickle

import numpy as np
import pytest

from peerage import Feedback, fit, grade
from peerage.errors import DataError, NoPointsError
from peerage.grading.letters import parse_letters
from peerage.grading.points import QUOTAS, parse_scale, points_map, points_rule

ORDERS = Feedback.from_orders([("ada", ["x", "y", "z"]), ("bob", ["x", "z", "y"]), ("cyd", ["y", "x", "z"])])
SCORES = Feedback.from_columns(["a", "a", "b", "b"], ["x", "y", "x", "y"], score=[9.0, 4.0, 8.0, 5.0])
HUNDRED = parse_scale("0:100")
LEVEL = Feedback.from_columns(["a", "a", "b", "b"], ["x", "y"] * 2, score=[5, 5, 6, 6])
STAFF = {"item": ["x", "y", "z"], "score": [90, 70, 40]}


def class_of_thirty():
    """Thirty items, ranked six at a time by forty who differ a little."""
    rng = np.random.default_rng(4)
    orders = {}
    for grader in range(40):
        seen = rng.choice(30, 6, replace=False)
        orders[f"g{grader}"] = [f"i{item:02}" for item in seen[np.argsort(seen + rng.normal(0, 6, 6))]]
    return Feedback.from_orders(orders)


RANKED = class_of_thirty()


@pytest.mark.parametrize("text", ["100", "1:0", "a:b", "0:inf", "", "5:5"])
def test_a_scale_is_two_rising_numbers(text):
    with pytest.raises(DataError, match="is not LOW:HIGH"):
        parse_scale(text)


# -- what makes the points ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "quotas"),
    [
        ({"scale": HUNDRED}, QUOTAS),
        ({"letters": parse_letters("A>=85,B")}, QUOTAS),
        ({"scale": HUNDRED, "letters": parse_letters("A>=85,B")}, QUOTAS),
        ({"scale": HUNDRED, "letters": parse_letters("A:20%,B:80%")}, "A:20%,B:80%"),
    ],
)
def test_orders_alone_make_no_points_and_what_is_offered_keeps_what_was_asked_for(options, quotas):
    nothing = {"has_staff_grades": False, **dict.fromkeys(("scale", "peer_scale", "curve", "letters"))}
    for kind in ("latent", "rank"):
        with pytest.raises(NoPointsError) as caught:
            points_rule(kind, **(nothing | options))

        first, *lines = str(caught.value).splitlines()
        assert "who stands above whom" in first
        assert len(lines) == len(caught.value.choices) == 4
        assert caught.value.choices[1].options["scale"] == "0:100"
        assert caught.value.choices[2].options["letters"] == quotas
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    "asked",
    [
        {"scale": "-10:-2"},
        {"letters": "A>=2000,B"},
        {"letters": "A>=-3,B"},
        {"letters": "us", "scale": "0:100"},
    ],
)
def test_every_choice_that_is_offered_works(asked):
    with pytest.raises(NoPointsError) as caught:
        grade(RANKED, method="bt", **asked)

    for choice in caught.value.choices:
        changed = {**asked, **(choice.first or choice.options)}
        options = {name: value for name, value in changed.items() if value is not None}
        assert grade(RANKED, method="bt", **options).items.height == 30


@pytest.mark.parametrize(
    ("feedback", "options", "message"),
    [
        (
            ORDERS,
            {"anchors": STAFF, "scale": "0:100", "curve": "75:10"},
            "both say what points are: leave out anchors or curve",
        ),
        (ORDERS, {"anchors": STAFF, "complete": True}, "complete=True gives no points: leave out anchors"),
        (ORDERS, {"scale": "0:100", "peer_scale": "0:10"}, "uses their orders"),
        (SCORES, {"letters": "A>=7,B"}, "cut-points need points to cut: say the scale with scale="),
        (
            RANKED,
            {"curve": "50:90", "scale": "0:100"},
            r"the curve 50:90 is too wide for the scale 0:100: \d+ of 30",
        ),
        (
            LEVEL,
            {"method": "scavg", "curve": "70:10", "scale": "0:100"},
            "put no item above another, so a curve",
        ),
    ],
)
def test_options_that_make_no_points_together_are_refused(feedback, options, message):
    with pytest.raises(DataError, match=message):
        grade(feedback, **options)


@pytest.mark.parametrize(
    ("feedback", "options", "rule", "words"),
    [
        (ORDERS, {}, "none", "There are no points: the reviews say who stands above whom"),
        (SCORES, {}, "none", "There are no points, because no scale was stated"),
        (SCORES, {"scale": "0:10"}, "scores", "Points are the estimated scores"),
        (ORDERS, {"letters": "A:34%,B:66%"}, "none", "There are no points: the reviews say"),
        (ORDERS, {"scale": "0:100", "curve": "70:10"}, "curve", "Points are by a curve"),
        (SCORES, {"scale": "0:10", "curve": "7:1"}, "curve", "Points are by a curve"),
        (ORDERS, {"scale": "0:100", "anchors": STAFF}, "staff grades", "Points are on the staff's scale"),
    ],
)
def test_the_result_says_what_made_its_points(feedback, options, rule, words):
    result = grade(feedback, **options)

    assert result.points_rule == rule
    assert result.sentences["points"].startswith(words)
    assert ("points" in result.items.columns) == (rule != "none")


# -- scores ---------------------------------------------------------------------------------------------


def test_scores_stay_as_they_are_on_the_graders_scale_and_move_to_another():
    fitted = fit(SCORES, "scavg")
    same = points_map(fitted, parse_scale("0:10"), None, None)
    other = points_map(fitted, HUNDRED, parse_scale("0:10"), None)

    assert same(fitted.scores_).tolist() == [8.5, 4.5]
    assert other(fitted.scores_) == pytest.approx([85, 45])


@pytest.mark.parametrize(
    ("scale", "message"), [("0:100", "a small part of the scale"), ("0:8", "beyond the scale")]
)
def test_a_scale_the_graders_did_not_use_is_questioned(scale, message):
    with pytest.raises(DataError, match=message):
        points_map(fit(SCORES, "scavg"), parse_scale(scale), None, None)


# -- the curve ------------------------------------------------------------------------------------------


def by_hand(scores, mean, sd, low, high):
    """Plain arithmetic, without NumPy."""
    middle = sum(scores) / len(scores)
    spread = math.sqrt(sum((s - middle) ** 2 for s in scores) / len(scores))
    return [min(max(mean + sd * (s - middle) / spread, low), high) for s in scores]


@pytest.mark.parametrize(("curve", "scale"), [((75, 10), (0, 100)), ((90, 12), (0, 100)), ((4, 0.5), (1, 6))])
def test_a_curve_gives_the_class_its_mean_and_spread(curve, scale):
    result = grade(RANKED, curve=curve, scale=scale)

    expected = by_hand(result.items["score"].to_list(), *curve, *scale)
    np.testing.assert_allclose(result.items["points"], expected, rtol=1e-9)


def test_intervals_of_a_curve_are_those_of_the_same_draws():
    result = grade(RANKED, curve="85:12", scale="0:100", interval=0.8)
    scores, draws = result.items["score"].to_numpy(), result.posterior.draws[:, result.order]

    line = 85 + 12 * (draws - scores.mean()) / scores.std()
    low, high = np.quantile(np.clip(line, 0, 100), [0.1, 0.9], axis=0)

    points = result.items["points"]
    np.testing.assert_allclose(result.items["points_low"], np.minimum(low, points), atol=1e-4)
    np.testing.assert_allclose(result.items["points_high"], np.maximum(high, points), atol=1e-4)


def test_every_task_has_its_own_curve():
    ranks, tasks = [1, 2, 3] * 4 + [3, 2, 1] + [1, 3, 2], ["easy"] * 9 + ["hard"] * 9
    feedback = Feedback.from_columns(list("aaabbbcccdddeeefff"), list("xyz") * 6, rank=ranks, task=tasks)

    points = grade(feedback, method="bt", curve="60:10", scale="0:100").items

    for task in ("easy", "hard"):
        mine = points.filter(task=task)["points"].to_numpy()
        assert mine.mean() == pytest.approx(60)
        assert mine.std() == pytest.approx(10)


def test_items_without_a_review_do_not_bend_the_curve():
    owners = {"student": ["ada", "bob", "cyd", "eve"], "item": ["x", "y", "z", "w"]}
    orders = Feedback.from_orders({"ada": ["y", "z"], "bob": ["x", "z"], "cyd": ["x", "y"], "eve": ["w"]})

    items = grade(orders, owners=owners, method="bt", curve="60:10", scale="0:100").items
    reviewed = items.filter(items["reviews"] > 0)["points"].to_numpy()

    assert items.filter(reviews=0)["item"].to_list() == ["w"]
    assert reviewed.mean() == pytest.approx(60)
    assert reviewed.std() == pytest.approx(10)


def test_letters_by_points_follow_the_curve():
    items = grade(RANKED, curve="75:10", scale="0:100", letters="A>=80,B>=70,C").items

    expected = ["A" if points >= 80 else "B" if points >= 70 else "C" for points in items["points"]]
    assert items["letter"].to_list() == expected
    assert set(expected) == {"A", "B", "C"}


# -- the standing ---------------------------------------------------------------------------------------


def test_percentiles_and_their_intervals_are_those_of_the_draws():
    """By brute force: the share of the class at or below an item, in every draw."""
    items = (result := grade(RANKED, method="pl")).items
    draws = result.posterior.draws[:, result.order]
    shares = 100 * (draws[:, None, :] <= draws[:, :, None]).mean(axis=2)

    low, high = items.select("percentile_low", "percentile_high").to_numpy().T
    held = (shares >= low - 1e-9) & (shares <= high + 1e-9)

    assert (held.mean(axis=0) >= 0.9).all()
    scores = items["score"].to_numpy()
    np.testing.assert_allclose(items["percentile"], 100 * (scores <= scores[:, None]).mean(axis=1))
    step = 100 / 30
    without_least = ((shares > low + step / 2) & (shares <= high + step / 2)).mean(axis=0)
    without_most = ((shares >= low - step / 2) & (shares < high - step / 2)).mean(axis=0)
    narrower = np.maximum(without_least, without_most)
    assert ((high - low < step / 2) | (narrower < 0.9 + 1e-9)).all()


def test_estimates_lie_inside_their_intervals_and_those_of_points_on_the_scale():
    for options in (
        {},
        {"curve": "90:15"},
        {"anchors": {"item": ["i01", "i02", "i29"], "score": [35, 40, 99]}},
        {"anchors": {"item": ["i02", "i15", "i27"], "score": [98, 50, 2]}},
    ):
        items = grade(RANKED, scale="0:100" if options else None, interval=0.5, **options).items
        for name in ("rank", "percentile", "points"):
            if name in items.columns:
                inside = (items[f"{name}_low"] <= items[name]) & (items[name] <= items[f"{name}_high"])
                assert inside.all(), (options, name)
        if options:
            assert 0 <= items["points_low"].min() < items["points_high"].max() <= 100, options


# -- at the end of an interval --------------------------------------------------------------------------


def test_points_at_the_end_of_their_interval_say_so_and_only_they():
    result, inside = (grade(RANKED, curve=curve, scale="0:100") for curve in ("90:12", "50:5"))
    scores = result.items["score"].to_numpy()
    beyond = 90 + 12 * (scores - scores.mean()) / scores.std() > 100

    assert beyond.any()
    for row, cut in zip(result.items.iter_rows(named=True), beyond, strict=True):
        width = row["points_high"] - row["points_low"]
        near = row["points_high"] - row["points"] <= 0.1 * width
        assert row["points_edge"] == ("top of the scale" if cut else "upper end" if near else None)
    names = ", ".join(result.items["item"].head(3))
    assert result.sentences["edges"].startswith(f"Points at the end of their interval: {names}")
    assert inside.items["points_edge"].null_count() == 30
    assert "edges" not in inside.sentences


# -- complete or incomplete -----------------------------------------------------------------------------


def test_whatever_was_reviewed_is_complete():
    rows = {"grader": ["ada", "ada", "bob", "eve"], "item": ["x", "y", "x", "w"], "rank": [1, 2, 1, 1]}

    result = grade(rows, owners={"student": ["eve", "ada"], "item": ["w", "z"]}, complete=True)

    completion = dict(result.items.select("item", "completion").iter_rows())
    said = "Complete or incomplete: 2 of 3 items had a review and are"
    assert completion == {"x": "complete", "y": "complete", "w": "incomplete"}
    assert result.sentences["complete"].startswith(said)
    assert "points" not in result.items.columns
    assert result.provenance["options"]["complete"] is True
