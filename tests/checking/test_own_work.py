"""Which reviews are of own work, and the feedback without them."""

import numpy as np
import pytest

from peerage import Feedback, MethodError, check, read_roster
from peerage.checking.own_work import judged

ORDERS = [("ada", ["A", {"B", "C"}, "D"]), ("bob", ["B", "A"]), ("cyd", ["C"])]
ROSTER = {"student": ["ada", "bob", "cyd", "dan"], "item": ["B", "C", "C", "D"]}


def without(orders, roster=None, **options):
    people = None if roster is None else read_roster(roster)
    return judged(Feedback.from_orders(orders), people, **options)


def test_the_rest_of_the_list_stays_as_it_was_ranked_with_its_scores():
    found = without(ORDERS, ROSTER)
    scored = Feedback.from_columns(["ada"] * 3, ["A", "B", "C"], score=[3.0, 2.0, 1.0])

    assert list(found.feedback.orders()) == [("ada", [["A"], ["C"], ["D"]]), ("bob", [["B"], ["A"]])]
    assert found.left_out.rows() == [("1", "ada", "B", "roster"), ("1", "cyd", "C", "roster")]
    assert judged(scored, read_roster(ROSTER)).feedback.scores.tolist() == [3.0, 1.0]


def test_kept_reviews_are_all_there():
    found = without(ORDERS, ROSTER, own_work="keep")

    assert found.feedback.n_entries == 7
    assert found.left_out.is_empty()
    assert len(found.own) == 2
    with pytest.raises(MethodError, match="own_work must be one of 'drop', 'keep', not 'some'"):
        without(ORDERS, ROSTER, own_work="some")


def test_a_member_of_the_team_may_not_judge_the_team_s_work():
    roster = {"student": ["ada", "bob", "cyd"], "group": ["x", "x", "y"], "item": ["P", None, "Q"]}

    found = without([("bob", ["P", "Q"]), ("cyd", ["P", "Q"])], roster)

    assert found.left_out.select("grader", "item").rows() == [("bob", "P"), ("cyd", "Q")]


def test_mates_who_made_works_of_their_own_are_reported_and_count():
    roster = {"student": ["ada", "bob"], "group": ["x", "x"], "item": ["P", "Q"]}

    found = without([("bob", ["P", "R"])], roster)

    assert found.left_out.is_empty()
    assert found.group.select("grader", "item").rows() == [("bob", "P")]


def test_equal_labels_are_own_work_where_nobody_says_who_made_it():
    orders = [("ada", ["ada", "bob"]), ("bob", ["ada", "cyd"])]

    assert without(orders).left_out.rows() == [("1", "ada", "ada", "label")]
    assert list(without(orders).feedback.orders()) == [("bob", [["ada"], ["cyd"]])]
    assert without(orders, {"student": ["zoe"], "item": ["ada"]}).left_out.is_empty()


def test_labels_of_another_task_are_told_apart():
    feedback = Feedback.from_columns(
        ["ada"] * 4, ["ada", "bob", "cyd", "dan"], rank=[1, 2, 1, 2], task=["t1", "t1", "t2", "t2"]
    )

    assert judged(feedback, None).left_out.rows() == [("t1", "ada", "ada", "label")]


def test_pairs_stay_pairs():
    pairs = [("ada", ["A", "B"]), ("ada", ["A", "C"]), ("bob", ["B", "C"])]

    found = without(pairs, {"student": ["ada"], "item": ["B"]})

    assert found.feedback.kind == "pairs"
    assert [order for _, order in found.feedback.orders()] == [[["A"], ["C"]], [["B"], ["C"]]]
    assert found.left_out.select("grader", "item").rows() == [("ada", "B")]


def test_the_check_counts_what_will_be_graded_and_says_what_will_not():
    preflight = check(Feedback.from_orders(ORDERS), ROSTER)
    kept = check(Feedback.from_orders(ORDERS), ROSTER, own_work="keep")

    assert (preflight.counts.reviews, kept.counts.reviews) == (5, 7)
    assert "left out of the grading" in preflight.finding("own-work").means
    assert "They count, as asked for" in kept.finding("own-work").means


def test_the_check_asks_about_equal_labels():
    finding = check(Feedback.from_orders([("1", ["1", "2"]), ("2", ["1", "3"])])).finding("own-label")

    assert finding.severity == "warning"
    assert finding.examples() == ["1 on 1"]
    assert "reviews of own work count" in finding.advice


def test_everything_may_be_own_work():
    found = without([("ada", ["A"]), ("bob", ["B"])], {"student": ["ada", "bob"], "item": ["A", "B"]})

    assert found.feedback.n_entries == 0
    assert np.array_equal(found.feedback.item_reviews, [0, 0])
