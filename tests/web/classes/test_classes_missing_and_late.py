"""Students without a submission are in every list and export; late ones lose points after grading."""

import csv
import io
from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.classes.cast import extend, students
from tests.web.classes.release_room import ReleaseRoom

from peerage_web.accounts.models import Mail
from peerage_web.accounts.services.tokens import Scope, add_token
from peerage_web.classes.exports.gradebooks import book_file
from peerage_web.classes.grading.final_grades import final_grades, total_of
from peerage_web.classes.grading.models import GradingPlan, Override
from peerage_web.classes.release.models import ReleasedGrade
from peerage_web.classes.release.queries import release_page
from peerage_web.classes.release.services import confirm_run, write_grade_mail
from peerage_web.classes.submissions.models import SubmissionVersion


@pytest.fixture
def room(cast) -> ReleaseRoom:
    return ReleaseRoom(cast, rates_helpfulness=False)


def book(room: ReleaseRoom, name: str = "csv") -> dict[str, dict[str, str]]:
    """The rows of a grade book, by name."""
    made = book_file(assignment=room.assignment, book=name, what="total", by=room.by)
    rows = csv.DictReader(io.StringIO(made.content.decode()))
    return {row.get("name") or str(number): row for number, row in enumerate(rows)}


def grade_of(room: ReleaseRoom, number: int):
    """What a run of now gives this student."""
    grades = {grade.membership: grade for grade in final_grades(room.run(letters=True))}
    return grades[room.members[number]]


def submitted(room: ReleaseRoom, number: int, late: timedelta) -> None:
    """The submission of one came in so long after the due date."""
    room.assignment.due_at = timezone.now() - timedelta(days=9)
    room.assignment.save()
    version = SubmissionVersion.objects.filter(submission=room.submissions[number])
    version.update(is_late=True, submitted_at=room.assignment.due_at + late)


def test_whoever_submitted_nothing_is_listed_before_and_after_release(room):
    run = room.run()
    names = {member.shown_name for member in room.members}
    assert {grade.membership.shown_name for grade in final_grades(run)} == names
    assert {line.membership.shown_name for line in release_page(room.assignment).lines} == names
    assert set(book(room)) == names
    assert room.members[4].shown_name in room.read("instructor", f"grading/runs/{run.key}/")

    room.release()
    (newcomer,) = students(room.assignment.course, 1, "newcomer")

    listed = book(room)
    assert set(listed) == {*names, newcomer.shown_name}
    assert listed[room.members[4].shown_name]["points"] == listed[newcomer.shown_name]["total"] == ""
    assert len(book(room, "moodle")) == 6
    assert not release_page(room.assignment).changed  # to have nothing and get nothing is no change
    write_grade_mail()
    assert Mail.objects.filter(kind="grades").count() == 4  # nobody is told of a grade that is not there


def test_the_instructor_may_give_the_lowest_points_for_no_submission(room):
    GradingPlan.objects.update(missing_get="lowest")
    run = room.run(letters=True)
    confirm_run(run=run, by=room.by)  # more than a third would fail

    room.release()

    grade = room.grade_of(4)
    assert (grade.points, grade.total, grade.letter, grade.points_low) == (0.0, 0.0, "D", None)
    assert book(room)[room.members[4].shown_name]["total"] == "0.0"
    page = room.read(4, "grade/")
    assert "You did not submit anything, so you get the minimum points." in page
    assert "Staff graded" not in page
    explained = "Students without a submission get the minimum points for it."
    assert explained in room.read("instructor", f"grading/runs/{run.key}/")


@pytest.mark.parametrize(
    ("late", "most", "lost"),
    [
        (timedelta(minutes=1), None, 4),
        (timedelta(days=1), None, 4),
        (timedelta(days=1, seconds=1), None, 8),
        (timedelta(days=6), 10, 10),
    ],
)
def test_every_started_day_costs_points_and_the_estimate_stays(room, late, most, lost):
    GradingPlan.objects.update(late_penalty=4, late_penalty_most=most)
    submitted(room, 1, late)
    run = room.run()

    grades = {grade.membership: grade for grade in final_grades(run)}

    grade = grades.pop(room.members[1])
    assert (grade.points, grade.late_penalty) == (70 - lost, lost)
    assert (grade.low, grade.high) == (62 - lost, 78 - lost)
    assert grade.total == total_of(run, 70 - lost, grade.reviewing)  # once, not in the total again
    assert grade.grade.points == 70  # what the run estimated
    assert [other.late_penalty for other in grades.values()] == [0, 0, 0, 0]


def test_a_deduction_ends_at_the_lowest_points_and_follows_the_letter(room):
    GradingPlan.objects.update(late_penalty=50)
    submitted(room, 2, timedelta(hours=1))

    grade = grade_of(room, 2)

    assert (grade.points, grade.late_penalty, grade.low, grade.high) == (0, 50, 0, 8)
    assert (grade.letter, grade.grade.letter) == ("D", "C")  # that of the points that are left


def test_deductions_follow_extensions_and_leave_grades_set_by_hand(room):
    GradingPlan.objects.update(late_penalty=4)
    submitted(room, 1, timedelta(days=3))
    extend(room.assignment, room.members[1], due_at=room.assignment.due_at + timedelta(days=2))

    assert grade_of(room, 1).late_penalty == 4

    Override.objects.create(submission=room.submissions[1], points=65, reason="agreed", by=room.by)

    grade = grade_of(room, 1)
    assert (grade.points, grade.late_penalty) == (65, 0)


def test_the_deduction_is_told_to_the_student_in_files_and_in_the_api(room, cast):
    GradingPlan.objects.update(late_penalty=4, late_penalty_most=12, letters="us")
    submitted(room, 1, timedelta(days=2))
    room.assignment.late_until = timezone.now()
    room.assignment.save()
    room.run(letters=True)
    room.release()

    page = room.read(1, "grade/")

    assert "Points deducted per day late: 4, at most 12." in room.read(1)
    assert "Your submission was late: 8 points were deducted." in page
    assert "<strong>62</strong>" in page
    assert "its probability" not in page  # the run knows the chance of the letter before the deduction
    assert book(room)["Student 2"]["late_penalty"] == "8.0"
    assert ReleasedGrade.objects.get(membership=room.members[1]).late_penalty == 8
    token = add_token(name="t", days=1, scope=Scope(room.assignment.course_id, room.by))
    address = f"/api/v1/courses/{room.assignment.course.key}/assignments/{room.assignment.key}/grades"
    answer = cast.client(None).get(address, headers={"Authorization": f"Bearer {token}"}).json()
    assert sorted(grade["late_penalty"] for grade in answer["grades"]) == [0, 0, 0, 0, 8]
