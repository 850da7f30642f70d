import math
import pickle

import numpy as np
import pytest

from peerage import Feedback, fit, grade
from peerage.errors import DataError, NoPointsError
from peerage.grading.letters import parse_letters
from peerage.grading.points import parse_curve, parse_scale, points_map, points_rule

ORDERS = Feedback.from_orders([("ada", ["x", "y", "z"]), ("bob", ["x", "z", "y"]), ("cyd", ["y", "x", "z"])])
SCORES = Feedback.from_columns(["a", "a", "b", "b"], ["x", "y", "x", "y"], score=[9.0, 4.0, 8.0, 5.0])
HUNDRED = parse_scale("0:100")
STAFF = {"item": ["x", "y", "z"], "score": [90, 70, 40]}


@pytest.fixture(scope="module")
def ranked():
    """Thirty items, ranked six at a time by forty who differ a little."""
    rng = np.random.default_rng(4)
    orders = {}
    for grader in range(40):
        seen = rng.choice(30, 6, replace=False)
        orders[f"g{grader}"] = [f"i{item:02}" for item in seen[np.argsort(seen + rng.normal(0, 6, 6))]]
    return Feedback.from_orders(orders)


@pytest.mark.parametrize("text", ["100", "1:0", "a:b", "0:inf", "", "5:5"])
def test_a_scale_is_two_rising_numbers(text):
    with pytest.raises(DataError, match="is not LOW:HIGH"):
        parse_scale(text)


# -- what makes the points ------------------------------------------------------------------------------


def rule_of(kind, **options):
    nothing = dict.fromkeys(("scale", "peer_scale", "curve", "letters"))
    return points_rule(kind, **{"has_staff_grades": False, **nothing, **options})


@pytest.mark.parametrize(
    ("kind", "options", "rule"),
    [
        ("latent", {}, "none"),
        ("rank", {}, "none"),
        ("grading", {}, "none"),
        ("grading", {"scale": HUNDRED}, "scores"),
        ("latent", {"letters": parse_letters("A:20%,B:80%")}, "none"),
        ("latent", {"scale": HUNDRED, "curve": parse_curve("75:10")}, "curve"),
        ("grading", {"scale": HUNDRED, "curve": parse_curve("75:10")}, "curve"),
        ("latent", {"has_staff_grades": True}, "staff grades"),
        ("grading", {"has_staff_grades": True, "scale": HUNDRED}, "staff grades"),
    ],
)
def test_points_have_one_rule(kind, options, rule):
    assert rule_of(kind, **options) == rule


@pytest.mark.parametrize("kind", ["latent", "rank"])
@pytest.mark.parametrize(
    "options",
    [
        {"scale": HUNDRED},
        {"letters": parse_letters("A>=85,B")},
        {"scale": HUNDRED, "letters": parse_letters("A>=85,B")},
        {"scale": HUNDRED, "letters": parse_letters("A:20%,B:80%")},
    ],
)
def test_orders_alone_make_no_points(kind, options):
    with pytest.raises(NoPointsError) as caught:
        rule_of(kind, **options)

    first, *lines = str(caught.value).splitlines()
    assert "who stands above whom" in first
    assert len(lines) == len(caught.value.choices) == 4
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    "asked",
    [
        {"scale": "0:100"},
        {"scale": "1:6"},
        {"scale": "-10:-2"},
        {"letters": "A>=8,B"},
        {"letters": "A>=2000,B"},
        {"letters": "A>=-3,B"},
        {"letters": "us", "scale": "0:100"},
        {"scale": "0:10", "letters": "A:20%,B:80%"},
    ],
)
def test_every_choice_that_is_offered_works(asked, ranked):
    with pytest.raises(NoPointsError) as caught:
        grade(ranked, method="bt", **asked)

    for choice in caught.value.choices:
        changed = {**asked, **(choice.first or choice.options)}
        options = {name: value for name, value in changed.items() if value is not None}
        assert grade(ranked, method="bt", **options).items.height == 30


def test_a_staff_grade_and_a_curve_are_two_rules():
    with pytest.raises(DataError, match="both say what points are: leave out anchors or curve"):
        grade(ORDERS, anchors=STAFF, scale="0:100", curve="75:10")
    with pytest.raises(DataError, match="complete=True gives no points: leave out anchors"):
        grade(ORDERS, anchors=STAFF, complete=True)


def test_cut_points_of_scores_need_a_scale():
    with pytest.raises(DataError, match="cut-points need points to cut: say the scale with scale="):
        grade(SCORES, letters="A>=7,B")


def test_a_peer_scale_without_scores_is_refused():
    with pytest.raises(DataError, match="uses their orders"):
        grade(ORDERS, scale="0:100", peer_scale="0:10")


@pytest.mark.parametrize(
    ("feedback", "options", "rule", "words"),
    [
        (ORDERS, {}, "none", "There are no points: the reviews say who stands above whom"),
        (SCORES, {}, "none", "There are no points, because no scale was stated"),
        (SCORES, {"scale": "0:10"}, "scores", "Points are the estimated scores"),
        (ORDERS, {"scale": "0:100", "curve": "70:10"}, "curve", "Points are by a curve"),
        (ORDERS, {"scale": "0:100", "anchors": STAFF}, "staff grades", "Points are on the staff's scale"),
    ],
)
def test_the_result_says_what_made_its_points(feedback, options, rule, words):
    result = grade(feedback, **options)

    assert result.points_rule == rule
    assert result.sentences["points"].startswith(words)
    assert ("points" in result.items.columns) == (rule != "none")


# -- scores ---------------------------------------------------------------------------------------------


def test_scores_on_the_graders_scale_stay_as_they_are():
    fitted = fit(SCORES, "scavg")

    assert points_map(fitted, parse_scale("0:10"), None, None)(fitted.scores_).tolist() == [8.5, 4.5]


def test_scores_move_from_the_graders_scale_to_the_other():
    fitted = fit(SCORES, "scavg")

    mapped = points_map(fitted, HUNDRED, parse_scale("0:10"), None)
    assert mapped(fitted.scores_) == pytest.approx([85, 45])


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
def test_a_curve_gives_the_class_its_mean_and_spread(curve, scale, ranked):
    result = grade(ranked, curve=curve, scale=scale)

    expected = by_hand(result.items["score"].to_list(), *curve, *scale)
    np.testing.assert_allclose(result.items["points"], expected, rtol=1e-9)


def test_intervals_of_a_curve_are_those_of_the_same_draws(ranked):
    result = grade(ranked, curve="85:12", scale="0:100", interval=0.8)
    scores, draws = result.items["score"].to_numpy(), result.posterior.draws[:, result.order]

    line = 85 + 12 * (draws - scores.mean()) / scores.std()
    low, high = np.quantile(np.clip(line, 0, 100), [0.1, 0.9], axis=0)

    np.testing.assert_allclose(result.items["points_low"], np.minimum(low, result.items["points"]), atol=1e-4)
    np.testing.assert_allclose(
        result.items["points_high"], np.maximum(high, result.items["points"]), atol=1e-4
    )


def test_every_task_has_its_own_curve():
    rank = [1, 2, 3] * 4 + [3, 2, 1] + [1, 3, 2]
    graders = [g for g in "abcdef" for _ in range(3)]
    feedback = Feedback.from_columns(
        graders, ["x", "y", "z"] * 6, rank=rank, task=["easy"] * 9 + ["hard"] * 9
    )

    points = grade(feedback, method="bt", curve="60:10", scale="0:100").items

    for task in ("easy", "hard"):
        mine = points.filter(task=task)["points"].to_numpy()
        assert mine.mean() == pytest.approx(60)
        assert mine.std() == pytest.approx(10)


def test_items_without_a_review_do_not_bend_the_curve():
    owners = {"student": ["ada", "bob", "cyd", "eve"], "item": ["x", "y", "z", "w"]}
    rows = {
        "grader": ["ada", "ada", "bob", "bob", "cyd", "cyd", "eve"],
        "item": ["y", "z", "x", "z", "x", "y", "w"],
        "rank": [1, 2, 1, 2, 1, 2, 1],
    }

    items = grade(rows, owners=owners, method="bt", curve="60:10", scale="0:100").items
    reviewed = items.filter(items["reviews"] > 0)["points"].to_numpy()

    assert items.filter(reviews=0)["item"].to_list() == ["w"]
    assert reviewed.mean() == pytest.approx(60)
    assert reviewed.std() == pytest.approx(10)


def test_a_curve_that_would_cut_off_more_than_a_third_is_refused(ranked):
    with pytest.raises(DataError, match=r"the curve 50:90 is too wide for the scale 0:100: \d+ of 30 items"):
        grade(ranked, curve="50:90", scale="0:100")


def test_a_curve_cannot_part_what_nobody_parted():
    level = Feedback.from_columns(["a", "a", "b", "b"], ["x", "y"] * 2, score=[5, 5, 6, 6])

    with pytest.raises(DataError, match="put no item above another, so a curve cannot tell them apart"):
        grade(level, method="scavg", curve="70:10", scale="0:100")


def test_letters_by_points_follow_the_curve(ranked):
    items = grade(ranked, curve="75:10", scale="0:100", letters="A>=80,B>=70,C").items

    expected = ["A" if points >= 80 else "B" if points >= 70 else "C" for points in items["points"]]
    assert items["letter"].to_list() == expected
    assert set(expected) == {"A", "B", "C"}


# -- the standing ---------------------------------------------------------------------------------------


def test_percentiles_and_their_intervals_are_those_of_the_draws(ranked):
    """By brute force: the share of the class at or below an item, in every draw."""
    items = (result := grade(ranked, method="pl")).items
    draws = result.posterior.draws[:, result.order]
    shares = 100 * (draws[:, None, :] <= draws[:, :, None]).mean(axis=2)

    held = (shares >= items["percentile_low"].to_numpy() - 1e-9) & (
        shares <= items["percentile_high"].to_numpy() + 1e-9
    )

    assert (held.mean(axis=0) >= 0.9).all()
    scores = items["score"].to_numpy()
    np.testing.assert_allclose(items["percentile"], 100 * (scores <= scores[:, None]).mean(axis=1))
    step = 100 / 30
    for low, high, share in zip(items["percentile_low"], items["percentile_high"], shares.T, strict=True):
        narrower = [((share > low + step / 2) & (share <= high + step / 2)).mean(),
                    ((share >= low - step / 2) & (share < high - step / 2)).mean()]  # fmt: skip
        assert high - low < step / 2 or max(narrower) < 0.9 + 1e-9


def test_estimates_lie_inside_their_intervals_and_those_of_points_on_the_scale(ranked):
    for options in (
        {},
        {"curve": "90:15"},
        {"anchors": {"item": ["i01", "i02", "i29"], "score": [35, 40, 99]}},
        {"anchors": {"item": ["i02", "i15", "i27"], "score": [98, 50, 2]}},
    ):
        items = grade(ranked, scale="0:100" if options else None, interval=0.5, **options).items
        for name in ("rank", "percentile", "points"):
            if name in items.columns:
                inside = (items[f"{name}_low"] <= items[name]) & (items[name] <= items[f"{name}_high"])
                assert inside.all(), (options, name)
        if options:
            assert 0 <= items["points_low"].min() < items["points_high"].max() <= 100, options


# -- at the end of an interval --------------------------------------------------------------------------


def test_points_at_the_end_of_their_interval_say_so(ranked):
    result = grade(ranked, curve="90:12", scale="0:100")
    scores = result.items["score"].to_numpy()
    beyond = 90 + 12 * (scores - scores.mean()) / scores.std() > 100

    assert beyond.any()
    for row, cut in zip(result.items.iter_rows(named=True), beyond, strict=True):
        width = row["points_high"] - row["points_low"]
        near = row["points_high"] - row["points"] <= 0.1 * width
        assert row["points_edge"] == ("top of the scale" if cut else "upper end" if near else None)
    names = ", ".join(result.items["item"].head(3))
    assert result.sentences["edges"].startswith(f"Points at the end of their interval: {names}")


def test_nothing_is_said_where_no_estimate_is_at_an_end(ranked):
    result = grade(ranked, curve="50:5", scale="0:100")

    assert result.items["points_edge"].null_count() == 30
    assert "edges" not in result.sentences


# -- complete or incomplete -----------------------------------------------------------------------------


def test_whatever_was_reviewed_is_complete():
    rows = {"grader": ["ada", "ada", "bob", "eve"], "item": ["x", "y", "x", "w"], "rank": [1, 2, 1, 1]}

    result = grade(rows, owners={"student": ["eve", "ada"], "item": ["w", "z"]}, complete=True)

    assert dict(result.items.select("item", "completion").iter_rows()) == {
        "x": "complete", "y": "complete", "w": "incomplete"}  # fmt: skip
    assert result.sentences["complete"].startswith(
        "Complete or incomplete: 2 of 3 items had a review and are"
    )
    assert "points" not in result.items.columns
    assert result.provenance["options"]["complete"] is True
