"""Release: the snapshot, again and back, by hand and by date, who is told; ratings before the grade."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from tests.web.classes.release_room import ReleaseRoom

from peerage_web.accounts.models import Mail
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.enums import Phase
from peerage_web.classes.erasure.services import erase_member, export_member
from peerage_web.classes.grading.models import GradingPlan, Override
from peerage_web.classes.phases.services import take_due_steps, take_step
from peerage_web.classes.record.models import Event
from peerage_web.classes.release.feedback import handle_of, received_by
from peerage_web.classes.release.models import Helpfulness, HiddenComment, Release, ReleasedGrade
from peerage_web.classes.release.queries import current_release
from peerage_web.classes.release.services import hide_comment, rate, release_again, reveal, write_grade_mail
from peerage_web.shared.errors import Refused


@pytest.fixture
def room(cast) -> ReleaseRoom:
    return ReleaseRoom(cast)


def client_of(member) -> Client:
    client = Client()
    client.force_login(member.person)
    return client


def rate_all(room: ReleaseRoom, number: int, rating: int = 4) -> None:
    member = room.members[number]
    ratings = {handle_of(one): rating for one in room.reviews_of(number)}
    rate(assignment=room.assignment, member=member, ratings=ratings)


# -- releasing ------------------------------------------------------------------------------------------


def test_release_is_a_snapshot_of_the_approved_run(room):
    room.run()
    room.release()

    grade = room.grade_of(1)
    assert room.assignment.phase == Phase.RELEASED
    assert (grade.points, grade.points_low, grade.points_high) == (70.0, 62.0, 78.0)
    assert (grade.reviewing, grade.total) == (90.0, 74.0)  # half quality, half completeness; 20 % of all
    assert ReleasedGrade.objects.count() == 4  # the fifth did nothing and was asked for nothing

    Override.objects.create(work=room.works[1], points=99, reason="x", by=room.by)
    room.run(shift=-5)
    assert room.grade_of(1).points == 70.0


def test_no_release_without_an_approved_run_and_all_of_it_or_none(room, monkeypatch):
    with pytest.raises(Refused, match="no grades yet"):
        room.release()

    run = room.run()
    type(run).objects.update(approved_at=None)
    with pytest.raises(Refused, match="approved"):
        room.release()

    type(run).objects.update(approved_at=timezone.now())
    monkeypatch.setattr("peerage_web.classes.release.services.final_grades", lambda run: [][1])
    with pytest.raises(IndexError):
        room.release()

    assert not Release.objects.exists()
    assert Assignment.objects.get(pk=room.assignment.pk).phase == Phase.CLOSED


def test_release_by_its_date_which_waits_for_an_approved_run(room):
    past = timezone.now() - timedelta(minutes=1)
    Assignment.objects.filter(pk=room.assignment.pk).update(release_at=past)
    assert take_due_steps() == 0

    room.run()
    assert (take_due_steps(), take_due_steps()) == (1, 0)

    release = current_release(room.assignment)
    assert (release.number, release.made_by) == (1, None)


def test_retract_hides_and_stops_the_clock(room):
    room.run()
    Assignment.objects.filter(pk=room.assignment.pk).update(release_at=timezone.now() - timedelta(minutes=1))
    room.assignment.refresh_from_db()
    room.release()

    take_step(assignment=room.assignment, code="retract", by=room.by)

    assert current_release(room.assignment) is None
    assert ReleasedGrade.objects.count() == 4
    assert client_of(room.members[0]).get(room.page("grade/")).status_code == 409
    assert "retracted the grades" in client_of(room.members[0]).get(room.page()).content.decode()
    assert "retracted the grades" not in client_of(room.members[4]).get(room.page()).content.decode()
    assert take_due_steps() == 0
    room.release()
    assert [one.number for one in Release.objects.all()] == [2, 1]


def test_released_again_needs_a_reason_and_a_change(room):
    room.run()
    room.release()

    with pytest.raises(Refused, match="Give a reason for the change"):
        release_again(assignment=room.assignment, by=room.by, why=" ")
    with pytest.raises(Refused, match="Nothing has changed"):
        release_again(assignment=room.assignment, by=room.by, why="x")

    Override.objects.create(work=room.works[1], points=99, reason="x", by=room.by)
    release_again(assignment=room.assignment, by=room.by, why="A page was missing.")

    assert room.grade_of(1).points == 99
    assert room.grade_of(1).by_hand
    assert room.grade_of(1).points_low is None
    assert Event.objects.filter(verb="grades-released-again").get().data["reason"] == "A page was missing."


def test_assistants_neither_release_nor_retract(room, cast):
    room.run()
    client = cast.client("assistant")

    assert client.post(room.page("step"), {"step": "release"}).status_code == 403
    assert Assignment.objects.get(pk=room.assignment.pk).phase == Phase.CLOSED

    room.release()
    assert client.post(room.page("step"), {"step": "retract"}).status_code == 403
    assert Assignment.objects.get(pk=room.assignment.pk).phase == Phase.RELEASED
    assert client.post(room.page("step"), {"step": "review-again"}).status_code == 302


# -- mail -----------------------------------------------------------------------------------------------


def test_everybody_is_told_once_without_the_grade_and_again_if_it_changed(room):
    room.run()
    room.release()

    assert (write_grade_mail(), write_grade_mail()) == (4, 0)

    mail = Mail.objects.filter(kind="grades")
    assert sorted(one.person.email for one in mail) == sorted(one.person.email for one in room.authors)
    assert all(room.page("grade/") in one.text and "90" not in one.text for one in mail)

    Override.objects.create(work=room.works[1], points=99, reason="x", by=room.by)
    release_again(assignment=room.assignment, by=room.by, why="A page was missing.")
    write_grade_mail()

    again = Mail.objects.get(kind="grades", subject__contains="again")
    assert again.person == room.members[1].person
    assert "A page was missing." in again.text


def test_what_was_taken_back_before_the_mail_is_not_told(room):
    room.run()
    room.release()
    take_step(assignment=room.assignment, code="retract", by=room.by)

    write_grade_mail()
    assert not Mail.objects.filter(kind="grades").exists()

    room.release()
    write_grade_mail()
    assert [one.subject for one in Mail.objects.filter(kind="grades")] == [
        "Your grade for “Poster” is available"
    ] * 4


# -- the student's page -----------------------------------------------------------------------------------


def test_ratings_come_before_the_grade(room):
    room.run()
    room.release()
    client, page = client_of(room.members[1]), room.page("grade/")

    first = client.get(page).content.decode()
    assert "70.0" not in first
    assert "70" not in re.sub(r"<[^>]*>|\d{3,}", "", client.get(room.page()).content.decode())
    handles = re.findall(r'name="rate-(\w+)" value="5"', first)
    assert len(handles) == 2

    part = client.post(room.page("grade/rate"), {f"rate-{handles[0]}": "5"}, follow=True)
    assert "70.0" not in part.content.decode()
    assert Helpfulness.objects.count() == 1  # what was rated is kept

    whole = client.post(room.page("grade/rate"), {f"rate-{one}": "2" for one in handles}, follow=True)
    text = whole.content.decode()
    assert "<strong>70.0</strong>" in text
    assert "62.0 to 78.0" in text
    assert "You submitted 2 of 2 assigned reviews" in text
    assert [one.rating for one in Helpfulness.objects.all()] == [2, 2]
    assert room.grade_of(1).seen_at is not None


def test_who_has_seen_a_grade_rates_no_more(room):
    room.run()
    room.release()
    rate_all(room, 1)
    reveal(assignment=room.assignment, member=room.members[1])

    with pytest.raises(Refused, match="seen your grade"):
        rate_all(room, 1, rating=1)
    take_step(assignment=room.assignment, code="retract", by=room.by)
    room.release()  # the second time the grade is known, so nothing is asked
    Helpfulness.objects.all().delete()

    assert reveal(assignment=room.assignment, member=room.members[1]).points == 70.0
    with pytest.raises(Refused):
        rate_all(room, 1, rating=1)


def test_who_has_nothing_to_rate_sees_the_grade_at_once_and_who_did_nothing_is_told_so(room):
    Review.objects.filter(work=room.works[1]).update(state="taken-out", ended_at=timezone.now())
    room.run()
    room.release()

    page = room.page("grade/")
    assert "<strong>70.0</strong>" in client_of(room.members[1]).get(page).content.decode()
    assert "you did not submit anything" in client_of(room.members[4]).get(page).content.decode()


def test_where_nothing_is_asked_the_grade_is_there_at_once_with_its_letter(room):
    GradingPlan.objects.update(rates_helpfulness=False, letters="us")
    room.run(letters=True)
    room.release()

    text = client_of(room.members[1]).get(room.page("grade/")).content.decode()

    assert "<strong>70.0</strong>" in text
    assert "Comment" in text
    assert "The letter grade B is not certain: its probability is 80%." in text


def test_nobody_rates_for_another_and_odd_ratings_are_none(room):
    room.run()
    room.release()
    client = client_of(room.members[1])
    mine, theirs = (f"rate-{handle_of(room.reviews_of(number)[0])}" for number in (1, 2))

    client.post(room.page("grade/rate"), {theirs: "1"})
    for value in ("0", "6", "x", "", "-1", "1.5"):
        client.post(room.page("grade/rate"), {mine: value})
    assert not Helpfulness.objects.exists()

    client.post(room.page("grade/rate"), {mine: "1"})
    assert Helpfulness.objects.count() == 1


def test_what_counts_is_what_was_handed_in(room):
    (first, _second) = room.reviews_of(1)
    first.comments.update(text="a draft that nobody handed in")

    written = [remark.text for one in received_by(room.works[1]) for remark in one.remarks]

    assert f"Comment {first.pk} on your figure." in written
    assert "a draft that nobody handed in" not in written


def test_author_and_reviewer_have_no_key_in_common(room):
    """Two who lay their screens side by side find nothing that ties them."""
    room.run()
    room.release()
    page = client_of(room.members[1]).get(room.page("grade/")).content.decode()

    for one in room.reviews_of(1):
        assert one.key not in page
        assert one.reviewer.name not in page
        assert handle_of(one) in page
        assert handle_of(one) not in client_of(one.reviewer).get(room.page("reviews/")).content.decode()


def test_helpfulness_counts_with_the_next_release(room):
    GradingPlan.objects.update(completeness_weight=50, helpfulness_weight=50)
    room.run()
    room.release()
    assert room.grade_of(0).reviewing == 100.0  # nobody has rated yet: completeness alone
    rate_all(room, 1, rating=1)
    rate_all(room, 2, rating=1)

    release_again(assignment=room.assignment, by=room.by, why="Ratings count now.")

    assert room.grade_of(0).reviewing == 50.0
    text = reveal(assignment=room.assignment, member=room.members[0])
    assert text is None  # still to rate
    rate_all(room, 0)
    page = client_of(room.members[0]).get(room.page("grade/")).content.decode()
    assert "How helpful authors found your comments" in page


# -- as staff see it ----------------------------------------------------------------------------------------


def test_staff_see_what_the_student_will_see_and_nothing_is_marked_as_seen(room, cast):
    run = room.run()
    client = cast.client("assistant")

    before = client.get(room.page(f"release/as/{room.members[1].pk}/")).content.decode()
    assert "<strong>70.0</strong>" in before
    first = client.get(room.page(f"release/as/{room.members[1].pk}/") + "?stage=rate").content.decode()
    assert "70.0" not in first
    room.release()
    after = client.get(room.page(f"release/as/{room.members[1].pk}/")).content.decode()

    rate_all(room, 1)
    student = client_of(room.members[1]).get(room.page("grade/")).content.decode()
    for page in (before, after):
        assert _grade_part(page) == _grade_part(student)
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
    assert "Release again" not in client.get(room.page("release/")).content.decode()
    Override.objects.create(work=room.works[1], points=99, reason="x", by=room.by)

    text = client.get(room.page("release/") + "?show=changed").content.decode()

    assert "→ 99.0" in text
    assert "Release again" in text
    assert room.members[2].name not in text
    answer = client.post(room.page("release/now"), {"run": "2", "why": "Looked again."})
    assert answer.status_code == 302
    assert room.grade_of(1).points == 99


# -- a person's data ----------------------------------------------------------------------------------------


def test_a_persons_data_has_nothing_of_reviewers_and_erasing_keeps_what_was_released(room, cast):
    room.run()
    room.release()
    rate_all(room, 1, rating=2)
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
