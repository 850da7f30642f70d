"""People of a course: roles take effect at once, somebody always runs it; lists are in the order of names."""

import pytest
from tests.web.classes.cast import move, submit
from tests.web.page_facts import texts

from peerage_web.accounts.models import Mail, OneTimeLink, Person
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.names import name_key
from peerage_web.classes.roster import services as people
from peerage_web.shared.errors import Refused


def test_last_instructor_stays_and_student_numbers_are_of_one_alone(cast):
    by = cast.people["instructor"]

    with pytest.raises(Refused, match="A course needs an instructor"):
        people.drop_member(member=cast.member("instructor"), by=by)
    with pytest.raises(Refused, match="belongs to somebody else"):
        people.change_member(member=cast.students[0], by=by, student_id=cast.students[1].student_id)


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

    page = cast.client("instructor").get(f"/c/{cast.course.key}/activity-log")

    assert "changed the section of Student 1 from “–” to “North”" in texts(page, "td")


AS_PEOPLE_SORT = ["anna Ost", "Åsa", "Émile", "Ergün", "Øst", "Zoë"]


def test_names_sort_as_people_do():
    # the last two are equal but for the accent: always the same way round
    for names in (AS_PEOPLE_SORT, ["Team", "Team 02", "team 2", "Team 10"], ["e", "é"]):
        backwards = names[::-1]
        assert sorted(backwards, key=name_key) == names


@pytest.mark.both
def test_pages_of_staff_list_names_so(cast):
    for member, name in zip(cast.students, reversed(AS_PEOPLE_SORT), strict=False):
        Membership.objects.filter(pk=member.pk).update(name=name)
        submit(cast.assignment, member)
    move(cast.assignment, Phase.SUBMITTING)
    own = cast.assignment.get_absolute_url()
    client = cast.client("instructor")

    for page in (f"{cast.course.get_absolute_url()}people", f"{own}submissions", f"{own}progress"):
        text = client.get(page, follow=True).content.decode()

        places = [text.index(name) for name in AS_PEOPLE_SORT[1:]]
        assert places == sorted(places), page
