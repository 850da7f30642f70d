"""Replies of authors: once, without a name, in time; read by reviewers and staff, reported and hidden."""

from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.classes.release_room import ReleaseRoom
from tests.web.page_facts import texts

from peerage_web.classes.activity_log.digest import write_digests
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.courses.models import Course
from peerage_web.classes.erasure.services import erase_member, export_member
from peerage_web.classes.phases.services import retract_grades
from peerage_web.classes.release.models import Release, ReleasedGrade, Reply
from peerage_web.classes.release.replies import report_reply, write_reply

TEXT = "Thank you. The axis starts at zero on purpose."


@pytest.fixture
def room(cast) -> ReleaseRoom:
    """Grades are released, and the first student has seen theirs."""
    room = ReleaseRoom(cast, rates_helpfulness=False, appeal_days=7)
    room.run()
    room.release()
    ReleasedGrade.objects.filter(membership=room.members[0]).update(seen_at=timezone.now())
    return room


def send(room, text: str = TEXT, number: int = 0, **more: str):
    client = room.cast.client(room.members[number])
    return client.post(room.page("grade/reply"), {"reply": text, **more}, follow=True)


def test_reviewers_and_staff_read_a_reply_without_a_name_for_reviewers(room):
    page = send(room)

    reviewers = [review.reviewer for review in room.reviews_of(0)]
    read = [room.cast.client(one).get(room.page("reviews/")) for one in reviewers]
    other = room.cast.client(room.members[1]).get(room.page("reviews/"))
    staff = room.cast.client("instructor").get(room.page("feedback/"))
    assert len(read) == 2
    assert all(TEXT in texts(one, ".said") for one in [page, *read, staff])
    assert all(room.members[0].name not in one.content.decode() for one in read)
    assert room.members[1] not in reviewers
    assert TEXT not in other.content.decode()
    overview = room.cast.client(reviewers[0]).get(room.page())
    assert "An author has replied to your comments." in texts(overview, "p")


def test_a_reply_is_written_once_in_time_and_only_after_the_grade_was_seen(room):
    Release.objects.update(made_at=timezone.now() - timedelta(days=8))
    assert "The time to reply is over" in send(room).content.decode(), "with the time to appeal"
    assert 'id="reply-text"' not in room.cast.client("student").get(room.page("grade/")).content.decode()
    Release.objects.update(made_at=timezone.now())
    assert "First look at your grade" in send(room, number=1).content.decode()
    for text in ("   ", "x" * 5001):
        assert send(room, text).status_code == 422
    assert not Reply.objects.exists()
    send(room)
    again = send(room, "And another thing.")

    assert Reply.objects.get().text == TEXT
    assert again.status_code == 422


def test_a_reply_that_names_somebody_is_asked_about_and_not_lost(room):
    text = f"Is this {room.members[2].name}?"

    asked = send(room, text)
    assert (asked.status_code, Reply.objects.count()) == (422, 0)
    assert room.members[2].name in texts(asked, "li")
    assert text in texts(asked, "textarea")

    send(room, text, names_are_fine="yes")
    assert Reply.objects.get().text == text


def test_a_reported_reply_waits_for_staff_who_hide_it_and_retracted_grades_take_it_along(room):
    send(room)
    review = room.reviews_of(0)[0]
    Course.objects.update(digest_until=timezone.now() - timedelta(days=2))
    reader = room.cast.client(review.reviewer)
    reader.post(room.page(f"reviews/{review.key}/report-reply"), {"text": "Rude."})
    Event._base_manager.filter(verb="reply-reported").update(at=timezone.now() - timedelta(minutes=5))
    staff = room.cast.client("assistant")

    listed = staff.get(room.page("allocation/reports"))
    assert TEXT in texts(listed, ".said")
    assert write_digests() > 0
    staff.post(room.page(f"feedback/replies/{room.submissions[0].pk}/hide"), {"reason": "Rude"})

    assert TEXT not in staff.get(room.page("allocation/reports")).content.decode()
    assert TEXT not in reader.get(room.page("reviews/")).content.decode()
    own = room.cast.client("student").get(room.page("grade/")).content.decode()
    assert "Your instructor has hidden this reply." in own
    staff.post(room.page(f"feedback/replies/{room.submissions[0].pk}/show"))
    assert TEXT in reader.get(room.page("reviews/")).content.decode()
    verbs = Event.objects.filter(verb__startswith="reply-").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["reply-written", "reply-reported", "reply-hidden", "reply-shown"]

    retract_grades(assignment=room.assignment, by=room.by)
    assert TEXT not in reader.get(room.page("reviews/")).content.decode()


def test_erasing_its_author_empties_a_reply(room):
    write_reply(assignment=room.assignment, member=room.members[0], text=TEXT)
    report_reply(review=room.reviews_of(0)[0], text="I know who this is.", by=room.by)
    assert export_member(member=room.members[0])["replies"][0]["text"] == TEXT

    erase_member(member=room.members[0], by=room.by)

    assert Reply.objects.values_list("text", "report").get() == ("", "")
