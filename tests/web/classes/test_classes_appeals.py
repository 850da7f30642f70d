"""Appeals: within a window and a number; who else would move is seen before anything is accepted."""

from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.classes.cast import team_up
from tests.web.classes.grading_room import GradingRoom, finish
from tests.web.classes.release_room import ReleaseRoom
from tests.web.page_facts import texts

from peerage_web.accounts.models import Mail
from peerage_web.classes.appeals import services
from peerage_web.classes.appeals.models import Appeal
from peerage_web.classes.appeals.queries import window_of
from peerage_web.classes.appeals.services import Preview, preview_appeal, preview_of
from peerage_web.classes.erasure.services import erase_member, export_member
from peerage_web.classes.grading.inputs import inputs_of
from peerage_web.classes.grading.models import GradingPlan, GradingRun, Override, StaffGrade
from peerage_web.classes.grading.queries import approved_run
from peerage_web.classes.grading.results import draw_run
from peerage_web.classes.grading.services import approve_run
from peerage_web.classes.grading.staff_grades import grade_submission, set_grade
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.release.models import Release, ReleasedGrade
from peerage_web.classes.release.services import release_again, write_grade_mail
from peerage_web.files.models import Job
from peerage_web.shared.errors import Refused


@pytest.fixture
def room(cast) -> ReleaseRoom:
    """Grades are out, and everybody has seen theirs."""
    made = ReleaseRoom(cast, rates_helpfulness=False)
    made.run()
    made.release()
    ReleasedGrade.objects.update(seen_at=timezone.now())
    made.assignment.refresh_from_db()
    return made


def ask(room, number: int = 1, reason: str = "The figure was overlooked.") -> Appeal:
    return services.ask(assignment=room.assignment, member=room.members[number], reason=reason)


def accept(room, appeal: Appeal, answer: str = "You are right.") -> int:
    appeal.refresh_from_db()
    return services.accept(appeal=appeal, by=room.by, answer=answer, seen=services.mark_of(appeal))


def open_for(room, reason: str) -> Appeal:
    member = room.members[1]
    return services.open_for(assignment=room.assignment, member=member, by=room.by, reason=reason)


def preview(room, appeal: Appeal, points: float | None, **named) -> Preview:
    """What accepting would change; the engine is done."""
    preview_appeal(appeal=appeal, points=points, **{"by": room.by, "regrade": False, **named})
    if appeal.preview is not None:
        finish(appeal.preview)
        draw_run(run=appeal.preview)
    return preview_of(appeal)


def points_of(room) -> dict[int, float]:
    """What is released, by the number of the member."""
    grades = ReleasedGrade.objects.filter(release__assignment=room.assignment, release__ended_at=None)
    return dict(grades.values_list("membership", "points"))


def page_of(appeal: Appeal) -> str:
    return f"{appeal.assignment.get_absolute_url()}appeals/{appeal.key}/"


def read(room, appeal: Appeal) -> str:
    return room.cast.client("instructor").get(page_of(appeal)).content.decode()


def closed(room, number: int) -> str:
    return window_of(room.assignment, room.members[number]).closed


# -- asking ----------------------------------------------------------------------------------------------


def test_a_student_asks_on_the_page_and_takes_it_back(room):
    client, path = room.cast.client("neighbour"), room.page("appeal/")
    assert path in client.get(room.page("grade/")).content.decode()

    page = client.post(path, {"reason": "Look at page 2."}, follow=True)
    assert "Your appeal has been submitted." in page.content.decode()
    appeal = Appeal.objects.get(membership=room.members[1], submission=room.submissions[1], state="open")
    assert client.post(path, {"reason": "Again."}).status_code == 422

    client.post(room.page(f"appeal/{appeal.key}/withdraw"))
    assert Appeal.objects.get(ended_at__isnull=False).state == "withdrawn"
    assert closed(room, 1) == ""  # what was taken back is not counted


def test_nobody_appeals_without_a_grade_before_seeing_it_or_where_there_are_no_days(room):
    ReleasedGrade.objects.filter(membership=room.members[0]).update(seen_at=None)

    assert closed(room, 0) == "not-seen"
    assert closed(room, 4) == "no-grade"
    with pytest.raises(Refused, match="First look at your grade"):
        ask(room, 0)
    GradingPlan.objects.update(appeal_days=0)
    assert closed(room, 1) == "none"


def test_the_window_ends_and_staff_may_open_one_all_the_same(room):
    Release.objects.update(made_at=timezone.now() - timedelta(days=7, seconds=1))

    assert closed(room, 1) == "over"
    with pytest.raises(Refused, match="appeal period is over"):
        ask(room)
    client, path = room.cast.client("neighbour"), room.page("appeal/")
    late = client.post(path, {"reason": "Look at page 2."})
    assert (late.status_code, late.content.decode().count("The appeal period is over")) == (422, 1)
    assert "Look at page 2." in late.content.decode(), "what was typed is not lost"
    assert open_for(room, "We erred.").opened_by == room.by
    assert Mail.objects.filter(kind="appeal", person=room.members[1].person).count() == 1
    page = client.get(path).content.decode()
    assert "Opened for you by staff" in page
    assert room.by.name not in page


def test_every_student_has_a_number_of_appeals(room):
    GradingPlan.objects.update(appeals_each=2)
    for _ in range(2):
        services.decline(appeal=ask(room), by=room.by, answer="It stays.")
    with pytest.raises(Refused, match="used all your appeals"):
        ask(room)

    open_for(room, "Once more.")
    with pytest.raises(Refused, match="already has an appeal waiting for a decision"):
        open_for(room, "And again.")


def test_the_window_opens_anew_for_a_grade_that_changed_or_was_taken_back(room):
    """Not for those to whom a later release says the same."""
    Release.objects.update(made_at=timezone.now() - timedelta(days=9))
    set_grade(submission=room.submissions[1], by=room.by, points=44, reason="late")
    release_again(assignment=room.assignment, by=room.by, why="Something was late.")
    Release.objects.filter(number=1).update(ended_at=Release.objects.get(number=2).made_at)

    assert (closed(room, 1), closed(room, 2)) == ("", "over")

    take_step(assignment=room.assignment, code="retract", by=room.by)
    Release.objects.filter(number=2).update(ended_at=timezone.now() - timedelta(days=1))
    take_step(assignment=room.assignment, code="release", by=room.by)
    assert closed(room, 2) == ""


def test_appeals_wait_while_grades_are_taken_back(room):
    appeal = ask(room)
    take_step(assignment=room.assignment, code="retract", by=room.by)

    with pytest.raises(Refused, match="in a different phase now"):
        ask(room, 2)
    with pytest.raises(Refused, match="in a different phase now"):
        services.decline(appeal=appeal, by=room.by, answer="No.")
    assert room.cast.client("instructor").get(page_of(appeal)).status_code == 200


# -- answering -------------------------------------------------------------------------------------------


def test_an_answer_shows_the_student_nobody(room):
    appeal = ask(room)
    client = room.cast.client("assistant")
    page = client.post(room.page(f"appeals/{appeal.key}/decline"), {"answer": "The figure was seen."})
    assert page.status_code == 302

    page = room.cast.client("neighbour").get(room.page("appeal/"))

    assert "Your appeal was declined" in page.content.decode()
    assert "The figure was seen." in page.content.decode()
    assert "Assistant" not in page.content.decode()
    mail = Mail.objects.get(kind="appeal")
    assert "a decision on your appeal" in mail.subject
    assert "Assistant" not in mail.text
    assert "The figure was seen." not in mail.text


def test_accepting_needs_the_preview_that_was_seen(room):
    appeal = ask(room)
    with pytest.raises(Refused, match="Preview what would change"):
        accept(room, appeal)
    preview(room, appeal, 80)
    seen = services.mark_of(appeal)
    preview(room, appeal, 20, by=room.cast.people["assistant"])

    with pytest.raises(Refused, match="missing or out of date"):
        services.accept(appeal=appeal, by=room.by, answer="Yes.", seen=seen)

    assert not Override.objects.exists()
    assert Release.objects.count() == 1


def test_assistants_look_and_decline_and_only_instructors_accept(room):
    appeal = ask(room)
    client, path = room.cast.client("assistant"), room.page(f"appeals/{appeal.key}/")

    beyond = client.post(f"{path}preview", {"points": "101"})
    client.post(f"{path}preview", {"points": "80"})
    page = client.get(path)

    assert beyond.status_code == 422
    assert "101 is outside the scale" in beyond.content.decode()
    assert "Only instructors can accept an appeal" in page.content.decode()
    appeal.refresh_from_db()
    sent = {"answer": "Yes.", "seen": services.mark_of(appeal)}
    assert client.post(f"{path}accept", sent).status_code == 403
    assert room.cast.client("instructor").post(f"{path}accept", sent).status_code == 302


def test_with_few_staff_grades_the_grade_is_set_by_hand_and_nobody_else_moves(room):
    """And the trail of it is in the activity log and on the page."""
    write_grade_mail()
    appeal = ask(room)
    before = points_of(room)
    found = preview(room, appeal, 80, by=room.cast.people["assistant"], reason="the figure is good")
    assert (found.state, found.by_hand, found.movement.others) == ("ready", True, [])
    (mine,) = found.movement.moves
    assert (mine.before.points, mine.after.points, mine.change) == (70, 80, 10)
    assert points_of(room) == before  # nothing has happened yet

    assert accept(room, appeal) == 1

    assert points_of(room) == before | {room.members[1].pk: 80}
    assert Override.objects.get().reason == "the figure is good"
    write_grade_mail()
    told = Mail.objects.filter(kind="grades").order_by("pk")
    assert [one.person for one in told][4:] == [room.members[1].person]
    assert "An appeal was accepted" in told.last().text
    page = room.cast.client("instructor").get(page_of(appeal))
    opened, previewed, accepted = (one for one in texts(page, "tr") if "ppeal" in one)
    assert "appealed against their grade" in opened
    assert "(points: 80)" in previewed
    assert "accepted the appeal" in accepted
    events = room.assignment.events.filter(data__appeal=appeal.key).order_by("pk")
    assert [event.verb for event in events] == ["appeal-opened", "appeal-previewed", "appeal-accepted"]


def test_a_grade_set_for_one_of_a_team_gives_way_to_the_appeal(room):
    submission, room.assignment.in_teams = room.submissions[1], True
    room.assignment.save()
    submission.author, submission.team = None, team_up(room.assignment, room.members[1:3])
    submission.save()
    set_grade(submission=submission, by=room.by, points=10, reason="absent", membership=room.members[1])
    release_again(assignment=room.assignment, by=room.by, why="Absences.")
    ReleasedGrade.objects.update(seen_at=timezone.now())
    appeal = ask(room)
    seen = {one.membership: one.after.points for one in preview(room, appeal, 75).movement.moves}

    accept(room, appeal)

    assert seen == {room.members[1]: 75, room.members[2]: 75}
    assert {points_of(room)[one.pk] for one in room.members[1:3]} == {75}


def test_staff_see_all_and_open_one_for_a_student(room):
    ask(room)
    client = room.cast.client("assistant")

    opened = client.post(room.page("appeals/open"), {"member": room.members[2].pk, "reason": "We erred."})
    refused = client.post(room.page("appeals/open"), {"member": room.members[4].pk, "reason": "x"})

    assert (opened.status_code, Appeal.objects.count()) == (302, 2)
    assert "no grade for a submission" in refused.content.decode()
    assert "The figure was overlooked." in client.get(room.page("appeals/")).content.decode()
    assert "2 appeals waiting for a decision" in client.get(room.page()).content.decode()


def test_an_appeal_is_answered_once_and_with_words_which_erasing_takes_away(room):
    appeal = ask(room, reason="I, Neighbour, ask.")
    with pytest.raises(Refused, match="Explain your decision"):
        services.decline(appeal=appeal, by=room.by, answer="  ")
    services.decline(appeal=appeal, by=room.by, answer="Dear Neighbour")
    for again in (
        lambda: services.decline(appeal=appeal, by=room.by, answer="Yes."),
        lambda: services.withdraw(appeal=appeal, by=room.members[1].person),
        lambda: preview(room, appeal, 80),
    ):
        with pytest.raises(Refused, match="no longer open"):
            again()
    assert Appeal.objects.get().answer == "Dear Neighbour"
    assert export_member(member=room.members[1])["appeals"][0]["reason"] == "I, Neighbour, ask."

    erase_member(member=room.members[1], by=room.by)

    kept = Appeal.objects.get()
    assert (kept.reason, kept.answer, kept.state) == ("", "", "declined")
    assert kept.opened_by.name == ""


# -- the engine re-estimates ------------------------------------------------------------------------------


@pytest.fixture
def graded(cast) -> GradingRoom:
    """Three submissions have staff grades, a run is released, and all have seen their grades."""
    made = GradingRoom(cast)
    GradingPlan.objects.create(assignment=made.assignment, rates_helpfulness=False)
    made.grade({0: 90, 1: 75, 7: 60})
    approve_run(run=made.run(), by=made.by)
    take_step(assignment=made.assignment, code="release", by=made.by)
    ReleasedGrade.objects.update(seen_at=timezone.now())
    made.assignment.refresh_from_db()
    return made


def test_one_grade_changes_unless_staff_regrade_the_class(graded):
    """Though there are enough staff grades for an estimate; and the words typed so far survive."""
    room, client = graded, graded.cast.client("instructor")
    appeal = ask(room, 4)
    nothing = client.post(f"{page_of(appeal)}preview", {"answer": "You are right."})
    assert (nothing.status_code, "Enter the points" in nothing.content.decode()) == (422, True)
    assert "You are right." in nothing.content.decode()

    client.post(f"{page_of(appeal)}preview", {"points": "85", "answer": "You are right."})

    found = preview_of(Appeal.objects.get())
    assert (found.state, found.by_hand, found.movement.others) == ("ready", True, [])
    assert "You are right.</textarea>" in client.get(page_of(appeal)).content.decode()
    assert "You are right." not in room.cast.client("stranger").get(page_of(appeal)).content.decode()
    assert accept(room, appeal) == 1
    assert Release.objects.get(ended_at=None).why == "An appeal was accepted."


def test_accepting_makes_the_preview_the_released_run(graded):
    """From the preview on, everything is what the engine says with the staff grade, and nothing else."""
    room, assistant = graded, graded.cast.people["assistant"]
    released = approved_run(room.assignment)
    appeal = ask(room, 4)
    preview_appeal(appeal=appeal, by=assistant, points=85, regrade=True, reason="a fine submission")
    waiting = preview_of(appeal)
    assert waiting.state == "waiting"
    assert not StaffGrade.objects.filter(submission=room.submissions[4]).exists()
    assert "The preview is being calculated." in read(room, appeal)
    finish(appeal.preview)
    draw_run(run=appeal.preview)
    found = preview_of(appeal)
    theirs, others = found.movement.moves[0], found.movement.others
    assert (found.state, found.by_hand) == ("ready", False)
    assert (theirs.membership, theirs.after.points) == (room.members[4], 85)
    assert others
    assert approved_run(room.assignment) == released
    assert f"explain?item={room.members[4].student_id}" in read(room, appeal)

    changed = accept(room, appeal)

    run, release = approved_run(room.assignment), Release.objects.get(ended_at=None)
    assert (run, run.purpose, release.run) == (appeal.preview, "grades", run)
    assert run.inputs_sha256 == inputs_of(room.assignment).sha256  # as if it had been graded only now
    assert changed == len(found.movement.moves)
    seen = points_of(room)
    assert all(seen[one.membership.pk] == one.after.points for one in found.movement.moves)
    given = StaffGrade.objects.get(submission=room.submissions[4])
    appeal.refresh_from_db()
    assert (given.by, given.points, appeal.staff_grade, appeal.state) == (assistant, 85, given, "accepted")
    told = {one.membership_id for one in release.grades.filter(notified_at=None)}
    assert told >= {one.membership.pk for one in found.movement.moves}


def test_a_preview_that_failed_or_is_outdated_is_not_accepted(graded):
    room = graded
    appeal = ask(room, 4)
    preview_appeal(appeal=appeal, by=room.by, points=85, regrade=True)
    Job.objects.filter(pk=appeal.preview.job.pk).update(state="failed", problem={"detail": "x"})
    appeal = Appeal.objects.get()
    assert preview_of(appeal).state == "failed"
    assert "The preview could not be calculated" in read(room, appeal)

    assert preview(room, appeal, 85, regrade=True).state == "ready"
    grade_submission(submission=room.submissions[2], by=room.by, points=60)

    assert preview_of(appeal).state == "outdated"
    with pytest.raises(Refused, match="Preview what would change"):
        accept(room, appeal)
    assert Release.objects.count() == 1
    assert not StaffGrade.objects.filter(submission=room.submissions[4]).exists()


def test_without_points_the_class_is_graded_as_it_is(graded):
    """Nothing has changed, so nothing moves; it is accepted with words alone, and nothing is released."""
    room = graded
    appeal = ask(room, 4)
    assert preview(room, appeal, None, regrade=True).movement.moves == []

    assert accept(room, appeal, "We agree with you, and the grade says so.") == 0

    assert Release.objects.count() == 1
    assert GradingRun.objects.filter(purpose="appeal").count() == 0
