"""Mail that leaves nobody in the dark: when reviewing opens, and one digest a day for staff."""

from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.classes.cast import allocate, move, submit

from peerage_web.accounts.models import Mail
from peerage_web.classes.activity_log.digest import write_digests
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Course
from peerage_web.classes.enums import Phase
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.progress.reminders import note_reviews_open, write_waiting_reminders

pytestmark = pytest.mark.both


def happened(cast, verb: str, ago: timedelta = timedelta(hours=1), by: str | None = "student", **data: str):
    actor = cast.people[by] if by else None
    event = record(verb, by=actor, assignment=cast.assignment, subject=cast.students[0], **data)
    Event._base_manager.filter(pk=event.pk).update(at=timezone.now() - ago)


def quiet_since(cast, ago: timedelta) -> None:
    Course.objects.filter(pk=cast.course.pk).update(digest_until=timezone.now() - ago)


def test_staff_get_one_digest_of_what_waits_with_the_reasons(cast):
    quiet_since(cast, timedelta(days=3))
    for _ in range(2):
        happened(cast, "appeal-opened")
        happened(cast, "submission-reported", reason="plagiarism")
    happened(cast, "comment-reported")
    happened(cast, "submission-excluded", by=None, reason="reports")
    happened(cast, "submission-excluded", by="instructor", reason="staff")  # they know

    assert write_digests() == 2
    assert write_digests() == 0

    mails = Mail.objects.filter(kind="digest")
    assert {mail.person for mail in mails} == {cast.people["instructor"], cast.people["assistant"]}
    text = mails.first().text
    assert "“Poster”: 2 new appeals" in text
    assert "“Poster”: 2 new reports about submissions (it seems to be copied)" in text
    assert "“Poster”: 1 new report about a comment or reply\n" in text
    assert "1 submission was excluded automatically" in text
    assert f"/c/{cast.course.key}/a/{cast.assignment.key}/appeals/" in text
    assert cast.students[0].name not in text


def test_the_next_digest_waits_a_day_and_tells_only_what_is_new(cast):
    quiet_since(cast, timedelta(days=3))
    happened(cast, "appeal-opened", ago=timedelta(days=2))
    write_digests()
    happened(cast, "submission-reported", ago=timedelta(minutes=30), reason="blank")
    quiet_since(cast, timedelta(hours=23))

    assert write_digests() == 0
    quiet_since(cast, timedelta(hours=25))
    assert write_digests() == 2

    last = Mail.objects.filter(kind="digest").order_by("-pk").first()
    assert "1 new report about a submission (it is blank)" in last.text
    assert "appeal" not in last.subject + last.text


def test_no_digest_without_news_in_hidden_courses_or_for_those_who_want_none(cast):
    quiet_since(cast, timedelta(days=3))
    happened(cast, "appeal-opened", ago=timedelta(days=9))  # told already
    happened(cast, "appeal-withdrawn")
    assert write_digests() == 0
    happened(cast, "appeal-opened")
    Course.objects.filter(pk=cast.course.pk).update(hidden_at=timezone.now())
    assert write_digests() == 0
    Course.objects.filter(pk=cast.course.pk).update(hidden_at=None)
    cast.people["assistant"].wants_reminders = False
    cast.people["assistant"].save()

    assert write_digests() == 1


def test_reviewers_are_told_once_that_reviewing_is_open(cast):
    submissions = [submit(cast.assignment, member) for member in cast.students]
    move(cast.assignment, Phase.ALLOCATING)
    for number, member in enumerate(cast.students[:4]):
        allocate(cast.assignment, member, [submissions[number - 1], submissions[number - 2]])

    take_step(assignment=cast.assignment, code="start-reviewing", by=cast.people["instructor"])
    write_waiting_reminders()
    allocate(cast.assignment, cast.students[4], submissions[:2])  # joins late
    note_reviews_open(cast.assignment)
    note_reviews_open(cast.assignment)
    write_waiting_reminders()

    mails = Mail.objects.filter(kind="reminder")
    assert sorted(mail.person.email for mail in mails) == [f"student{n}@example.org" for n in range(1, 6)]
    assert {mail.subject for mail in mails} == {"Submissions to review in Course"}
    assert "review 2 submissions and submit your ranking by" in mails[0].text
    assert not cast.assignment.reminders.filter(settled_at=None).exists()
