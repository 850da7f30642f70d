import polars as pl
import pytest

from peerage import DataError, Feedback, check, read_roster
from peerage.checking import Roster, roster_of_reviews
from peerage.reading import read

ORDERS = [("ada", ["A", "B", "C"]), ("bob", ["A", "C"]), ("cyd", ["B", "A"])]
GROUPS = {"student": ["ada", "bob", "cyd"], "group": ["1", "1", "2"]}


def found(roster, orders=ORDERS):
    return {f.code: f.examples() for f in check(Feedback.from_orders(orders), pl.DataFrame(roster)).findings}


def test_own_work_is_found_by_student_and_item():
    assert found({"student": ["ada", "bob", "cyd"], "item": ["A", "B", "C"]})["own-work"] == ["ada on A"]


def test_everybody_grading_others_is_fine():
    assert "own-work" not in found({"student": ["ada", "bob", "cyd"], "item": ["D", "B", "C"]})


def test_without_items_the_work_is_called_after_the_student():
    own = found({"student": ["ada", "bob"]}, [("ada", ["ada", "bob"]), ("bob", ["ada", "cyd"])])

    assert own["own-work"] == ["ada on ada"]


def test_without_items_a_group_owns_what_is_called_after_it():
    own = found(GROUPS, [("ada", ["1", "2"]), ("cyd", ["1"])])

    assert own["own-work"] == ["ada on 1"]
    assert "own-group" not in own


def test_a_mate_s_work_is_of_the_own_group():
    own = found({**GROUPS, "item": ["A", "B", "C"]})

    assert own["own-group"] == ["ada on B", "bob on A"]
    assert own["own-work"] == ["ada on A"]


def test_no_mates_no_finding():
    assert "own-group" not in found({**GROUPS, "group": ["1", "2", "3"], "item": ["A", "B", "C"]})


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


def test_a_complete_roster_has_nobody_missing():
    codes = set(found({"student": ["ada", "bob", "cyd"], "item": ["A", "B", "C"]}))

    assert not codes & {"not-on-roster", "no-feedback", "unreviewed-on-roster"}


def test_a_roster_file_may_use_other_words(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text("Author;Team;Paper\nada; 1 ;A\n\nbob;;B\n", encoding="utf-8")

    roster = read_roster(path)

    assert roster.makers.rows() == [("A", "ada"), ("B", "bob")]
    assert roster.groups.rows() == [("ada", "1")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the roster is empty"),
        ("student,item\n", "the roster has a header but no rows"),
        ("who,what\nada,A\n", "a roster needs a column 'student', and 'item' or 'group' or both"),
        ("student,item\nada,A\n,B\n", "line 3, column 'student': the student is empty"),
    ],
)
def test_a_broken_roster_is_refused(tmp_path, text, message):
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(DataError, match=message):
        read_roster(path)


def test_owner_columns_of_the_feedback_make_a_roster():
    reviews = (
        b"grader,item,score,owner,group\n"
        b"ada,A,1,ada,1\nada,B,2,bob,1\nbob,C,1,2,1\ncyd,B,3,bob,2\ncyd,C,1,2,2\n"
    )

    preflight = check(read(reviews), roster_of_reviews(reviews, {}))

    assert preflight.finding("own-work").examples() == ["ada on A"]
    assert sorted(preflight.finding("own-group").examples()) == ["ada on B", "cyd on C"]
    assert preflight.finding("not-on-roster") is None


@pytest.mark.parametrize(
    "data", [b"grader,item,score\nada,A,1\n", b"t1 ada A > B\n", b"group,A,B\n1,1,2\n", b"# ALT\n1: 1,2\n"]
)
def test_files_without_owners_have_no_roster(data):
    assert roster_of_reviews(data, {}) is None


def test_a_long_file_is_opened_by_its_header_only():
    row = b"ada,item number %d,1\n"
    data = b"grader,item,score\n" + b"".join(row % n for n in range(5_000)) + b"broken\n"

    assert roster_of_reviews(data, {}) is None


def test_owners_may_be_called_authors_and_columns_named():
    data = b"who,what,score,Author\nada,A,1,ada\n"

    roster = roster_of_reviews(data, {"grader": "who", "item": "what"})

    assert isinstance(roster, Roster)
    assert roster.makers.rows() == [("A", "ada")]
