import pytest
import report_cases as cases
from page_rules import parse

from peerage import DataError, Feedback, read_roster
from peerage.report import report_html
from peerage.report.student import beside, works_of

ROSTER = read_roster({"student": ["peer003", "peer099"], "item": ["work005", "work006"]})


def words(student, roster=None, case=cases.lettered):
    return parse(report_html(case(), student=student, roster=roster)).all("main")[0].content


def test_the_page_names_no_other_student_and_no_other_work():
    page = report_html(cases.lettered(), student="peer003", roster=ROSTER)

    others = [f"peer{k:03d}" for k in range(20) if k != 3] + [f"work{k:03d}" for k in range(12) if k != 5]

    assert [name for name in others if name in page] == []
    assert "work005" in page


def test_work_grade_and_reviewing_are_told():
    told = words("peer003", ROSTER)
    item = cases.lettered().items.filter(item="work005").row(0, named=True)
    grader = cases.lettered().graders.filter(grader="peer003").row(0, named=True)

    assert f"Your work has the grade {item['letter']}." in told
    assert f"place {item['rank']} of 12" in told
    assert f"You reviewed {grader['reviews']} pieces of work." in told


@pytest.mark.parametrize(
    ("student", "roster", "case", "told"),
    [
        ("work005", None, cases.lettered, ["Your work: work005", "No reviews of yours are part of this."]),
        ("peer003", None, cases.lettered, ["No work of yours is among what was reviewed here."]),
        ("peer099", ROSTER, cases.lettered, ["Your work: work006"]),
        ("z", None, cases.empty_handed, ["Nobody reviewed it, so the estimate is the middle of the class"]),
        ("ada", None, cases.empty_handed, ["You put no work above other work"]),
    ],
)
def test_a_student_without_work_reviews_or_comparisons_is_told_so(student, roster, case, told):
    page = words(student, roster, case)

    assert [sentence for sentence in told if sentence not in page] == []


def test_an_unknown_student_is_refused_with_a_hint():
    with pytest.raises(DataError, match=r"student 'peer03' is no grader.*did you mean .*'peer003'"):
        report_html(cases.lettered(), student="peer03")


def test_beside_counts_those_below_above_and_level():
    feedback = Feedback.from_orders([("ada", ["x", {"y", "z"}, "v"]), ("bob", ["z", "y"]), ("cyd", ["x"])])

    assert beside(feedback, feedback.item_number("y")) == (2, 1, 2, 1)
    assert beside(feedback, feedback.item_number("x")) == (2, 3, 0, 0)


def test_work_is_the_student_s_or_the_group_s_in_its_own_task_only():
    groups = read_roster({"student": ["ada", "bob"], "group": ["x", "x"]})
    feedback = Feedback.from_columns(
        ["p"] * 4, ["x", "y"] * 2, rank=[1, 2] * 2, task=["t1", "t1", "t2", "t2"]
    )
    roster = read_roster({"student": ["ada", "ada"], "item": ["x", "y"], "task": ["t1", "t2"]})

    made = works_of(feedback, "ada", roster)

    assert made == [feedback.item_number("x", "t1"), feedback.item_number("y", "t2")]
    assert works_of(feedback, "bob", groups) == [feedback.item_number("x", task) for task in ("t1", "t2")]
