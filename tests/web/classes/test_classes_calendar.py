"""The calendar of one's deadlines: a secret address, correct iCalendar, one's own dates and nobody else's."""

from datetime import timedelta

import icalendar
import pytest
from django.utils import timezone
from tests.web.classes.cast import extend, join, move

from peerage_web.accounts.models import Person
from peerage_web.classes.assignments import services
from peerage_web.classes.calendars.services import CalendarEntry, calendar
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.roster.services import drop_member
from peerage_web.configuration.logs import without_secrets


@pytest.fixture
def stage(cast):
    move(cast.assignment, Phase.SUBMITTING)
    return cast


def subscribe(cast, word: str = "student") -> str:
    cast.client(word).post("/calendar/renew")
    return f"/calendar/{Person.objects.get(pk=cast.people[word].pk).calendar_key}.ics"


def entries(client, path: str) -> dict[str, icalendar.Event]:
    answer = client.get(path)
    assert answer.status_code == 200
    read = icalendar.Calendar.from_ical(answer.content)
    assert read.errors == []
    assert (str(read["version"]), "prodid" in read) == ("2.0", True)
    found = {str(one["uid"]): one for one in read.walk("VEVENT")}
    assert all(one.errors == [] and "dtstamp" in one for one in found.values())
    return found


def test_calendar_holds_both_deadlines_without_a_sign_in_and_is_not_sent_twice(stage, client):
    path = subscribe(stage)
    first = client.get(path)
    found = entries(client, path)

    key = stage.assignment.key
    assert {uid: one["dtstart"].dt for uid, one in found.items()} == {
        f"{key}.submission@localhost": stage.assignment.due_at,
        f"{key}.reviews@localhost": stage.assignment.reviews_due_at,
    }
    submission = found[f"{key}.submission@localhost"]
    assert str(submission["summary"]) == "Submission due: Poster"
    assert str(submission["url"]) == f"http://localhost:8000/c/{stage.course.key}/a/{key}/"
    again = client.get(path, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert first.content == client.get(path).content


def test_uids_stay_when_dates_move_and_the_entry_says_that_it_changed(stage, client):
    stage.course.assignments.update(created_at=timezone.now() - timedelta(hours=1))
    path = subscribe(stage)
    before = entries(client, path)
    later = stage.assignment.due_at + timedelta(days=1)

    services.change_assignment(assignment=stage.assignment, by=stage.people["instructor"], due_at=later)

    after = entries(client, path)
    uid = f"{stage.assignment.key}.submission@localhost"
    assert before.keys() == after.keys()
    assert after[uid]["dtstart"].dt == later
    assert after[uid]["dtstamp"].dt > before[uid]["dtstamp"].dt


def test_extension_is_in_ones_own_calendar_and_in_no_other(stage, client):
    later = stage.assignment.reviews_due_at + timedelta(days=2)
    Course.objects.update(time_zone="Asia/Tokyo")
    extend(stage.assignment, stage.students[0], reviews_due_at=later, reason="broken arm")
    uid = f"{stage.assignment.key}.reviews@localhost"

    own, other = (entries(client, subscribe(stage, word))[uid] for word in ("student", "neighbour"))

    assert (own["dtstart"].dt, other["dtstart"].dt) == (later, stage.assignment.reviews_due_at)
    assert "extension" in str(own["description"])
    assert "Asia/Tokyo" in str(own["description"])
    assert "extension" not in str(other["description"])
    assert "arm" not in str(own["description"])


def test_it_has_what_is_published_in_courses_that_are_ones_own_and_not_over(stage, client):
    join(stage.other, stage.people["student"], Role.STUDENT)
    move(stage.elsewhere, Phase.SUBMITTING)
    path = subscribe(stage)
    assert len(entries(client, path)) == 4

    Course.objects.filter(pk=stage.other.pk).update(hidden_at=timezone.now())
    assert len(entries(client, path)) == 2
    move(stage.assignment, Phase.SETUP)
    assert entries(client, path) == {}
    move(stage.assignment, Phase.SUBMITTING)
    assert len(entries(client, path)) == 2
    drop_member(member=Membership.objects.get(pk=stage.students[0].pk), by=stage.people["instructor"])
    assert entries(client, path) == {}


def test_only_the_newest_address_leads_to_it_and_the_page_shows_it(stage, client):
    path = subscribe(stage)
    text = stage.client("student").get("/calendar").content.decode()

    assert f'value="http://localhost:8000{path}"' in text
    assert path not in stage.client("neighbour").get("/calendar").content.decode()
    assert "Poster" in text

    first, second = subscribe(stage), subscribe(stage)
    me = Person.objects.filter(pk=stage.people["student"].pk)

    assert first != second
    assert (client.get(first).status_code, client.get(second).status_code) == (404, 200)
    me.update(is_active=False)
    assert client.get(second).status_code == 404
    me.update(is_active=True)
    stage.client("student").post("/calendar/renew", {"end": "yes"})
    assert client.get(second).status_code == 404
    for key in ("None", "%00", "x" * 32, "..", "x" * 300, "-", "%20"):
        assert client.get(f"/calendar/{key}.ics").status_code == 404, key
    logged = [without_secrets(one) for one in ("/calendar/abcDEF-_1.ics", "/reminders/8:abc-DEF")]
    assert logged == ["/calendar/…", "/reminders/…"]


def test_any_text_comes_back_as_it_was():
    at = timezone.now().replace(microsecond=0)
    for text in (
        "a, b; c\\d\ne",
        "Größe – 大学 😀 " * 20,
        "x" * 200,
        "line\r\nBEGIN:VEVENT\rEND:VCALENDAR",
        "nul\0bell\a",
        "",
    ):
        moment = CalendarEntry("a@b", at=at, changed_at=at, title=text, text=text, url="http://localhost/x")

        whole = calendar(name=text, moments=[moment])

        assert all(len(line.encode()) <= 75 for line in whole.split("\r\n"))
        assert "\n" not in whole.replace("\r\n", "")
        (read,) = icalendar.Calendar.from_ical(whole).walk("VEVENT")
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        kept = "".join(one for one in lines if one == "\n" or one >= " ")
        assert (str(read["summary"]), str(read["description"])) == (kept, kept)
