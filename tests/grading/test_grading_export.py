import polars as pl
import pytest

from peerage import DataError, Feedback, grade
from peerage.errors import NoPointsError
from peerage.grading.output.export import gradebook
from peerage.grading.output.files import write_table

FEEDBACK = Feedback.from_columns(list("abcd") * 2, ["p1"] * 4 + ["p2"] * 4, score=[9, 8, 9, 7, 4, 5, 3, 5])
ROSTER = {"student": ["ann", "bea", "cat", "dee"], "item": ["p1", "p1", "p2", "p3"]}
CURVE = {"scale": "0:100", "curve": "75:25"}  # of two items that differ: 100 and 50


@pytest.fixture(scope="module")
def result():
    return grade(FEEDBACK, scale="0:10", letters="A>=7,B")


def test_canvas_has_its_columns_its_row_of_points_and_what_the_roster_knows(result):
    roster = {"Student": ROSTER["student"], "item": ROSTER["item"], "ID": ["1", "2", "3", "4"]}

    book = gradebook(result, ROSTER, "canvas", title="Poster", assignment="123")
    known = gradebook(result, roster, "canvas")

    assert book.columns == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Poster (123)"]
    assert book.row(0) == ("    Points Possible", None, None, None, None, "10")
    assert book["Student"].to_list()[1:] == book["SIS Login ID"].to_list()[1:] == ["ann", "bea", "cat", "dee"]
    assert known["ID"].to_list() == [None, "1", "2", "3", "4"]
    assert known["SIS Login ID"].null_count() == 5


def test_moodle_has_its_columns(result):
    addresses = [f"{student}@example.org" for student in ROSTER["student"]]

    book = gradebook(result, {**ROSTER, "Email address": addresses}, "moodle", title="Poster")

    names = ["First name", "Last name", "ID number", "Institution", "Department", "Email address"]
    assert book.columns[:6] == names
    assert book["Poster"].dtype == pl.Float64
    assert book["Email address"][0] == "ann@example.org"
    assert book["ID number"].null_count() == 4


def test_csv_has_everything_about_a_student_and_groups_the_grade_of_their_group(result):
    groups = {"student": ["ann", "bea"], "group": ["p1", "p2"]}

    book = gradebook(result, ROSTER, "csv")

    assert book.columns[:4] == ["student", "task", "item", "grade"]
    assert book.filter(student="ann")["letter"].item() == "A"
    assert gradebook(result, groups, "csv")["item"].to_list() == ["p1", "p2"]


@pytest.mark.parametrize("book", ["canvas", "moodle"])
def test_a_standing_is_no_grade_to_import(book):
    orders = Feedback.from_orders({"a": ["p1", "p2"], "b": ["p1", "p2"]})

    with pytest.raises(NoPointsError, match="there is no grade to import, and a rank is not one"):
        gradebook(grade(orders), ROSTER, book)
    with pytest.raises(DataError, match="say the scale of the points with scale='LOW:HIGH'"):
        gradebook(grade(FEEDBACK), ROSTER, book)


def test_the_plain_table_has_the_standing_of_everybody():
    book = gradebook(grade(FEEDBACK), ROSTER, "csv")

    assert "grade" not in book.columns
    assert book["rank"].to_list() == [1, 1, 2, None]
    assert book["percentile"].to_list() == [100.0, 100.0, 50.0, None]


@pytest.mark.parametrize("book", ["canvas", "moodle"])
def test_letters_are_the_grade_where_there_are_no_points(book):
    table = gradebook(grade(FEEDBACK, letters="A:50%,B:50%"), ROSTER, book)

    assert table["Peer grade"].to_list()[-4:] == ["A", "A", "B", None]


@pytest.mark.parametrize(("book", "column"), [("canvas", "Peer grade"), ("csv", "grade")])
def test_whoever_has_nothing_that_was_reviewed_is_incomplete(book, column):
    roster = {"student": ["ann", "cat", "dee", "eve"], "item": ["p1", "p2", "p3", None]}

    table = gradebook(grade(FEEDBACK, complete=True), roster, book)

    assert table[column].to_list()[-4:] == ["complete", "complete", "incomplete", "incomplete"]


SWAPPED = Feedback.from_columns(
    ["p", "p", "q", "q"] * 2, ["x", "y"] * 4, rank=[1, 2] * 2 + [2, 1] * 2, task=["t1"] * 4 + ["t2"] * 4
)


def test_every_task_has_a_column():
    book = gradebook(grade(SWAPPED, **CURVE), {"student": ["x", "y"]}, "canvas", title="Peer")

    assert book.columns[5:] == ["Peer t1", "Peer t2"]
    assert book.rows()[1][5:] == ("100.0", "50.0")


@pytest.mark.parametrize("book", ["canvas", "moodle"])
def test_a_grade_is_that_of_the_item_in_its_own_task(book):
    """In t1 x is the best, in t2 y; A made x and then y, B the other two."""
    roster = {"student": ["A", "A", "B", "B"], "item": ["x", "y", "y", "x"], "task": ["t1", "t2"] * 2}

    rows = gradebook(grade(SWAPPED, **CURVE), roster, book, title="Peer").rows()[-2:]

    assert [[float(cell) for cell in row[-2:]] for row in rows] == [[100.0, 100.0], [50.0, 50.0]]


def test_the_csv_book_has_a_row_per_student_and_task():
    roster = {"student": ["A", "A", "B"], "item": ["x", "y", "y"], "task": ["t1", "t2", "t1"]}

    book = gradebook(grade(SWAPPED, **CURVE), roster, "csv")

    assert book.select("student", "task", "item", "grade").rows() == [
        ("A", "t1", "x", 100.0),
        ("A", "t2", "y", 100.0),
        ("B", "t1", "y", 50.0),
    ]


def test_a_row_without_a_task_is_about_every_task():
    book = gradebook(grade(SWAPPED, **CURVE), {"student": ["A", "B"], "group": ["x", "y"]}, "moodle")

    assert [row[-2:] for row in book.rows()] == [(100.0, 50.0), (50.0, 100.0)]


@pytest.mark.parametrize("book", ["canvas", "moodle", "csv"])
def test_two_works_of_a_student_in_one_task_are_refused(book):
    with pytest.raises(DataError) as caught:
        gradebook(grade(SWAPPED, **CURVE), {"student": ["A", "A"], "item": ["x", "y"]}, book)

    assert str(caught.value.problems[0]) == (
        "'A' has several works in task 't1' (x, y);"
        " say in a column 'task' which work is for which task, or keep one row per student"
    )


def test_two_works_that_are_of_different_tasks_need_no_column():
    rows = {"grader": list("ppqq"), "item": list("xzyz"), "rank": [1, 2, 2, 1], "task": list("1122")}

    book = gradebook(grade(rows, **CURVE), {"student": ["A", "A"], "item": ["x", "y"]}, "moodle")

    assert [row[-2:] for row in book.rows()] == [(100.0, 50.0)]


def test_in_one_task_the_csv_book_has_every_work_of_a_student_and_a_row_twice_is_one(result):
    roster = {"student": ["ann", "ann"], "item": ["p1", "p2"]}

    assert len(gradebook(result, {"student": ["ann", "ann"], "item": ["p1", "p1"]}, "moodle")) == 1
    assert gradebook(result, roster, "csv")["item"].to_list() == ["p1", "p2"]
    with pytest.raises(DataError, match=r"'ann' has several works in task '1' \(p1, p2\)"):
        gradebook(result, roster, "moodle")


def test_other_rosters_and_unknown_books_are_refused(result):
    roster = {"student": ["A"], "item": ["x"], "task": ["week 1"]}

    with pytest.raises(DataError, match="the roster's tasks \\('week 1'\\) are not those of the class"):
        gradebook(grade(SWAPPED, **CURVE), roster, "csv")
    with pytest.raises(DataError, match="no column for the student found; name it with student=…"):
        gradebook(result, {"who": ["ann"]}, "canvas")
    with pytest.raises(DataError, match="no grade book format 'blackboard'"):
        gradebook(result, ROSTER, "blackboard")


def test_names_that_are_formulas_are_harmless(result, tmp_path):
    book = gradebook(result, {"student": ["=1+1"], "item": ["p1"]}, "csv")

    write_table(book, tmp_path / "book.csv")

    assert (tmp_path / "book.csv").read_text("utf-8").splitlines()[1].startswith("'=1+1,")


def test_the_grade_to_import_is_the_points(result):
    points = dict(result.items.select("item", pl.col("points").round(2)).iter_rows())

    for name, column in (("moodle", "Peer grade"), ("csv", "grade")):
        grades = gradebook(result, ROSTER, name)[column].to_list()
        assert grades == [points["p1"], points["p1"], points["p2"], None]
