"""Reminders: one mail per person and course, previewed, recorded, never twice, in the reader's language."""

import re
from datetime import timedelta
from email import message_from_bytes, policy

import pytest
from django.utils import timezone
from tests.web.at_work import at_once
from tests.web.classes.cast import Cast, allocate, assignment, extend, move, submit

from peerage_web.accounts.models import Mail, Person
from peerage_web.accounts.services.mail import queue_mail, send_waiting_mail
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.models import Assignment, Extension
from peerage_web.classes.courses.models import Course
from peerage_web.classes.enums import Phase
from peerage_web.classes.maintenance import maintain
from peerage_web.classes.progress import reminders
from peerage_web.classes.progress.models import Reminder
from peerage_web.classes.progress.reminders import (
    MOST_A_DAY,
    QUIET,
    ROUNDS,
    note_due_reminders,
    remind,
    write_waiting_reminders,
)

HOUR = timedelta(hours=1)


@pytest.fixture
def stage(cast):
    """Submissions are to be submitted; the first student has."""
    move(cast.assignment, Phase.SUBMITTING)
    submit(cast.assignment, cast.students[0])
    cast.path = f"{cast.assignment.get_absolute_url()}progress/remind"
    return cast


def send(cast, insist: bool = False) -> int:
    members, by = {one.pk for one in cast.students}, cast.people["instructor"]
    count = remind(assignment=cast.assignment, members=members, by=by, insist=insist)
    write_waiting_reminders()
    return count


def due_in(cast, **ahead: timedelta) -> None:
    for name, wait in ahead.items():
        setattr(cast.assignment, name, timezone.now() + wait)
    cast.assignment.save()


# -- by hand ---------------------------------------------------------------------------------------


def test_who_still_has_something_to_do_gets_one_mail_without_names_of_others(stage):
    members, by = {one.pk for one in stage.students}, stage.people["instructor"]
    assert remind(assignment=stage.assignment, members=members, by=by) == 4
    submit(stage.assignment, stage.students[1])  # before the mail was written

    write_waiting_reminders()

    assert not Reminder.objects.filter(settled_at=None).exists()
    assert {one.person for one in Mail.objects.all()} == {one.person for one in stage.students[2:]}
    assert Mail.objects.filter(kind="reminder", about=f"course {stage.course.pk}").count() == 3
    event = Event.objects.get(verb="reminded")
    assert (event.actor, event.assignment) == (by, stage.assignment)
    assert event.data == {"count": 4}
    for mail in Mail.objects.select_related("person"):
        words = {one.name for one in Person.objects.exclude(pk=mail.person_id) if one.name}
        assert [word for word in words if word in mail.subject + mail.text] == []


def test_mail_tells_everything_that_is_open_in_the_course(stage):
    second = assignment(stage.course)
    Assignment.objects.filter(pk=second.pk).update(title="Essay", phase=Phase.REVIEWING)
    allocate(second, stage.students[1], [submit(second, one) for one in stage.students[2:4]])
    submit(second, stage.students[1])

    send(stage)

    text = Mail.objects.get(person=stage.people["neighbour"]).text
    assert "“Poster”: submit by" in text
    assert "“Essay”: review 2 submissions and submit your ranking by" in text
    assert f"/c/{stage.course.key}/a/{second.key}/" in text


def test_nobody_is_reminded_twice_within_hours_unless_staff_insist_which_has_an_end(stage):
    assert (send(stage), send(stage)) == (4, 0)
    Reminder.objects.update(made_at=timezone.now() - QUIET - HOUR)
    assert send(stage) == 4

    Person.objects.filter(pk=stage.people["neighbour"].pk).update(wants_reminders=False)
    assert (send(stage, insist=True), send(stage, insist=True)) == (3, 0), f"{MOST_A_DAY} a day"


def test_two_tasks_in_one_mail_are_one_reminder(stage):
    """A person with submission and reviews open is not shut out sooner than others."""
    move(stage.assignment, Phase.REVIEWING)
    allocate(stage.assignment, stage.students[1], [submit(stage.assignment, stage.students[2])])

    assert [send(stage, insist=True) for _ in range(MOST_A_DAY)][-1] == 3  # without the two who submitted
    assert Mail.objects.filter(person=stage.people["neighbour"]).count() == MOST_A_DAY


def test_nothing_is_asked_for_that_is_not_taken_any_more(stage):
    due_in(stage, due_at=-2 * HOUR, reviews_due_at=HOUR)

    assert send(stage) == 0

    due_in(stage, late_until=HOUR)
    assert send(stage) == 4
    assert "You can still submit late until" in Mail.objects.first().text


# -- the page ---------------------------------------------------------------------------------------


def test_preview_shows_who_gets_which_mail_and_that_is_sent(stage):
    Person.objects.filter(pk=stage.people["neighbour"].pk).update(wants_reminders=False)
    Person.objects.filter(pk=stage.students[2].person_id).update(language="de")
    client = stage.client("assistant")

    answer = client.get(stage.path)

    assert [row.name for row in answer.context["receiving"]] == ["Student 3", "Student 4", "Student 5"]
    assert {one["why"]: one["names"] for one in answer.context["left_out"]} == {
        "Nothing left that they can do here": ["Student 1"],
        "Reminders turned off": ["Student 2"],
    }
    assert answer.context["letter"]["to"] == "Student 3"
    letter = answer.context["letter"]["letter"]
    assert letter.language == "de"
    assert Mail.objects.count() == Reminder.objects.count() == 0

    client.post(stage.path, {"members": answer.context["members"]})
    write_waiting_reminders()

    sent = Mail.objects.get(person=stage.students[2].person)
    assert letter.subject == sent.subject
    assert letter.text == re.sub(r"(http://localhost:8000)/reminders/\S+", r"\1…", sent.text)
    page = client.get(stage.path)
    assert (page.context["count"], page.context["lately"]) == (0, 3)
    assert client.get(stage.path, {"insist": "yes"}).context["count"] == 3


def test_only_those_are_reminded_who_stood_in_the_preview(stage):
    client = stage.client("instructor")
    members = client.get(stage.path, {"search": "Student 3"}).context["members"]
    members += f",{stage.other_students[0].pk},x,-1,{'9' * 40}"

    answer = client.post(stage.path, {"members": members, "search": "Student 3"})

    assert Reminder.objects.get().membership == stage.students[2]
    assert answer["Location"] == f"{stage.assignment.get_absolute_url()}progress?search=Student+3"


def test_too_many_rounds_are_told_on_the_page(stage):
    client = stage.client("instructor")
    answers = [client.post(stage.path, {"members": ""}) for _ in range(ROUNDS + 1)]

    assert [one.status_code for one in answers] == [302] * ROUNDS + [429]


# -- by itself ---------------------------------------------------------------------------------------


def test_before_a_due_date_those_are_reminded_who_are_behind_once_for_each_date(stage):
    due_in(stage, due_at=25 * HOUR)
    assert note_due_reminders() == 0

    due_in(stage, due_at=22 * HOUR)
    maintain()
    Reminder.objects.update(made_at=timezone.now() - QUIET - HOUR)
    assert (note_due_reminders(), Mail.objects.count()) == (0, 4)
    assert Event.objects.get(verb="reminded").actor is None

    due_in(stage, due_at=23 * HOUR)
    assert note_due_reminders() == 4
    due_in(stage, due_at=2 * HOUR)
    assert note_due_reminders() == 0, "not again within the quiet time"


def test_who_has_more_time_is_reminded_later(stage):
    due_in(stage, due_at=HOUR)
    extend(stage.assignment, stage.students[1], due_at=timezone.now() + 48 * HOUR)

    assert note_due_reminders() == 3

    Assignment.objects.update(due_at=timezone.now() - 30 * HOUR)
    Extension.objects.update(due_at=timezone.now() + 20 * HOUR)
    assert note_due_reminders() == 1


def test_no_reminders_where_none_are_due(stage):
    due_in(stage, due_at=HOUR)
    ours = Assignment.objects.filter(pk=stage.assignment.pk)
    as_it_was = {"phase": Phase.SUBMITTING, "remind_hours": stage.assignment.remind_hours}

    for fields in ({"remind_hours": 0}, {"phase": Phase.SETUP}, {"phase": Phase.CLOSED}):
        ours.update(**as_it_was | fields)
        assert note_due_reminders() == 0, fields

    ours.update(**as_it_was)
    Course.objects.update(hidden_at=timezone.now())
    assert note_due_reminders() == 0  # of a course that is over
    Course.objects.update(hidden_at=None)
    assert note_due_reminders() == 4


def test_what_one_mail_told_is_not_told_again_hours_later(stage):
    """Reviews of another assignment are due a few hours after this one: one mail is enough for both."""
    second = assignment(stage.course, phase=Phase.SUBMITTING, due_at=timezone.now() + 30 * HOUR)
    due_in(stage, due_at=20 * HOUR)
    for hours in (second.remind_hours, 72):
        Assignment.objects.filter(pk=second.pk).update(remind_hours=hours)
        note_due_reminders()
        write_waiting_reminders()
        Reminder.objects.update(made_at=timezone.now() - QUIET - HOUR)

        assert Mail.objects.filter(person=stage.people["neighbour"]).count() == 1


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_two_instances_send_nothing_twice(transactional_db):
    cast = Cast()
    move(cast.assignment, Phase.SUBMITTING)
    due_in(cast, due_at=HOUR)

    def one_instance(_number: int) -> None:
        note_due_reminders()
        write_waiting_reminders()
        send_waiting_mail()

    at_once(one_instance, range(8))

    assert Reminder.objects.count() == Mail.objects.count() == 5
    assert not Mail.objects.filter(attempts__gt=1).exists()


# -- the mail ----------------------------------------------------------------------------------------


def test_mail_is_on_the_clock_and_in_the_language_of_the_course(stage):
    Course.objects.filter(pk=stage.course.pk).update(time_zone="Asia/Tokyo", language="fr")
    Person.objects.filter(pk=stage.people["neighbour"].pk).update(language="de")
    at = timezone.now().replace(hour=20, minute=17, second=0, microsecond=0) + timedelta(days=3)
    Assignment.objects.filter(pk=stage.assignment.pk).update(due_at=at)

    send(stage)

    texts = {one.language: one.text for one in Mail.objects.all()}
    assert set(texts) == {"de", "fr"}
    assert all("5:17" in text and "Asia/Tokyo" in text for text in texts.values())


def test_each_goes_to_one_person_with_a_link_that_is_not_kept(stage, mailoutbox):
    send(stage)
    assert send_waiting_mail() == 4

    expected = [[f"student{number}@example.org"] for number in range(2, 6)]
    assert sorted(one.recipients() for one in mailoutbox) == expected
    message = message_from_bytes(mailoutbox[0].message().as_bytes(), policy=policy.default)
    assert message["Subject"] == "Still to do in Course"
    link = re.search(r"http://localhost:8000(/reminders/\S+)", message.get_content())[1]
    assert message["List-Unsubscribe"].strip() == f"<http://localhost:8000{link}>"
    assert link not in Mail.objects.first().text


def test_link_in_the_mail_and_the_account_page_turn_them_off(stage, client):
    def wants() -> bool:
        return Person.objects.get(pk=stage.people["neighbour"].pk).wants_reminders

    send(stage)
    mail = Mail.objects.get(person=stage.people["neighbour"])
    link = re.search(r"http://localhost:8000(/reminders/\S+)", mail.text)[1]
    assert client.get(link).status_code == 200
    assert wants()  # only its button does it

    client.post(link, {"wanted": "no"})
    assert not wants()
    client.post(link, {"wanted": "yes"})
    assert wants()
    assert client.get(link[:-2] + "xx").status_code == 410

    signed_in = stage.client("neighbour")
    signed_in.post("/account", {"name": "S", "language": ""})
    assert not wants()
    signed_in.post("/account", {"name": "S", "language": "", "wants_reminders": "on"})
    assert wants()


def test_an_hour_takes_few_reminders_and_other_mail_goes_first(stage, settings, monkeypatch):
    settings.REMINDERS_PER_HOUR = 3
    monkeypatch.setattr("peerage_web.accounts.services.mail.BATCH", 1)
    send(stage)
    queue_mail(person=stage.people["operator"], kind="reset", context={"link": "/link/x"})

    assert send_waiting_mail() == 1
    assert [one.kind for one in Mail.objects.exclude(sent_at=None)] == ["reset"]
    assert [send_waiting_mail() for _ in range(4)] == [1, 1, 1, 0]

    queue_mail(person=stage.people["operator"], kind="reset", context={"link": "/link/y"})
    assert (send_waiting_mail(), send_waiting_mail()) == (1, 0)
    assert not Mail.objects.filter(kind="reset", sent_at=None).exists()

    Mail.objects.filter(kind="reminder").exclude(sent_at=None).update(sent_at=timezone.now() - 2 * HOUR)
    assert send_waiting_mail() == 1


def test_numbers_told_on_the_page_are_those_that_hold():
    from peerage_web.classes.texts import NOT_REMINDED

    assert (MOST_A_DAY, "three times" in str(NOT_REMINDED["often"])) == (3, True)
    assert f"{QUIET // HOUR} hours" in str(NOT_REMINDED["lately"])
    assert timedelta(hours=72) <= reminders.LONGEST
