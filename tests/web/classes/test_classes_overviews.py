"""The two overviews: four answers for staff, three lists for a student; and the tabs of staff above them."""

from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.classes.cast import (
    Cast,
    allocate,
    appeal_of,
    assignment,
    begin_ranking,
    move,
    students,
    submit,
    team_up,
)
from tests.web.classes.grading_room import GradingRoom
from tests.web.classes.release_room import ReleaseRoom
from tests.web.page_facts import texts

from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.assignments.queries import assignments_with_dates
from peerage_web.classes.enums import Phase
from peerage_web.classes.grading.models import RunGrade
from peerage_web.classes.grading.services import approve_run
from peerage_web.classes.navigation import ASSIGNMENT_TABS, _fit
from peerage_web.classes.release.models import Helpfulness, HiddenComment
from peerage_web.classes.release.overviews import (
    AssignmentSummary,
    assignment_summaries,
    most_urgent,
    student_overview,
)
from peerage_web.classes.release.services import reveal
from peerage_web.classes.roster.services import drop_member
from peerage_web.classes.submissions.models import Submission


@pytest.fixture
def room(cast) -> ReleaseRoom:
    return ReleaseRoom(cast)


def glance(where: Assignment) -> AssignmentSummary:
    (found,) = assignment_summaries([where], timezone.now())
    return found


def text_for(cast: Cast, number: int = 0) -> str:
    return cast.client(cast.students[number]).get(cast.course.get_absolute_url()).content.decode()


def test_everything_is_in_once_nobody_is_missing(room):
    found = glance(room.assignment)
    assert (found.with_submission, found.students, found.rankings, found.reviewers) == (4, 5, 4, 4)
    assert not found.is_everything_in

    late = submit(room.assignment, room.members[4])
    assert glance(room.assignment).is_everything_in

    # a submission that came after the ranking is still to do
    allocate(room.assignment, room.members[4], [late])
    Review.objects.filter(submission=late).update(reviewer=room.members[0], label="X")
    assert (glance(room.assignment).rankings, glance(room.assignment).reviewers) == (3, 4)

    # submissions of those who left do not stand for others
    drop_member(member=room.members[1], by=room.by)
    assert (glance(room.assignment).with_submission, glance(room.assignment).students) == (4, 4)


def test_a_team_has_submitted_for_all_its_members(cast):
    where = assignment(cast.course, in_teams=True, phase=Phase.SUBMITTING)
    team = team_up(where, cast.students[:2])
    submission = submit(where, cast.students[0])
    Submission.objects.filter(pk=submission.pk).update(author=None, team=team)

    assert glance(where).with_submission == 2


def test_grades_are_told_by_the_approved_run(room):
    assert glance(room.assignment).run is None
    approved = room.run(letters=True)
    newer = room.run(shift=1)
    type(newer).objects.filter(pk=newer.pk).update(approved_at=None)

    found = glance(room.assignment)

    assert (found.run, found.width, found.letters, found.unsure_letters) == (approved, 16.0, 4, 4)

    settled = approved.grades.filter(rank=1)  # no width: it does not make the others look surer
    settled.update(staff=90, points_low=90, points_high=90)
    assert glance(room.assignment).width == 16.0


def test_people_to_talk_to_and_submissions_to_look_at_which_observers_do_not_see(room, cast):
    room.run()
    RunGrade.objects.filter(attention=1).update(staff=80.0)  # staff have looked at it already
    room.release()
    appeal_of(room.assignment, room.members[1], room.submissions[1], room.grade_of(1).release)
    review = room.reviews_of(2)[0]
    Helpfulness.objects.create(review=review, by=room.members[2], rating=1)
    HiddenComment.objects.create(comment=review.comments.get(), reason="x", by=room.by)
    Report.objects.create(review=review, reason="blank")
    allocate(room.assignment, room.members[4], [room.submissions[0]])

    found = glance(room.assignment)

    assert {one.membership: one.why for one in found.people} == {
        room.members[1]: "appeal",
        room.members[3]: "reversed",
        review.reviewer: "hidden",
        room.members[4]: "absent",
    }
    assert [one.submission for one in found.to_review] == room.submissions[1:]
    assert (found.appeals, found.reports, found.unhelpful) == (1, 1, 1)
    for path in (cast.course.get_absolute_url(), room.page()):
        text = cast.client("assistant").get(path).content.decode()
        assert "has appealed" in text
        assert "ranks opposite to the other reviewers" in text
        assert "16 points wide" in text
        text = cast.client("observer").get(path).content.decode()
        assert "Is everything in?" in text
        assert "How certain are the grades?" not in text
        assert "ranks opposite to the other reviewers" not in text


def test_of_many_absent_a_few_are_named_and_nobody_before_the_date(room, cast):
    more = students(cast.course, 7, "absent")
    for one in more:
        allocate(room.assignment, one, [room.submissions[0]])
    drop_member(member=more[0], by=room.by)

    found = glance(room.assignment)
    assert [one.membership for one in found.people] == more[1:6]
    assert found.more_people == 1
    assert "and 1 more" in cast.client("assistant").get(room.page()).content.decode()

    move(room.assignment, Phase.REVIEWING)
    assert glance(room.assignment).people == []

    past = timezone.now() - timedelta(days=1)
    room.assignment.due_at, room.assignment.reviews_due_at = past - timedelta(days=1), past
    room.assignment.save()
    assert [one.why for one in glance(room.assignment).people] == ["absent"] * 5


def test_running_assignments_stand_first_and_set_up_ones_not_at_all(cast):
    phases = (Phase.RELEASED, Phase.SETUP, Phase.REVIEWING, Phase.SUBMITTING)
    made = [assignment(cast.course, phase=phase) for phase in phases]

    assert most_urgent(made) == [made[3], made[2], made[0]]


def test_what_is_due_and_what_is_saved(cast):
    where, me = cast.assignment, cast.students[0]

    def due_and_saved() -> tuple[list[str], dict[str, bool]]:
        found = student_overview(me, assignments_with_dates(me), timezone.now())
        return [one.task for one in found.due], {one.task: one.is_done for one in found.saved}

    move(where, Phase.SUBMITTING)
    assert due_and_saved() == (["submission"], {})
    submission = submit(where, me)
    assert due_and_saved() == ([], {"submission": True})
    submission.versions.update(submitted_at=None)
    assert due_and_saved() == (["submission"], {"submission": False})
    assert "not submitted" in text_for(cast)

    submission.versions.update(submitted_at=timezone.now())
    move(where, Phase.REVIEWING)
    allocate(where, me, [submit(where, one) for one in cast.students[1:3]])
    assert due_and_saved() == (["reviews"], {"submission": True})
    begin_ranking(where, me)
    assert due_and_saved() == (["reviews"], {"submission": True, "reviews": False})
    assert "review 2 submissions and submit your ranking" in text_for(cast)


def test_what_came_back_is_ones_own_and_has_no_figure_before_the_grade_was_shown(room, cast):
    room.run()
    room.release()
    text, me = text_for(cast, 1), room.members[1]
    assert "your grade and feedback are ready" in text
    assert "74 points" not in text
    assert "Who should you talk to" not in text
    assert [one.membership for one in student_overview(me, [], timezone.now()).back] == [me]

    room.rate(1)
    reveal(assignment=room.assignment, member=me)
    assert "74 points" in text_for(cast, 1)


def test_a_page_belongs_to_the_tab_it_is_reached_from():
    links = {link: str(tab.label) for tab in ASSIGNMENT_TABS for link in tab.links}
    pages = {
        "grading-run": "Grades", "grading-plan": "Settings", "survey-staff": "Settings",
        "submission-for": "Submissions", "release-as": "Grades", "release-reviewers": "Reviews",
        "rank-for": "Reviews", "remind": "Students",
    }  # fmt: skip

    assert {name: links[max(links, key=lambda link: _fit(link, name))] for name in pages} == pages


def test_staff_see_the_tabs_that_lead_somewhere_and_the_next_thing_to_do(cast):
    client, path = cast.client("instructor"), cast.assignment.get_absolute_url()

    def tabs(word: str) -> str:
        return " ".join(str(tab.label) for tab in cast.client(word).get(path).context["navigation"].tabs)

    move(cast.assignment, Phase.SUBMITTING)
    assert tabs("instructor") == "Overview Students Submissions Reviews Settings", "no grades yet"
    room = GradingRoom(cast)
    assert cast.client("student").get(path).context.get("navigation") is None
    assert tabs("observer") == "Overview Students"
    assert tabs("instructor") == "Overview Students Submissions Reviews Grades Settings"

    def primary() -> list[str]:
        return texts(client.get(path), ".primary")

    assert primary() == ["Grade the class now"]
    run = room.run()
    assert primary() == ["Check the grades"]
    approve_run(run=run, by=room.by)
    assert primary() == ["Preview and release grades"]
