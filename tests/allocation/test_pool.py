import numpy as np
import pytest

from peerage import read_roster
from peerage.allocation.pool import as_pool
from peerage.errors import DataError


def test_students_submit_and_staff_do_not():
    pool = as_pool(b"Student,role\nada,\nbob,student\ntina,staff\next,external\n")

    assert pool.graders.to_list() == ["ada", "bob", "tina", "ext"]
    assert pool.items.to_list() == ["ada", "bob"]
    assert pool.is_staff.tolist() == [False, False, True, True]
    assert pool.lines.tolist() == [2, 3, 4, 5]


def test_submits_overrides_the_role():
    pool = as_pool(
        {"student": ["ada", "bob", "tina"], "role": [None, None, "staff"], "submits": ["no", "", "Yes"]}
    )

    assert pool.items.to_list() == ["bob", "tina"]
    assert pool.own.tolist() == [-1, 0, 1]


def test_a_group_is_kept_from_each_others_work_or_hands_in_one_item():
    columns = {"student": ["ada", "bob", "cyd"], "group": ["x", "x", None]}

    own, together = as_pool(columns), as_pool(columns, submissions="group")

    assert [own.barred_of(grader).tolist() for grader in range(3)] == [[0, 1], [0, 1], [2]]
    assert together.items.to_list() == ["x", "cyd"]
    assert together.own.tolist() == [0, 0, 1]


def test_a_conflict_with_a_group_is_one_with_all_its_work():
    columns = {"student": ["ada", "bob", "cyd"], "group": ["x", "x", None], "conflicts": [None, None, "x"]}

    pool = as_pool(columns)

    np.testing.assert_array_equal(pool.barred_of(2), [0, 1, 2])
    assert pool.declared == {(2, 0), (2, 1), (0, 2), (1, 2)}


def test_somebody_twice_is_refused_with_the_other_line():
    with pytest.raises(DataError) as caught:
        as_pool(b"student,group\nada,x\nbob,x\nada,y\n")

    assert [str(problem) for problem in caught.value.problems] == [
        "line 4, column 'student': 'ada' is on the roster already (line 2);"
        " delete one of the two lines, or tell the two people apart"
    ]


ITEM_LIKE_BOB = {"student": ["ada", "bob"], "item": ["bob", None]}
GROUP_LIKE_BOB = {"student": ["bob", "ada"], "group": [None, "bob"]}
TWO_TASKS = {"student": ["ada", "ada", "tina"], "item": ["x", "y", None], "task": ["1", "2", None]}


@pytest.mark.parametrize(
    ("columns", "submissions", "message"),
    [
        ({"student": ["tina"], "role": ["staff"]}, "student", "there is nothing to review"),
        (ITEM_LIKE_BOB, "student", "'bob' is the name of an item and of a student without one"),
        (GROUP_LIKE_BOB, "group", "'bob' is the name of a group and of a student without a group"),
        (read_roster(TWO_TASKS), "student", "the roster has 2 tasks, and an allocation is for one"),
    ],
)
def test_classes_without_work_names_of_two_things_and_two_tasks_are_refused(columns, submissions, message):
    with pytest.raises(DataError, match=message):
        as_pool(columns, submissions=submissions)


def test_items_of_the_roster_are_what_is_reviewed():
    columns = {"student": ["ada", "bob", "cyd", "dan"], "item": ["p1", "p1", "p2", None]}

    pool = as_pool(columns)

    assert pool.items.to_list() == ["p1", "p2", "dan"]
    assert pool.own.tolist() == [0, 0, 1, 2]


def test_an_item_of_two_groups_is_kept_from_both():
    pool = as_pool({"student": ["ada", "bob", "cyd", "dan"], "group": [*"xyxy"], "item": [*"ppqr"]})

    assert [pool.barred_of(grader).tolist() for grader in range(4)] == [[0, 1], [0, 2], [0, 1], [0, 2]]


def test_an_allocation_is_for_one_task():
    pool = as_pool(read_roster(TWO_TASKS).for_task("2"))

    assert (pool.graders.to_list(), pool.items.to_list()) == (["ada", "tina"], ["y", "tina"])


def test_unused_columns_are_noted_and_blank_lines_skipped():
    pool = as_pool("\ufeffstudent,phone\nada,1\n,\nbob,2\n".encode())

    assert pool.notes == ("1 empty row left out: line 3", "ignored columns: phone")
    assert pool.graders.to_list() == ["ada", "bob"]
    assert pool.lines.tolist() == [2, 4]
