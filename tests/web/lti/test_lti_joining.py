"""An account of the platform and one with an e-mail address become one, by somebody who proves both."""

import pytest
from django.test import Client
from tests.web.classes.cast import submit
from tests.web.lti.tool import FRAME, OWN, text_of

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.lti.models import LtiContext, LtiPlace

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def proof(person: Person, **more: str) -> dict[str, str]:
    person.set_password(PASSWORD)
    person.save()
    return {"email": person.email, "password": PASSWORD, "sure": "on", **more}


@pytest.fixture
def student(cast) -> Membership:
    """There by e-mail."""
    return cast.students[0]


@pytest.fixture
def window(tool, course) -> Client:
    """Of the same student, signed in through the platform."""
    tool.launch(sub="s1")
    return tool.client


def test_a_course_of_an_email_account_is_connected_by_who_proves_both(tool, cast):
    teacher = cast.people["instructor"]
    where = tool.launch(headers=FRAME, sub="t1", roles=("Instructor",))["Location"]
    before = text_of(tool.client.get(where))
    ticket = tool.client.post(where, {"join": "yes"}, headers=OWN).context["ticket"]
    browser = Client()
    opened = browser.post("/lti/open", {"ticket": ticket}, headers=OWN)

    joined = browser.post(opened["Location"], proof(teacher))
    after = text_of(tool.client.get(where))
    tool.client.post(where, {"course": cast.course.key}, headers=OWN)

    assert (opened["Location"], joined["Location"]) == ("/lti/join", "/courses")
    assert (cast.course.name in before, cast.course.name in after) == (False, True)
    assert LtiContext.objects.get().course == cast.course
    assert tool.person("t1") == teacher


@pytest.mark.parametrize("wrong", [{"password": "another"}, {"sure": ""}, {"email": "nobody@example.org"}])
def test_nothing_is_joined_without_both_proofs_and_a_confirmation(tool, window, student, wrong):
    answer = window.post("/lti/join", proof(student.person, **wrong))

    assert (answer.status_code, tool.person("s1") == student.person) == (422, False)


def test_guesses_are_counted_as_at_a_sign_in(window, student):
    sent = proof(student.person, password="another")

    answers = [window.post("/lti/join", sent).status_code for _ in range(60)]

    assert answers[-1] == 429


def test_a_student_who_was_there_by_email_keeps_the_place_and_the_work(tool, window, course, cast, student):
    submission = submit(cast.assignment, student)
    second = tool.member(course, "s1")

    answer = window.post("/lti/join", proof(student.person))

    tool.launch(sub="s1")
    second.refresh_from_db()
    assert (answer.status_code, tool.member(course, "s1"), second.role) == (302, student, Role.DROPPED)
    assert (LtiPlace.objects.get().membership, submission.author) == (student, student)
    assert not second.person.is_active
    assert Event.objects.get(verb="accounts-joined").subject == student


def test_work_that_was_done_through_the_platform_is_kept_likewise(tool, window, course, cast, student):
    second, account = tool.member(course, "s1"), student.person
    submit(cast.assignment, second)

    window.post("/lti/join", proof(account))

    second.refresh_from_db()
    student.refresh_from_db()
    assert (second.person, second.role, student.role) == (account, Role.STUDENT, Role.DROPPED)


def test_two_places_with_work_are_for_staff_to_decide(tool, window, course, cast, student):
    for member in (student, tool.member(course, "s1")):
        submit(cast.assignment, member)

    answer = window.post("/lti/join", proof(student.person))

    assert (answer.status_code, "Both accounts have work" in text_of(answer)) == (422, True)
    assert tool.person("s1") != student.person


def test_only_accounts_of_platforms_are_joined_and_none_with_an_operators(window, cast):
    """A platform could sign its own people in as whoever is joined."""
    answer = window.post("/lti/join", proof(cast.people["operator"]))

    assert (answer.status_code, "administers this site" in text_of(answer)) == (422, True)
    assert cast.client("student").get("/lti/join").status_code == 404
