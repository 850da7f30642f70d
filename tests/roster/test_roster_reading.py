"""One roster for everything: whatever file it is in, whatever its columns are called."""

import io
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import peerage
from peerage import DataError, read_roster
from peerage.grading.output.export import gradebook
from peerage.reading.content import Content

EXAMPLES = Path(__file__).parents[2] / "examples"
COLUMNS = {"student": ["José", "bob"], "group": ["x", None], "item": ["p1", "p2"], "phone": ["1", "2"]}
TEXT = "student,group,item,phone\nJosé,x,p1,1\nbob,,p2,2\n"


def test_every_kind_of_table_gives_the_same_roster(tmp_path):
    path, workbook = tmp_path / "roster.csv", io.BytesIO()
    path.write_bytes(TEXT.replace(",", ";").encode("cp1252"))
    pl.DataFrame(COLUMNS).write_excel(workbook)

    named = Content(TEXT.encode(), "people.csv")
    for source in (path, named, workbook.getvalue(), COLUMNS, pl.LazyFrame(COLUMNS), pd.DataFrame(COLUMNS)):
        roster = read_roster(source)

        assert roster.makers.rows() == [(None, "p1", "José"), (None, "p2", "bob")]
        assert roster.groups.rows() == [(None, "José", "x")]
        assert roster.cells["phone"].to_list() == ["1", "2"]


def test_one_roster_serves_the_whole_package():
    feedback = peerage.read(EXAMPLES / "posters" / "feedback.csv")
    roster = read_roster(EXAMPLES / "posters" / "roster.csv")

    allocation = peerage.allocate(roster, 3)
    result = peerage.grade(feedback, method="scavg", owners=roster, scale="0:10")

    own = roster.makers.select(grader="student", item="item")
    assert allocation.table().join(own, on=["grader", "item"]).is_empty()
    assert set(allocation.table()["item"]) == set(feedback.item_labels)
    assert set(peerage.next_reviews(feedback, "student001", 3, roster=roster)) <= set(feedback.item_labels)
    assert peerage.repair(allocation, roster, 3).changes.is_empty()
    assert peerage.check(feedback, roster).finding("not-on-roster") is None
    assert gradebook(result, roster, "moodle")["Peer grade"].null_count() == 0


def test_columns_may_be_called_otherwise(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text("Author;Team;Paper ID;Email address\nada; 1 ;A;a@x.org\n\nbob;;B;\n", encoding="utf-8")

    roster = read_roster(path)

    named = {"student": "Author", "item": "Paper ID", "group": "Team", "email": "Email address"}
    assert roster.columns == named
    assert roster.makers.rows() == [(None, "A", "ada"), (None, "B", "bob")]
    assert roster.groups.rows() == [(None, "ada", "1")]
    assert roster.notes == ("1 empty row left out: line 3",)


def test_columns_can_be_named_and_left_out_and_the_plainest_name_wins():
    roster = read_roster({"Matrikel": [7, 8], "work": ["a", "b"]}, student="Matrikel", item="")
    plain = read_roster({"name": ["Ada"], "user": ["ada1"], "student id": ["7"]})
    floats = read_roster(pd.DataFrame({"student": [7.0, 8.0], "item": [1523.0, None]}))

    assert roster.makers.rows() == [(None, "7", "7"), (None, "8", "8")]
    assert plain.students.to_list() == ["ada1"]
    assert read_roster(plain) is plain
    assert repr(plain) == "<Roster: 1 people, 1 works>"
    assert floats.makers.rows() == [(None, "1523", "7"), (None, "8", "8")]


def test_staff_hand_in_nothing():
    roles = ["", "Teaching Assistant", "staff", "EXTERNAL", "Learner"]

    roster = read_roster({"student": [*"abcde"], "role": roles, "submits": ["", "", "y", "", ""]})

    assert roster.rows["role"].to_list() == ["student", "staff", "staff", "external", "student"]
    assert roster.makers["student"].to_list() == ["a", "c", "e"]
    assert roster.reviewers.to_list() == ["a", "e"]


def test_a_task_is_for_its_rows_and_for_those_without_one():
    roster = read_roster({"student": ["ada", "ada", "bob"], "item": [*"xyz"], "task": ["1", "2", None]})

    assert roster.tasks == ("1", "2")
    assert roster.for_task("2").makers.rows() == [("2", "y", "ada"), (None, "z", "bob")]
    assert roster.makers_of("1", "x").to_list() == ["ada"]
    assert roster.makers_of("2", "x").to_list() == []
    with pytest.raises(DataError, match="nobody in task '3'; it has '1'"):
        read_roster({"student": ["ada"], "task": ["1"]}).for_task("3")


def test_every_broken_line_is_named_with_its_fix(tmp_path):
    path = tmp_path / "people.csv"
    text = "student,role,Submits,reviews,conflicts\nada,guest,,,\nbo,,maybe,,\n,,,2,\ncyd,,,two,adda;bob\n"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(DataError) as caught:
        read_roster(path)

    with pytest.raises(DataError, match=r"none\.csv: there is no such file"):
        read_roster(tmp_path / "none.csv")
    assert caught.value.source == str(path)
    assert [str(problem) for problem in caught.value.problems] == [
        "line 2, column 'role': 'guest' is not a role; write one of student, staff, external",
        "line 3, column 'Submits': 'maybe' does not say whether the person submits work;"
        " write yes or no, or leave it empty",
        "line 4, column 'student': the student is empty; name the student or delete the line",
        "line 5, column 'reviews': 'two' is not a number of reviews;"
        " write a whole number, 0 for none, or leave it empty for the common number",
        "line 5, column 'conflicts': 'adda' is neither a student nor a group on the roster;"
        " did you mean 'ada'?",
        "line 5, column 'conflicts': 'bob' is neither a student nor a group on the roster;"
        " did you mean 'bo'?",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("student,item\n", "there is nobody on the roster"),
        ("who,what\nada,A\n", "no column for the student found; name it with student=…; the file has 'who'"),
        ("studnet\nada\n", "'studnet' looks like a misspelt 'student'"),
        ("student,student\nada,bob\n", "column 'student' appears more than once"),
        ("student,Student\nada,bob\n", "'student' and 'Student' could each be the student; choose with"),
        ("student,item\nada\n", "line 2: 'ada' has 1 field, the header has 2"),
    ],
)
def test_unusable_rosters_are_refused(text, message):
    with pytest.raises(DataError, match=message):
        read_roster(text.encode())


def test_a_column_that_cannot_be_text_is_left_out_or_refused():
    table = pl.DataFrame({"student": ["ada"], "clicks": [[1, 2]]})

    assert read_roster(table).cells.columns == ["student"]
    with pytest.raises(DataError, match="column 'clicks' holds List"):
        read_roster(table, item="clicks")
