import polars as pl
import pytest

from peerage import DataError, Feedback, grade
from peerage.grading.output.export import gradebook
from peerage.grading.output.files import write_table

FEEDBACK = Feedback.from_columns(list("abcd") * 2, ["p1"] * 4 + ["p2"] * 4, score=[9, 8, 9, 7, 4, 5, 3, 5])
ROSTER = pl.DataFrame({"student": ["ann", "bea", "cat", "dee"], "item": ["p1", "p1", "p2", "p3"]})


@pytest.fixture(scope="module")
def result():
    return grade(FEEDBACK, scale="0:10", letters="A>=7,B")


def test_canvas_has_its_columns_and_its_row_of_points(result):
    book = gradebook(result, ROSTER, "canvas", title="Poster", assignment="123")

    assert book.columns == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Poster (123)"]
    assert book.row(0) == ("    Points Possible", None, None, None, None, "10")
    assert book["Student"].to_list()[1:] == ["ann", "bea", "cat", "dee"]
    assert book["SIS Login ID"].to_list()[1:] == ["ann", "bea", "cat", "dee"]


def test_makers_of_one_item_get_the_same_grade_and_others_none(result):
    grades = gradebook(result, ROSTER, "canvas")["Peer grade"].to_list()[1:]

    assert grades[0] == grades[1] != grades[2]
    assert grades[3] is None


def test_canvas_keeps_what_the_roster_knows(result):
    roster = ROSTER.rename({"student": "Student"}).with_columns(pl.Series("ID", ["1", "2", "3", "4"]))

    book = gradebook(result, roster, "canvas")

    assert book["ID"].to_list() == [None, "1", "2", "3", "4"]
    assert book["SIS Login ID"].null_count() == 5


def test_moodle_has_its_columns(result):
    roster = ROSTER.with_columns(pl.Series("Email address", [f"{s}@example.org" for s in ROSTER["student"]]))

    book = gradebook(result, roster, "moodle", title="Poster")

    assert book.columns[:6] == [
        "First name",
        "Last name",
        "ID number",
        "Institution",
        "Department",
        "Email address",
    ]
    assert book["Poster"].dtype == pl.Float64
    assert book["Email address"][0] == "ann@example.org"
    assert book["ID number"].null_count() == 4


def test_csv_has_everything_about_a_student(result):
    book = gradebook(result, ROSTER, "csv")

    assert book.columns[:4] == ["student", "task", "item", "grade"]
    assert book.filter(student="ann")["letter"].item() == "A"


def test_groups_get_the_grade_of_their_group(result):
    roster = pl.DataFrame({"student": ["ann", "bea"], "group": ["p1", "p2"]})

    assert gradebook(result, roster, "csv")["item"].to_list() == ["p1", "p2"]


def test_without_points_the_percentile_is_the_grade():
    book = gradebook(grade(FEEDBACK), ROSTER, "moodle")

    assert book["Peer grade"].to_list() == [100.0, 100.0, 50.0, None]


def test_every_task_has_a_column():
    two = Feedback.from_columns(
        list("aabb"), ["x", "y"] * 2, rank=[1, 2, 2, 1], task=["t1", "t1", "t2", "t2"]
    )

    book = gradebook(grade(two), pl.DataFrame({"student": ["x", "y"]}), "canvas", title="Peer")

    assert book.columns[5:] == ["Peer t1", "Peer t2"]
    assert book.rows()[1][5:] == ("100.0", "50.0")


def test_a_roster_without_students_is_refused(result):
    with pytest.raises(DataError, match="needs a roster with a column 'student'; it has 'who'"):
        gradebook(result, pl.DataFrame({"who": ["ann"]}), "canvas")
    with pytest.raises(DataError, match="no grade book format 'blackboard'"):
        gradebook(result, ROSTER, "blackboard")


def test_names_that_are_formulas_are_harmless(result, tmp_path):
    roster = pl.DataFrame({"student": ["=1+1"], "item": ["p1"]})

    write_table(gradebook(result, roster, "csv"), tmp_path / "book.csv")

    assert (tmp_path / "book.csv").read_text("utf-8").splitlines()[1].startswith("'=1+1,")
