"""Release: the snapshot, again and back, by hand and by date, who is told; ratings before the grade."""

import re
from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone
from tests.web.classes.release_room import ReleaseRoom

from peerage_web.accounts.models import Mail
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.assignments.services import change_assignment
from peerage_web.classes.enums import Phase
from peerage_web.classes.erasure.services import erase_member, export_member
from peerage_web.classes.grading.models import GradingPlan, GradingRun, Override, RunGrade, RunReviewer
from peerage_web.classes.phases.services import take_due_steps, take_step
from peerage_web.classes.release.feedback import handle_of, received
from peerage_web.classes.release.models import Helpfulness, HiddenComment, Release, ReleasedGrade
from peerage_web.classes.release.queries import current_release
from peerage_web.classes.release.services import hide_comment, release_again, reveal, write_grade_mail
from peerage_web.files.models import Job
from peerage_web.shared.errors import Refused


@pytest.fixture
def room(cast) -> ReleaseRoom:
    return ReleaseRoom(cast)


@pytest.fixture
def released(room) -> None:
    """Its grades are out."""
    room.run(letters=True)
    room.release()


# -- what made the grades, and what students see of them ------------------------------------------------


def test_the_page_says_what_made_the_grades_and_draws_them(room):
    run = room.run(letters=True)
    RunGrade.objects.filter(run=run, rank__lte=3).update(staff=F("points"))

    text = " ".join(room.read("instructor", "release/").split())

    assert "Points from 0 to 100 follow the staff grades of 3 submissions." in text
    assert "Gradebooks receive these points." in text
    assert "1 of 4 students have fewer than 50 points, half of the scale" in text
    assert '30–40 <span class="second">failing</span></th><td class="number">1</td>' in text
    assert text.count('<svg class="histogram"') == 2
    assert "<li>Points</li><li>Letter grade</li><li>Likely range of the points</li>" in text


def test_many_that_would_fail_are_confirmed_once_and_no_date_releases_them_before(room):
    run, now = room.run(shift=-25.0), room.page("release/now")  # 65, 45, 25 and 5 points
    Assignment.objects.filter(pk=room.assignment.pk).update(release_at=timezone.now(), by_date=True)
    client = room.cast.client("instructor")
    said = "3 of 4 students would fail. Here, failing means fewer than 50 points, half of the scale."

    assert said in room.read("instructor", "release/")
    with pytest.raises(Refused, match=r"3 of 4 students would fail.*Confirm this on the release page"):
        room.release()
    assert take_due_steps() == 0
    client.post(now, {"run": "1"})
    client.post(now, {"run": "1", "on_date": "1"})  # not ticked
    assert current_release(room.assignment) is None

    client.post(now, {"run": "1", "on_date": "1", "confirmed": "on"})
    run.refresh_from_db()
    assert run.confirmed_at is not None
    take_due_steps()
    assert said not in room.read("instructor", "release/")
    assert current_release(room.assignment).run == run
    assert Event.objects.filter(verb="run-confirmed", actor=room.by).count() == 1

    room.run(shift=-30.0)  # by the same rule: nobody is asked again
    release_again(assignment=room.assignment, by=room.by, why="Late reviews came in.")
    assert current_release(room.assignment).number == 2


def test_points_by_a_curve_are_confirmed_with_the_tick_of_the_form(room):
    run = room.run()
    run.options = {**run.options, "anchors_as_evidence": False, "curve": "60:20"}
    run.save()

    shown = room.read("instructor", "release/")
    assert "follow a curve with mean 60 and standard deviation 20" in shown
    assert 'name="confirmed"' in shown
    room.cast.client("instructor").post(room.page("release/now"), {"run": "1", "confirmed": "on"})

    assert current_release(room.assignment).run == run


def test_points_just_below_a_letter_are_not_shown_as_its_beginning(room):
    """A class that is close together has two decimals; 84.96 is a B, and “85, B” would contradict itself."""
    GradingPlan.objects.update(rates_helpfulness=False)
    run = room.run(letters=True)
    RunGrade.objects.filter(run=run, submission=room.submissions[1]).update(points=84.96)
    room.release()
    pages = [(1, "grade/"), (1, ""), ("instructor", "release/"), ("instructor", f"grading/runs/{run.key}/")]

    rounded = [page for who, page in pages if "84.96" not in room.read(who, page)]

    assert rounded == []


SIGNS = {  # of what students can see, each as a page would say it
    "points": ["71.4", "71.37", "65.1", "65.09"],  # of the submission, and the total
    "letter": ["Quartz"],
    "interval": ["61.8", "79.2", "61.83", "79.16"],
    "chance": ["its probability is"],
    "standing": ["rank 2", "rank 3", "62%"],
}


@pytest.mark.parametrize(
    ("shown", "seen"),
    [
        (["points", "letter", "interval", "chance", "standing"], set(SIGNS)),
        (["letter", "interval", "chance", "standing"], {"letter", "chance", "standing"}),
        (["points", "interval", "chance", "standing"], {"points", "interval", "standing"}),
        (["points", "letter"], {"points", "letter"}),
        (["standing"], {"standing"}),
    ],
)
def test_students_see_what_their_instructor_switched_on_and_nothing_else(room, shown, seen):
    """A range says nothing without its points, nor a chance without its letter."""
    GradingPlan.objects.update(rates_helpfulness=False, shown=shown)
    run = room.run(letters=True)
    run.options = {**run.options, "letters": "Quartz>=50,Slate"}
    run.save()
    RunGrade.objects.filter(run=run, submission=room.submissions[1]).update(
        points=71.37, points_low=61.83, points_high=79.16, letter="Quartz", letter_chance=0.83,
        rank_low=2, rank_high=3, percentile=62.0,
    )  # fmt: skip
    RunReviewer.objects.filter(run=run).update(quality=0, completeness=80)
    room.release()
    client = room.cast.client(room.members[1])

    paths = [*map(room.page, ("grade/", "", "appeal/")), room.assignment.course.get_absolute_url()]
    texts = " ".join(client.get(path).content.decode() for path in paths * 2)  # the second time, it was seen

    assert {what for what, signs in SIGNS.items() if any(sign in texts for sign in signs)} == seen


def test_what_is_shown_is_part_of_the_release_and_changes_with_the_next(room, released):
    GradingPlan.objects.update(rates_helpfulness=False, shown=["letter"])
    assert "<strong>70</strong>" in room.read(1, "grade/")

    release_again(assignment=room.assignment, by=room.by, why="Letters only.")

    text = room.read(1, "grade/")
    assert ("<strong>70</strong>" in text, "<strong>B</strong>" in text) == (False, True)


def test_a_standing_alone_can_be_released_again_after_another_run(room):
    GradingPlan.objects.update(rates_helpfulness=False, points_rule="standing", shown=["standing"])
    for number, rank in ((1, 2), (2, 3)):
        run = room.run()
        GradingRun.objects.filter(pk=run.pk).update(options={"interval": 0.9})
        run.grades.update(points=None, points_low=None, points_high=None)
        run.grades.filter(submission=room.submissions[1]).update(rank_low=rank, rank_high=rank)
        if number == 1:
            room.release()
        else:
            release_again(assignment=room.assignment, by=room.by, why="Late reviews came in.")

        text = room.read(1, "grade/")
        assert f"between rank {rank} and rank {rank} of 4" in text
        assert "points on a scale" not in text
    write_grade_mail()
    assert Mail.objects.filter(kind="grades").count() == 4


def test_points_at_the_end_of_their_range_are_explained(room, released):
    GradingPlan.objects.update(rates_helpfulness=False)
    cases = {
        (60, 70, 80): "",
        (81, 99.5, 100): "because the scale ends there. They cannot be higher",
        (0, 1, 99): "because the scale ends there. They cannot be lower",
        (60, 79.5, 80): "near the upper end of the range",
        (60, 61, 80): "near the lower end of the range",
        (60, 80, 100): "The range ends where the scale ends.",
        (0, 30, 50): "The range ends where the scale ends.",
    }

    for (low, at, high), said in cases.items():
        ReleasedGrade.objects.update(points_low=low, points=at, points_high=high)
        text = room.read(1, "grade/")
        sentences = [one for one in ("end of the range", "The range ends where") if one in text]
        assert (said in text, len(sentences)) == (True, bool(said)), (low, at, high)


# -- releasing ------------------------------------------------------------------------------------------


def test_a_run_without_agreement_says_so_where_it_is_read_and_released(room):
    run = room.run()

    for agrees in (True, False):
        Job.objects.filter(pk=run.job_id).update(summary={"agrees": agrees})
        for path in ("release/", f"grading/runs/{run.key}/"):
            text = room.read("instructor", path)
            assert ("The reviewers agree no more than chance would." in text) is not agrees, path


def test_release_is_a_snapshot_of_the_approved_run_and_all_of_it_or_none(room, monkeypatch):
    with pytest.raises(Refused, match="no grades yet"):
        room.release()
    run = room.run()
    GradingRun.objects.update(approved_at=None)
    with pytest.raises(Refused, match="approved"):
        room.release()
    GradingRun.objects.update(approved_at=timezone.now())
    with monkeypatch.context() as patched:
        patched.setattr("peerage_web.classes.release.services.final_grades", lambda run: [][1])
        with pytest.raises(IndexError):
            room.release()
    assert not Release.objects.exists()
    assert Assignment.objects.get(pk=room.assignment.pk).phase == Phase.CLOSED

    room.release()

    grade = room.grade_of(1)
    assert grade.release.run == run
    assert room.assignment.phase == Phase.RELEASED
    assert (grade.points, grade.points_low, grade.points_high) == (70.0, 62.0, 78.0)
    assert (grade.reviewing, grade.total) == (90.0, 74.0)  # half quality, half completeness; 20 % of all
    assert ReleasedGrade.objects.count() == 4  # the fifth did nothing and was asked for nothing

    Override.objects.create(submission=room.submissions[1], points=99, reason="x", by=room.by)
    room.run(shift=-5)
    assert room.grade_of(1).points == 70.0


def test_release_by_its_date_which_waits_for_an_approved_run(room):
    past = timezone.now() - timedelta(minutes=1)
    room.assignment.due_at = room.assignment.late_until = room.assignment.reviews_due_at = None
    room.assignment.save()
    change_assignment(assignment=room.assignment, by=room.by, release_at=past)
    assert take_due_steps() == 0

    room.run()
    assert (take_due_steps(), take_due_steps()) == (1, 0)

    release = current_release(room.assignment)
    assert (release.number, release.made_by) == (1, room.by)
    assert Event.objects.get(verb="grades-released-on-date").actor == room.by  # who set the date
    assert Event.objects.get(verb="phase-moved").actor is None


def test_instructors_alone_release_and_retract_which_hides_and_stops_the_clock(room, cast):
    room.run()
    assistant = cast.client("assistant")
    assert assistant.post(room.page("step"), {"step": "release"}).status_code == 403
    assert current_release(room.assignment) is None
    room.assignment.release_at = timezone.now() - timedelta(minutes=1)
    room.assignment.save()
    room.release()
    assert assistant.post(room.page("step"), {"step": "retract"}).status_code == 403
    assert current_release(room.assignment) is not None

    take_step(assignment=room.assignment, code="retract", by=room.by)

    assert current_release(room.assignment) is None
    assert ReleasedGrade.objects.count() == 4
    assert room.cast.client(room.members[0]).get(room.page("grade/")).status_code == 409
    assert "retracted the grades" in room.read(0)
    assert "retracted the grades" not in room.read(4)
    assert take_due_steps() == 0
    room.release()
    assert [one.number for one in Release.objects.all()] == [2, 1]
    take_step(assignment=room.assignment, code="retract", by=room.by)
    assert assistant.post(room.page("step"), {"step": "review-again"}).status_code == 302


def test_released_again_needs_a_reason_and_a_change(room, released):
    with pytest.raises(Refused, match="Give a reason for the change"):
        release_again(assignment=room.assignment, by=room.by, why=" ")
    with pytest.raises(Refused, match="Nothing has changed"):
        release_again(assignment=room.assignment, by=room.by, why="x")

    Override.objects.create(submission=room.submissions[1], points=99, reason="x", by=room.by)
    release_again(assignment=room.assignment, by=room.by, why="A page was missing.")

    assert room.grade_of(1).points == 99
    assert room.grade_of(1).by_hand
    assert room.grade_of(1).points_low is None
    assert Event.objects.filter(verb="grades-released-again").get().data["reason"] == "A page was missing."


def test_everybody_is_told_once_without_the_grade_and_again_if_it_changed(room, released):
    take_step(assignment=room.assignment, code="retract", by=room.by)
    write_grade_mail()
    assert not Mail.objects.filter(kind="grades").exists(), "it was taken back before the mail"
    room.release()

    assert (write_grade_mail(), write_grade_mail()) == (4, 0)

    mail = Mail.objects.filter(kind="grades")
    assert {one.subject for one in mail} == {"Your grade for “Poster” is available"}
    assert sorted(one.person.email for one in mail) == sorted(one.person.email for one in room.authors)
    texts = [one.text.replace(room.page("grade/"), "ADDRESS") for one in mail]  # a key may hold any number
    assert all("ADDRESS" in text and "90" not in text for text in texts)

    Override.objects.create(submission=room.submissions[1], points=99, reason="x", by=room.by)
    release_again(assignment=room.assignment, by=room.by, why="A page was missing.")
    write_grade_mail()

    again = Mail.objects.get(kind="grades", subject__contains="again")
    assert again.person == room.members[1].person
    assert "A page was missing." in again.text


# -- the student's page -----------------------------------------------------------------------------------


def test_ratings_come_before_the_grade(room, released):
    client = room.cast.client(room.members[1])

    first = room.read(1, "grade/")
    assert "<strong>70<" not in first
    assert "70" not in re.sub(r"<[^>]*>|\d{3,}", "", room.read(1))
    handles = re.findall(r'name="rate-(\w+)" value="5"', first)
    assert len(handles) == 2

    part = client.post(room.page("grade/rate"), {f"rate-{handles[0]}": "5"}, follow=True)
    assert "<strong>70<" not in part.content.decode()
    assert Helpfulness.objects.count() == 1  # what was rated is kept

    whole = client.post(room.page("grade/rate"), {f"rate-{one}": "2" for one in handles}, follow=True)
    text = whole.content.decode()
    assert "<strong>70</strong>" in text
    assert "62 to 78" in text
    assert "You submitted 2 of 2 assigned reviews" in text
    assert [one.rating for one in Helpfulness.objects.all()] == [2, 2]
    assert room.grade_of(1).seen_at is not None


def test_authors_rate_their_own_reviews_until_they_have_seen_their_grade(room, released):
    client = room.cast.client(room.members[1])
    mine, theirs = (f"rate-{handle_of(room.reviews_of(number)[0])}" for number in (1, 2))
    for handle, value in ((theirs, "1"), (mine, "0"), (mine, "6"), (mine, "x"), (mine, "1.5")):
        client.post(room.page("grade/rate"), {handle: value})
    assert not Helpfulness.objects.exists()

    room.rate(1)
    reveal(assignment=room.assignment, member=room.members[1])

    with pytest.raises(Refused, match="seen your grade"):
        room.rate(1, rating=1)
    take_step(assignment=room.assignment, code="retract", by=room.by)
    room.release()  # the second time the grade is known, so nothing is asked
    Helpfulness.objects.all().delete()

    assert reveal(assignment=room.assignment, member=room.members[1]).points == 70.0
    with pytest.raises(Refused):
        room.rate(1, rating=1)


def test_who_has_nothing_to_rate_sees_the_grade_at_once_and_who_did_nothing_is_told_so(room):
    Review.objects.filter(submission=room.submissions[1]).update(state="excluded", ended_at=timezone.now())
    room.run()
    room.release()

    assert "<strong>70</strong>" in room.read(1, "grade/")
    assert "you did not submit anything" in room.read(4, "grade/")


def test_what_counts_is_what_was_submitted(room):
    (first, _second) = room.reviews_of(1)
    first.comments.update(text="a draft that nobody submitted")

    (reviews,) = received([room.submissions[1]]).values()
    written = [remark.text for one in reviews for remark in one.remarks]

    assert f"Comment {first.pk} on your figure." in written
    assert "a draft that nobody submitted" not in written


def test_author_and_reviewer_have_no_key_in_common(room, released):
    """Two who lay their screens side by side find nothing that ties them."""
    page = room.read(1, "grade/")

    for one in room.reviews_of(1):
        assert one.key not in page
        assert one.reviewer.name not in page
        assert handle_of(one) in page
        assert handle_of(one) not in room.read(room.members.index(one.reviewer), "reviews/")


def test_helpfulness_counts_with_the_next_release(room):
    GradingPlan.objects.update(completeness_weight=50, helpfulness_weight=50)
    room.run()
    room.release()
    assert room.grade_of(0).reviewing == 100.0  # nobody has rated yet: completeness alone
    room.rate(1, rating=1)
    room.rate(2, rating=1)

    release_again(assignment=room.assignment, by=room.by, why="Ratings count now.")

    assert room.grade_of(0).reviewing == 50.0
    assert reveal(assignment=room.assignment, member=room.members[0]) is None  # still to rate
    room.rate(0)
    assert "How helpful authors found your comments" in room.read(0, "grade/")


# -- as staff see it ----------------------------------------------------------------------------------------


def test_staff_see_what_the_student_will_see_and_nothing_is_marked_as_seen(room):
    page = f"release/as/{room.members[1].pk}/"
    too_early = room.read("assistant", page)
    assert "No grading run has been approved for release yet." in too_early
    assert "you did not submit" not in too_early
    run = room.run()

    before = room.read("assistant", page)
    assert "<strong>70</strong>" in before
    assert "<strong>70<" not in room.read("assistant", f"{page}?stage=rate")
    room.release()
    after = room.read("assistant", page)

    room.rate(1)
    assert _grade_part(before) == _grade_part(after) == _grade_part(room.read(1, "grade/"))
    assert run.releases.get().grades.get(membership=room.members[2]).seen_at is None


def _grade_part(page: str) -> str:
    return page[page.index('<section class="card" aria-labelledby="grade"') : page.index('id="received"')]


def test_release_page_takes_the_run_that_was_looked_at_and_shows_what_would_change(room, cast):
    room.run(shift=5)
    client = cast.client("instructor")
    room.run()  # approved meanwhile
    client.post(room.page("release/now"), {"run": "1"})
    assert not Release.objects.exists()
    client.post(room.page("release/now"), {"run": "2"})
    assert current_release(room.assignment).run.number == 2
    assert "Release again" not in room.read("instructor", "release/")
    Override.objects.create(submission=room.submissions[1], points=99, reason="x", by=room.by)

    text = room.read("instructor", "release/?show=changed")

    assert "→ 99" in text
    assert "Release again" in text
    assert room.members[2].name not in text
    answer = client.post(room.page("release/now"), {"run": "2", "why": "Looked again."})
    assert answer.status_code == 302
    assert room.grade_of(1).points == 99


# -- a person's data ----------------------------------------------------------------------------------------


def test_a_persons_data_has_nothing_of_reviewers_and_erasing_keeps_what_was_released(room, cast, released):
    room.rate(1, rating=2)
    helper = cast.member("assistant")
    first, second = room.reviews_of(1)
    hide_comment(comment=first.comments.get(), by=helper.person, reason=f"{first.reviewer.name} insults")

    found = export_member(member=room.members[1])

    assert [one["points"] for one in found["grades"]] == [70.0]
    assert [one["text"] for one in found["feedback"]] == [second.comments.get().text]
    assert [one["rating"] for one in found["ratings"]] == [2, 2]
    names = [first.reviewer.name, second.reviewer.name]
    assert [name for name in names if name in str(found["feedback"])] == []

    erase_member(member=helper, by=room.by)
    erase_member(member=first.reviewer, by=room.by)

    hidden = HiddenComment.objects.get()
    assert (hidden.reason, hidden.by.erased_at is not None) == ("", True)
    assert ReleasedGrade.objects.count() == 4
