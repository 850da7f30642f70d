import json

import numpy as np
import polars as pl
import pytest

from peerage import Feedback, GradingResult, Mallows, MethodError, PlackettLuce, fit, grade, simulate
from peerage.grading.items import item_ranks, reading_order
from peerage.grading.output.results_json import record

ORDERS = Feedback.from_lists([list("xyz"), list("xzy"), list("yxz"), list("xyz")], graders="abcd")
PAIRS = Feedback.from_orders([(g, o) for g in "abc" for o in (["x", "y"], ["y", "z"], ["x", "z"])])
THREE_EACH = list("aaabbbcccddd"), list("xyz") * 4
SCORES = Feedback.from_columns(*THREE_EACH, score=[9, 6, 3, 8, 7, 4, 9, 5, 5, 7, 7, 2])
BOTH = Feedback.from_columns(
    *THREE_EACH,
    rank=[1, 2, 3] * 4,
    score=[9, 6, 3, 8, 7, 4, 9, 5, 5, 7, 8, 2],  # the last grader's scores contradict the ranks
)


@pytest.mark.parametrize(
    ("feedback", "code"), [(ORDERS, "PL+G"), (PAIRS, "BT+G"), (SCORES, "NCS+G"), (BOTH, "COMBINED+G")]
)
def test_the_method_follows_the_feedback_and_says_why(feedback, code):
    result = grade(feedback)

    assert isinstance(result, GradingResult)
    assert result.method.code == code
    assert result.sentences["method"].startswith(f"Peerage chose {code}, because graders")
    assert result.items["item"].to_list() == ["x", "y", "z"]


@pytest.mark.parametrize("code", ["pl", "bt+g", "thur", "mals", "mal", "malbc", "mal+k", "malbc+g"])
def test_every_method_for_orders_gives_a_full_result(code):
    result = grade(ORDERS, method=code, scale="0:100", curve="70:12", letters="A:34%,B:66%")

    assert result.method.code == code.upper()
    assert (result.items["points_low"] <= result.items["points"]).all()
    assert result.items["points"].mean() == pytest.approx(70)
    assert result.items["letter"].to_list() == ["A", "B", "B"]
    json.dumps(record(result), allow_nan=False)


def test_a_method_asked_for_keeps_its_priors_and_its_scores():
    result, ready_made = grade(ORDERS, method="pl+g"), grade(ORDERS, method=PlackettLuce(score_variance=2.0))

    np.testing.assert_array_equal(result.fitted.scores_, fit(ORDERS, "pl+g", identified=True).scores_)
    assert result.method.params["score_variance"] == 9.0
    assert ready_made.method.params["score_variance"] == 2.0
    assert not result.method.chosen


@pytest.mark.parametrize("method", ["pl+g", "PL", None])
def test_a_code_is_not_told_otherwise_whether_reliabilities_are_estimated(method):
    for reliability in (True, False):
        with pytest.raises(MethodError, match=r"by itself whether .* PL has none, PL\+G has them"):
            grade(ORDERS, method=method, params={"reliability": reliability})


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        (PlackettLuce(reliability=True), {"reliability": False}, "PL"),
        (Mallows(), {"borda": True, "reliability": True}, "MALBC+G"),
        ("mal", {"borda": True}, "MALBC"),
        ("malbc+g", {"borda": False, "kemenize": True}, "MAL+K+G"),
    ],
)
def test_the_code_is_that_of_what_was_fitted(method, params, code):
    used = grade(ORDERS, method=method, params=params).method

    assert used.code == code
    assert {name: used.params[name] for name in params} == params


@pytest.mark.parametrize("code", ["combined", "COMBINED+G"])
def test_orders_and_scores_together_can_be_asked_for(code):
    result = grade(BOTH, method=code, scale="0:10", compare=["all"])

    assert result.method.code == code.upper()
    assert result.sentences["method"].startswith(
        f"{code.upper()}, as asked for: Plackett-Luce and the normal"
    )
    assert result.fitted.reliability == code.endswith("+G")
    assert {"COMBINED", "COMBINED+G"} <= set(result.comparison.codes)


def test_the_chosen_method_learns_its_priors_unless_told():
    learned, given = grade(ORDERS), grade(ORDERS, prior="given")

    assert learned.method.params["score_variance"] != given.method.params["score_variance"] == 3.0
    assert "learned from this class" in learned.sentences["method"]


def test_rows_and_numbers_of_items_match():
    feedback = simulate(items=30, graders=40, per_grader=4, seed=1).feedback()

    result = grade(feedback, method="malbc", bootstrap=20)

    scores = result.fitted.scores_
    assert feedback.item_labels.gather(result.order).to_list() == result.items["item"].to_list()
    np.testing.assert_array_equal(result.items["score"], scores[result.order])
    np.testing.assert_array_equal(result.items["rank"], item_ranks(feedback, scores)[result.order])


def test_ranks_agree_with_the_table_over_tasks_and_ties():
    two = Feedback.from_columns(
        list("aaaabb"), ["x", "y", "x", "y", "x", "y"], rank=[1, 2, 1, 1, 2, 1], task=list("112211")
    )
    fitted = fit(two, "bt")
    places = item_ranks(two, fitted.scores_)

    order = reading_order(two, places)

    table = fitted.grades()
    assert places[order].tolist() == table["rank"].to_list() == [1, 1, 1, 1]
    assert two.item_labels.gather(order).to_list() == table["item"].to_list()


def test_the_same_seed_gives_the_same_result():
    one, two = (record(grade(SCORES, scale="0:10", letters="A>=7,B", seed=3)) for _ in range(2))

    assert json.dumps(one) == json.dumps(two)


def test_without_staff_grades_validity_is_said_to_be_unknown():
    result = grade(ORDERS)

    assert result.validity is None
    assert "unknown" in result.sentences["validity"]
    assert "not say how far peers are from staff" in result.sentences["intervals"]


def test_baselines_are_always_beside_the_method():
    assert grade(ORDERS).comparison.codes == ("PL+G", "MALBC")
    assert grade(SCORES).comparison.codes == ("NCS+G", "SCAVG", "MALBC")
    assert grade(ORDERS, method="malbc", compare=["bt", " PL "]).comparison.codes == ("MALBC", "BT", "PL")


def test_a_baseline_that_refuses_the_scores_does_not_stop_the_grades():
    feedback = Feedback.from_columns(list("aabb"), list("xyxy"), score=[1e16, 2.0, 3.0, 1.0])

    result = grade(feedback, method="bt", compare=["combined"])

    assert result.items["item"].to_list() == ["x", "y"]
    assert "MALBC" in result.comparison.codes
    for refused in ("SCAVG could not be held beside it: ", "COMBINED could not be held beside it: "):
        assert refused in result.comparison.sentence


def test_the_comparison_says_how_far_items_move():
    found = grade(simulate(items=12, graders=20, per_grader=4, seed=5).feedback(), compare=["all"]).comparison

    assert {"THUR+G", "SCAVG", "MALBC"} <= set(found.codes)
    assert "COMBINED" not in found.codes  # needs orders beside the scores
    for row in found.summary.iter_rows(named=True):
        moves = (found.ranks[found.codes[0]] - found.ranks[row["method"]]).abs()
        assert (row["mean_move"], row["largest_move"]) == (pytest.approx(moves.mean()), moves.max())
        assert row["item"] in found.ranks["item"].filter(moves == moves.max())
    assert found.summary["largest_move"].max() > 0


def test_items_nobody_reviewed_are_named_not_judged():
    result = grade(ORDERS.with_items(["lost"]))

    assert result.items.filter(item="lost")["reviews"].item() == 0
    assert result.sentences["unreviewed"].startswith("1 item has no review at all")


def test_steps_are_announced():
    steps = []

    grade(ORDERS, on_step=steps.append)

    assert "estimating scores" in steps
    assert "looking at graders" in steps


def test_several_tasks_are_graded_apart():
    two = Feedback.from_columns(
        list("aabb") * 2, ["x", "y"] * 4, rank=[1, 2, 1, 2, 2, 1, 2, 1], task=["1"] * 4 + ["2"] * 4
    )

    result = grade(two, letters="A:50%,B:50%")

    best = result.items.filter(pl.col("rank") == 1)
    assert best.select("task", "item", "letter").rows() == [("1", "x", "A"), ("2", "y", "A")]


def test_one_item_and_one_grader_are_graded_too():
    result = grade(Feedback.from_orders([("ada", ["x"])]))

    assert result.items["rank"].to_list() == [1]
    assert result.graders["flag"].to_list() == ["ties"]
    assert result.class_figures.is_empty()
    assert result.strategic.is_empty()
    assert "strategic" not in result.sentences
