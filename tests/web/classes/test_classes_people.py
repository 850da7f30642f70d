"""People of a course: roles take effect at once, somebody always runs it, and all of it is recorded."""

from __future__ import annotations

import pytest
from tests.web.page_facts import broken_rules, texts

from peerage_web.accounts.models import Mail, OneTimeLink, Person
from peerage_web.classes.models import Event, Membership
from peerage_web.classes.services import people
from peerage_web.classes.words import Role
from peerage_web.shared.errors import Refused


def test_role_taken_away_holds_at_the_next_request(cast):
    client = cast.client("assistant")
    path = f"/c/{cast.course.key}/people"
    assert client.get(path).status_code == 200

    people.change_role(member=cast.member("assistant"), by=cast.people["instructor"], role=Role.STUDENT)
    assert client.get(path).status_code == 403

    people.drop_member(member=cast.member("assistant"), by=cast.people["instructor"])
    assert client.get(path).status_code == 404


def test_last_instructor_stays(cast):
    with pytest.raises(Refused, match="A course needs an instructor"):
        people.drop_member(member=cast.member("instructor"), by=cast.people["instructor"])


def test_assistants_cannot_touch_staff(cast):
    client, base = cast.client("assistant"), f"/c/{cast.course.key}/people"
    instructor = cast.member("instructor")

    answers = [
        client.post(f"{base}/{instructor.pk}/drop").status_code,
        client.post(f"{base}/{instructor.pk}/", {"name": "x"}).status_code,
        client.post(f"{base}/{instructor.pk}/role", {"role": "student"}).status_code,
        client.post(f"{base}/staff", {"email": "x@example.org", "role": "instructor"}).status_code,
    ]

    assert answers == [403] * 4
    assert Membership.objects.get(pk=instructor.pk).role == Role.INSTRUCTOR


def test_staff_invitation_leads_into_the_course(cast, client):
    base = f"/c/{cast.course.key}/people"
    cast.client("instructor").post(f"{base}/staff", {"email": "New@example.org", "role": "assistant"})

    mail = Mail.objects.get()
    (line,) = [line for line in mail.text.splitlines() if "/link/" in line]
    client.post("/link/" + line.rsplit("/", 1)[1], {"name": "New", "password": "four plain words here"})

    assert client.get(base).status_code == 200
    assert Person.objects.get(email="new@example.org").name == "New"


def test_who_has_a_password_gets_no_link(cast):
    person = Person.objects.create_user("old@example.org", password="four plain words here")
    member = people.add_member(
        course=cast.course, by=cast.people["instructor"], email=person.email, role=Role.STUDENT
    )

    people.invite(members=[member], by=cast.people["instructor"])

    assert "/link/" not in Mail.objects.get().text
    assert not OneTimeLink.objects.exists()


def test_changes_are_recorded_in_words(cast):
    people.change_member(member=cast.students[0], by=cast.people["instructor"], section="North")

    page = cast.client("instructor").get(f"/c/{cast.course.key}/record")

    assert broken_rules(page) == []
    assert "changed the section of Student 1 from “–” to “North”" in texts(page, "td")


def test_the_record_is_only_added_to(cast):
    people.drop_member(member=cast.students[0], by=cast.people["instructor"])
    event, everything = Event.objects.get(), Event.objects.all()

    for change in (
        event.save,
        event.delete,
        everything.delete,
        lambda: everything.update(verb="x"),
    ):
        with pytest.raises(TypeError, match="only added to"):
            change()


def test_student_number_of_somebody_else_is_refused(cast):
    with pytest.raises(Refused, match="belongs to somebody else"):
        people.change_member(
            member=cast.students[0], by=cast.people["instructor"], student_id=cast.students[1].student_id
        )


@pytest.mark.parametrize("path", ["people", "", "record"])
def test_lists_cost_the_same_for_more_people(cast, path, django_assert_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext
    from tests.web.classes.cast import assignment, students

    client, address = cast.client("instructor"), f"/c/{cast.course.key}/{path}"
    people.change_member(member=cast.students[0], by=cast.people["instructor"], section="North")
    client.get(address)
    with CaptureQueriesContext(connection) as before:
        client.get(address)
    for member in students(cast.course, 5, "more"):
        people.change_member(member=member, by=cast.people["instructor"], section="North")
        assignment(cast.course)

    with django_assert_num_queries(len(before)):
        client.get(address)
