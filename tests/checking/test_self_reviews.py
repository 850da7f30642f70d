"""Which reviews are of own work, and the feedback without them."""

import polars as pl
import pytest

from peerage import DataError, Feedback, MethodError, check, read_roster
from peerage.checking.self_reviews import select_reviews

ORDERS = [("ada", ["A", {"B", "C"}, "D"]), ("bob", ["B", "A"]), ("cyd", ["C"])]
ROSTER = {"student": ["ada", "bob", "cyd", "dan"], "item": ["B", "C", "C", "D"]}


def without(orders, roster=None, **options):
    people = None if roster is None else read_roster(roster)
    return select_reviews(Feedback.from_orders(orders), people, **options)


def test_the_rest_of_the_list_stays_as_it_was_ranked_with_its_scores():
    found = without(ORDERS, ROSTER)
    scored = Feedback.from_columns(["ada"] * 3, ["A", "B", "C"], score=[3.0, 2.0, 1.0])

    assert list(found.feedback.orders()) == [("ada", [["A"], ["C"], ["D"]]), ("bob", [["B"], ["A"]])]
    assert found.left_out.rows() == [("1", "ada", "B", "roster"), ("1", "cyd", "C", "roster")]
    assert select_reviews(scored, read_roster(ROSTER)).feedback.scores.tolist() == [3.0, 1.0]


def test_kept_reviews_are_all_there():
    found = without(ORDERS, ROSTER, self_reviews="keep")

    assert found.feedback.n_entries == 7
    assert found.left_out.is_empty()
    assert len(found.own) == 2
    with pytest.raises(MethodError, match="self_reviews must be one of 'drop', 'keep', not 'some'"):
        without(ORDERS, ROSTER, self_reviews="some")


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

    assert select_reviews(feedback, None).left_out.rows() == [("t1", "ada", "ada", "label")]


def test_pairs_stay_pairs():
    pairs = [("ada", ["A", "B"]), ("ada", ["A", "C"]), ("bob", ["B", "C"])]

    found = without(pairs, {"student": ["ada"], "item": ["B"]})

    assert found.feedback.kind == "pairs"
    assert [order for _, order in found.feedback.orders()] == [[["A"], ["C"]], [["B"], ["C"]]]
    assert found.left_out.select("grader", "item").rows() == [("ada", "B")]


def test_everything_may_be_own_work():
    found = without([("ada", ["A"]), ("bob", ["B"])], {"student": ["ada", "bob"], "item": ["A", "B"]})

    assert found.feedback.n_entries == 0
    assert found.feedback.item_reviews.tolist() == [0, 0]


def test_the_check_counts_what_will_be_graded_and_says_what_will_not():
    preflight = check(Feedback.from_orders(ORDERS), ROSTER)
    kept = check(Feedback.from_orders(ORDERS), ROSTER, self_reviews="keep")

    assert (preflight.counts.reviews, kept.counts.reviews) == (5, 7)
    assert "left out of the grading" in preflight.finding("own-work").means
    assert "They count, as asked for" in kept.finding("own-work").means


def test_the_check_asks_about_equal_labels():
    finding = check(Feedback.from_orders([("1", ["1", "2"]), ("2", ["1", "3"])])).finding("own-label")

    assert finding.severity == "warning"
    assert finding.examples() == ["1 on 1"]
    assert "reviews of own work count" in finding.advice


REVIEWS = [("ada", ["A", "B", "C"]), ("bob", ["A", "C"]), ("cyd", ["B", "A"])]
PLAIN = {"student": ["ada", "bob", "cyd"], "item": ["A", "B", "C"]}
GROUPS = {"student": ["ada", "bob", "cyd"], "group": ["1", "1", "2"]}
STAFF = {
    "student": ["ada", "bob", "cyd", "tina", "dan"],
    "item": ["A", "B", "C", None, None],
    "role": [None, None, None, "staff", None],
    "submits": [None, None, None, None, "no"],
    "reviews": [None, None, None, None, 0],
}
OF_ROSTERS = {"own-work", "own-group", "own-label", "not-on-roster", "no-feedback", "unreviewed-on-roster"}


@pytest.mark.parametrize(
    ("orders", "roster", "expected"),
    [
        (REVIEWS, PLAIN, {"own-work": ["ada on A"]}),
        (REVIEWS, {**PLAIN, "item": ["D", "B", "C"]}, {"unreviewed-on-roster": ["D"]}),
        # without items the work is called after the student or the group
        (
            [("ada", ["ada", "bob"]), ("bob", ["ada", "cyd"])],
            {"student": ["ada", "bob"]},
            {"own-work": ["ada on ada"]},
        ),
        ([("ada", ["1", "2"]), ("cyd", ["1"])], GROUPS, {"own-work": ["ada on 1"], "no-feedback": ["bob"]}),
        # the work of a mate; a student may be in several groups
        (REVIEWS, {**GROUPS, **PLAIN}, {"own-work": ["ada on A"], "own-group": ["ada on B", "bob on A"]}),
        (REVIEWS, {**PLAIN, "group": ["1", "2", "3"]}, {"own-work": ["ada on A"]}),
        (
            REVIEWS,
            {"student": ["ada", "ada", "bob"], "group": ["1", "2", "2"], "item": ["D", "E", "B"]},
            {"own-group": ["ada on B"], "not-on-roster": ["cyd"], "unreviewed-on-roster": ["D", "E"]},
        ),
        # who and what is missed: staff and those who do not review are not
        (
            REVIEWS,
            {"student": ["ada", "bob", "dan"], "item": ["A", "B", "D"]},
            {
                "own-work": ["ada on A"],
                "not-on-roster": ["cyd"],
                "no-feedback": ["dan"],
                "unreviewed-on-roster": ["D"],
            },
        ),
        (REVIEWS, STAFF, {"own-work": ["ada on A"]}),
        # a class that names no tasks may have a roster that does
        (REVIEWS, {**PLAIN, "task": ["hw1"] * 3}, {"own-work": ["ada on A"]}),
    ],
)
def test_the_check_finds_own_work_and_compares_roster_and_feedback(orders, roster, expected):
    findings = check(Feedback.from_orders(orders), pl.DataFrame(roster, strict=False)).findings

    assert {f.code: f.examples() for f in findings if f.code in OF_ROSTERS} == expected


TWO_TASKS = Feedback.from_columns(
    ["ada", "ada", "bob", "bob"] * 2, ["A", "B"] * 4, rank=[1, 2, 1, 2] * 2, task=["hw1"] * 4 + ["hw2"] * 4
)


GROUPS_OF_TASKS = {
    "student": ["ada", "bob", "ada", "bob"],
    "task": ["hw1", "hw1", "hw2", "hw2"],
    "group": ["x", "x", "x", "y"],
    "item": ["C", "B", "C", "B"],
}
ITEMS_OF_TASKS = {"student": ["ada", "bob", "cyd"], "task": ["hw1", "hw2", "hw3"], "item": ["A", "C", "D"]}


@pytest.mark.parametrize(
    ("roster", "code", "example"),
    [
        ({"student": ["ada"], "item": ["A"], "task": ["hw2"]}, "own-work", "ada on A in task hw2"),
        (GROUPS_OF_TASKS, "own-group", "ada on B in task hw1"),
        (ITEMS_OF_TASKS, "unreviewed-on-roster", "C in task hw2"),
    ],
)
def test_equal_labels_groups_and_items_are_those_of_their_task(roster, code, example):
    assert check(TWO_TASKS, roster).finding(code).examples() == [example]


def test_a_roster_of_other_tasks_is_refused():
    roster = {"student": ["ada", "bob"], "task": ["HW1", "HW2"], "item": ["A", "B"]}

    with pytest.raises(DataError, match=r"the roster's tasks \('HW1', 'HW2'\) are not those of the class"):
        check(TWO_TASKS, roster)
