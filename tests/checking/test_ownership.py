import polars as pl
import pytest

from peerage import DataError, Feedback, check

ORDERS = [("ada", ["A", "B", "C"]), ("bob", ["A", "C"]), ("cyd", ["B", "A"])]
PLAIN = {"student": ["ada", "bob", "cyd"], "item": ["A", "B", "C"]}
GROUPS = {"student": ["ada", "bob", "cyd"], "group": ["1", "1", "2"]}


def found(roster, orders=ORDERS):
    return {f.code: f.examples() for f in check(Feedback.from_orders(orders), pl.DataFrame(roster)).findings}


def test_own_work_is_found_by_student_and_item():
    assert found(PLAIN)["own-work"] == ["ada on A"]
    assert "own-work" not in found({**PLAIN, "item": ["D", "B", "C"]})


def test_without_items_the_work_is_called_after_the_student_or_the_group():
    own = found({"student": ["ada", "bob"]}, [("ada", ["ada", "bob"]), ("bob", ["ada", "cyd"])])
    group = found(GROUPS, [("ada", ["1", "2"]), ("cyd", ["1"])])

    assert own["own-work"] == ["ada on ada"]
    assert group["own-work"] == ["ada on 1"]
    assert "own-group" not in group


def test_a_mate_s_work_is_of_the_own_group():
    own = found({**GROUPS, **PLAIN})

    assert own["own-group"] == ["ada on B", "bob on A"]
    assert own["own-work"] == ["ada on A"]
    assert "own-group" not in found({**PLAIN, "group": ["1", "2", "3"]})


def test_a_student_may_be_in_several_groups():
    roster = {"student": ["ada", "ada", "bob"], "group": ["1", "2", "2"], "item": ["D", "E", "B"]}

    assert found(roster)["own-group"] == ["ada on B"]


def test_tasks_keep_equal_labels_apart():
    feedback = Feedback.from_columns(
        ["ada"] * 4, ["A", "B"] * 2, rank=[1, 2, 1, 2], task=["hw1", "hw1", "hw2", "hw2"]
    )
    roster = pl.DataFrame({"student": ["ada"], "item": ["A"], "task": ["hw2"]})

    assert check(feedback, roster).finding("own-work").examples() == ["ada on A in task hw2"]


def test_roster_and_feedback_are_compared():
    finding = found({"student": ["ada", "bob", "dan"], "item": ["A", "B", "D"]})

    assert finding["not-on-roster"] == ["cyd"]
    assert finding["no-feedback"] == ["dan"]
    assert finding["unreviewed-on-roster"] == ["D"]
    assert not set(found(PLAIN)) & {"not-on-roster", "no-feedback", "unreviewed-on-roster"}


def test_staff_and_those_who_do_not_review_are_not_missed():
    finding = found(
        {
            "student": ["ada", "bob", "cyd", "tina", "dan"],
            "item": ["A", "B", "C", None, None],
            "role": [None, None, None, "staff", None],
            "submits": [None, None, None, None, "no"],
            "reviews": [None, None, None, None, 0],
        }
    )

    assert not set(finding) & {"not-on-roster", "no-feedback", "unreviewed-on-roster"}


TWO_TASKS = Feedback.from_columns(
    ["ada", "ada", "bob", "bob"] * 2,
    ["A", "B"] * 4,
    rank=[1, 2, 1, 2] * 2,
    task=["hw1"] * 4 + ["hw2"] * 4,
)


def test_groups_may_differ_from_task_to_task():
    roster = {
        "student": ["ada", "bob", "ada", "bob"],
        "task": ["hw1", "hw1", "hw2", "hw2"],
        "group": ["x", "x", "x", "y"],
        "item": ["C", "B", "C", "B"],
    }

    finding = check(TWO_TASKS, roster).finding("own-group")

    assert finding.examples() == ["ada on B in task hw1"]


def test_items_that_nobody_reviewed_are_those_of_their_task():
    roster = {"student": ["ada", "bob", "cyd"], "task": ["hw1", "hw2", "hw3"], "item": ["A", "C", "D"]}

    assert check(TWO_TASKS, roster).finding("unreviewed-on-roster").examples() == ["C in task hw2"]


def test_a_roster_of_other_tasks_is_refused_but_where_the_class_names_none():
    roster = {"student": ["ada", "bob"], "task": ["HW1", "HW2"], "item": ["A", "B"]}

    with pytest.raises(DataError, match=r"the roster's tasks \('HW1', 'HW2'\) are not those of the class"):
        check(TWO_TASKS, roster)
    assert found({"student": ["ada"], "task": ["hw1"], "item": ["A"]})["own-work"] == ["ada on A"]
