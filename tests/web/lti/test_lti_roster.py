"""Names and Roles: page by page within one origin, previewed as a file is, and roles that are taken away."""

import pytest
from django.test import Client
from tests.web.classes.cast import join
from tests.web.lti.strict_platform import CLAIM, MEMBERSHIP
from tests.web.lti.tool import as_moodle, text_of

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.lti.models import LtiRegistration

pytestmark = pytest.mark.django_db


TEST_USER = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"


def listed(name: str, *roles: str, **more: str) -> dict[str, object]:
    return {"name": name, "roles": roles or ["Learner"], "status": "Active", **more}


@pytest.fixture
def course(cast, tool, platform):
    Membership.objects.filter(course=cast.course, role=Role.STUDENT).delete()
    tool.connect(cast.course)
    platform.members = {
        "t1": listed("Teacher", "Instructor"),
        **{f"s{n}": listed(f"Student{n}", email=f"student{n}@uni.example") for n in range(1, 6)},
        "x1": listed("Test", "Learner", TEST_USER),
    }
    return cast.course


@pytest.fixture
def staff(cast) -> Client:
    return cast.client("instructor")


def look(staff, course):
    return staff.post(f"/c/{course.key}/platform/roster")


def take(staff, course, **more):
    sent = {"fingerprint": look(staff, course).context["fingerprint"], **more}
    return staff.post(f"/c/{course.key}/platform/roster", sent)


def roles(course) -> dict[str, str]:
    found = Membership.objects.filter(course=course, lti_places__isnull=False)
    return dict(found.values_list("lti_places__subject", "role"))


def test_a_paged_list_is_previewed_and_what_was_shown_is_done(staff, course, tool, platform):
    before = (Membership.objects.count(), Person.objects.count())

    page = look(staff, course)
    changes = page.context["changes"]
    assert (page.status_code, len(changes.add), page.context["fetched"].test_users) == (200, 6, 1)
    assert len([one for one in platform.log if one[1].startswith("/members")]) == 4
    assert (Membership.objects.count(), Person.objects.count()) == before

    answer = take(staff, course)
    assert answer["Location"] == f"/c/{course.key}/people"
    assert roles(course) == {"t1": "instructor", **{f"s{n}": "student" for n in range(1, 6)}}
    assert tool.member(course, "s1").name == "Student1"
    assert tool.person("s1").shown_address == "student1@uni.example"
    assert look(staff, course).context["changes"].is_empty

    people = Person.objects.count()
    tool.launch(sub="s1")
    assert Person.objects.count() == people  # the same at their launch


def test_demotion_drop_and_suspension_hold_at_the_next_sync(staff, course, tool, platform):
    platform.members["t2"] = listed("Second", f"{MEMBERSHIP}Instructor")
    take(staff, course)
    platform.members["t2"]["roles"] = ["Learner"]
    platform.members["s1"]["status"] = "Inactive"
    platform.members["s2"]["roles"] = ["Mentor"]
    del platform.members["s3"]

    page = look(staff, course)
    shown = {one.member.name: one.fields["role"][1] for one in page.context["changes"].update}
    take(staff, course, drop="on")

    assert shown == {"Second": "Student", "Student1": "Dropped", "Student2": "Dropped"}
    dropped, kept = dict.fromkeys(("s1", "s2", "s3"), "dropped"), dict.fromkeys(("t2", "s4", "s5"), "student")
    assert roles(course) == {"t1": "instructor", **dropped, **kept}


@as_moodle
def test_staff_whom_the_platform_no_longer_names_are_dropped_by_the_same_tick(
    staff, course, tool, platform, cast
):
    """Moodle leaves suspended people off its list; a role in another course opens nothing here."""
    platform.members["t2"] = listed("Second", "Instructor")
    take(staff, course)
    platform.members["t2"]["status"] = "Inactive"
    del platform.members["t1"]
    tool.connect(cast.other, "ctx-2")

    page = look(staff, course)
    as_assistant = look(cast.client("assistant"), course).context["changes"].missing
    take(staff, course, drop="on")
    tool.launch(sub="t2", roles=("Instructor",), **{f"{CLAIM}context": {"id": "ctx-2"}})

    assert [one.name for one in page.context["changes"].missing] == ["Second", "Teacher"]
    assert "Second (Instructor)" in text_of(page)
    assert as_assistant == []  # only instructors take roles of staff away
    assert (roles(course)["t1"], tool.member(course, "t2").role) == ("dropped", "dropped")
    assert tool.member(cast.other, "t2").role == "instructor"
    dropped = Event.objects.filter(course=course, verb="member-dropped", actor=cast.people["instructor"])
    assert dropped.count() == 2
    assert cast.client(tool.member(course, "t2")).get(f"/c/{course.key}/").status_code == 404


def test_who_another_course_of_the_platform_names_is_not_missing(staff, course, tool, platform):
    """Two of its courses can be one of ours."""
    tool.connect(course, "ctx-2")
    tool.launch(sub="s9", **{f"{CLAIM}context": {"id": "ctx-2"}})

    assert look(staff, course).context["changes"].missing == []


@as_moodle
def test_the_roster_decides_and_a_launch_neither_raises_nor_demotes(staff, course, tool, platform):
    """Moodle's non-editing teacher, and its teacher who has switched to the role of a student."""
    platform.members["t2"] = listed("Not editing")
    tool.launch(sub="t2", roles=("Instructor",))  # before there was a roster
    early = tool.member(course, "t2").role
    take(staff, course)

    after = tool.member(course, "t2").role
    tool.launch(sub="t2", roles=("Instructor",))
    tool.launch(sub="t1", roles=("Learner",))

    assert (early, after, tool.member(course, "t2").role) == ("instructor", "student", "student")
    assert tool.member(course, "t1").role == "instructor"
    assert look(staff, course).context["changes"].is_empty


def test_who_was_dropped_by_a_sync_comes_back_with_the_next(staff, course, platform):
    take(staff, course)
    gone = platform.members.pop("s1")
    take(staff, course)
    assert roles(course)["s1"] == "student"  # without the tick nobody is dropped
    take(staff, course, drop="on")
    platform.members["s1"] = gone

    changes = look(staff, course).context["changes"]
    take(staff, course)

    assert [one.member.name for one in changes.take_back] == ["Student1"]
    assert roles(course)["s1"] == "student"


def test_a_student_of_a_file_is_known_again_by_number_and_the_place_moves(staff, course, tool, platform):
    old = Person.objects.create_user("old@example.org", name="Old")
    place = join(course, old, Role.STUDENT, student_id="n1")
    platform.members["s1"]["lis_person_sourcedid"] = "n1"

    changes = look(staff, course).context["changes"]
    take(staff, course, move="on")

    (moved,) = [one for one in changes.update if "account" in one.fields]
    place.refresh_from_db()
    assert (moved.member.pk, place.person) == (place.pk, tool.person("s1"))
    assert not old.memberships.exists()


def test_without_the_tick_an_address_moves_nobodys_place(staff, course, tool):
    """Somebody could have written a classmate's address into their profile on the platform."""
    old = Person.objects.create_user("student1@uni.example", name="Victim")
    place = join(course, old, Role.STUDENT)

    page = text_of(look(staff, course))
    take(staff, course)

    place.refresh_from_db()
    assert "Victim (student1@uni.example) → Student1 (student1@uni.example)" in page
    assert (place.person, tool.member(course, "s1").person != old) == (old, True)


def test_a_list_that_has_changed_since_is_shown_again(staff, course, platform):
    expected = look(staff, course).context["fingerprint"]
    platform.members["s9"] = listed("Late")

    answer = staff.post(f"/c/{course.key}/platform/roster", {"fingerprint": expected})

    assert (answer.status_code, len(answer.context["changes"].add)) == (422, 7)
    assert roles(course) == {}


@pytest.mark.parametrize(
    ("origin", "calls", "words"),
    [("http://localhost:1", [], "on another host"), ("", [None, 503], "could not be fetched")],
)
def test_a_list_that_does_not_come_whole_is_none(staff, course, platform, origin, calls, words):
    platform.next_origin = origin
    platform.scripts["members"] = calls

    answer = look(staff, course)

    assert (answer.status_code, words in text_of(answer)) == (422, True)
    assert roles(course) == {}


def test_a_platform_may_not_lead_us_into_our_own_network(staff, course, tool, platform):
    """Only hosts that were named at the registration may be private ones."""
    elsewhere = platform.base.replace("127.0.0.1", "localhost")
    addresses = {f"{name}_url": f"{elsewhere}/{name}" for name in ("auth", "token", "jwks")}
    audience = f"{platform.base}/token"  # which the platform insists on
    LtiRegistration.objects.update(**addresses, token_audience=audience)

    answer = look(staff, course)

    assert (answer.status_code, "a private network" in text_of(answer)) == (422, True)
    assert [one for one in platform.log if one[1].startswith("/members")] == []
