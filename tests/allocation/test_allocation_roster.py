import numpy as np
import polars as pl
import pytest

from peerage.allocation import read_roster
from peerage.errors import DataError


def write(tmp_path, text):
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_students_submit_and_staff_do_not(tmp_path):
    roster = read_roster(write(tmp_path, "Student,role\nada,\nbob,student\ntina,staff\next,external\n"))

    assert roster.graders.to_list() == ["ada", "bob", "tina", "ext"]
    assert roster.items.to_list() == ["ada", "bob"]
    assert roster.is_staff.tolist() == [False, False, True, True]
    assert roster.lines.tolist() == [2, 3, 4, 5]


def test_submits_overrides_the_role():
    roster = read_roster(
        {"student": ["ada", "bob", "tina"], "role": [None, None, "staff"], "submits": ["no", "", "Yes"]}
    )

    assert roster.items.to_list() == ["bob", "tina"]
    assert roster.own.tolist() == [-1, 0, 1]


def test_a_group_is_kept_from_each_others_work():
    roster = read_roster({"student": ["ada", "bob", "cyd"], "group": ["x", "x", None]})

    assert [roster.barred_of(grader).tolist() for grader in range(3)] == [[0, 1], [0, 1], [2]]


def test_groups_hand_in_one_item_and_single_students_their_own():
    roster = read_roster({"student": ["ada", "bob", "cyd"], "group": ["x", "x", None]}, submissions="group")

    assert roster.items.to_list() == ["x", "cyd"]
    assert roster.own.tolist() == [0, 0, 1]


def test_a_conflict_with_a_group_is_one_with_all_its_work():
    columns = {"student": ["ada", "bob", "cyd"], "group": ["x", "x", None], "conflicts": [None, None, "x"]}

    roster = read_roster(columns)

    np.testing.assert_array_equal(roster.barred_of(2), [0, 1, 2])
    assert roster.declared == {(2, 0), (2, 1), (0, 2), (1, 2)}


def test_every_broken_line_is_named_with_its_fix(tmp_path):
    text = "student,role,submits,reviews,conflicts\nada,tutor,,,\nada,,maybe,,\n,,,2,\ncyd,,,two,adda;bob\n"

    with pytest.raises(DataError) as caught:
        read_roster(write(tmp_path, text))

    assert [str(problem) for problem in caught.value.problems] == [
        "line 2, column 'role': 'tutor' is not a role; write one of student, staff, external",
        "line 3, column 'student': 'ada' is on the roster already (line 2);"
        " delete one of the two lines, or tell the two people apart",
        "line 3, column 'submits': 'maybe' does not say whether the person hands in work;"
        " write yes or no, or leave it empty",
        "line 4, column 'student': the student is empty; name the student or delete the line",
        "line 5, column 'reviews': 'two' is not a number of reviews;"
        " write a whole number, 0 for none, or leave it empty for the common number",
        "line 5, column 'conflicts': 'adda' is neither a student nor a group on the roster;"
        " did you mean 'ada'?",
        "line 5, column 'conflicts': 'bob' is neither a student nor a group on the roster;"
        " separate several names with ';'",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\nada\n", "a roster needs a column 'student'"),
        ("student,Student\nada,bob\n", "several columns 'student'"),
        ("student\n", "there is nobody on the roster"),
        ("", "the roster is empty"),
        ("student,role\ntina,staff\n", "there is nothing to review"),
    ],
)
def test_unusable_rosters_are_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_roster(write(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        read_roster(tmp_path / "none.csv")


def test_a_student_named_like_a_group_is_refused_where_groups_submit():
    columns = {"student": ["x", "bob"], "group": [None, "x"]}

    with pytest.raises(DataError, match="is the name of a group and of a student without a group"):
        read_roster(columns, submissions="group")


def test_unknown_columns_are_noted_and_blank_lines_skipped(tmp_path):
    roster = read_roster(write(tmp_path, "\ufeffstudent,phone\nada,1\n,\nbob,2\n"))

    assert roster.notes == ("ignored columns: phone",)
    assert roster.graders.to_list() == ["ada", "bob"]
    assert roster.lines.tolist() == [2, 4]


def test_a_frame_will_do():
    assert read_roster(pl.DataFrame({"student": [1, 2]})).items.to_list() == ["1", "2"]
