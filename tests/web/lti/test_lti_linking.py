"""Deep Linking, links that say nothing yet, courses that are connected, and copies of courses."""

import re
import time

import jwt
import pytest
from tests.web.classes.cast import join, move
from tests.web.lti.strict_platform import CLAIM, DL
from tests.web.lti.tool import FRAME, LAUNCH, OWN, text_of

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.roster.services import change_role
from peerage_web.lti.models import LtiContext, LtiLineItem, LtiLink, LtiPicking

pytestmark = pytest.mark.django_db


def opens(assignment: Assignment, **more: str) -> dict:
    """What a link of ours carries."""
    return {f"{CLAIM}custom": {"peerage_assignment": assignment.key, **more}}


def linking(platform, **settings) -> dict:
    asked = {
        "deep_link_return_url": f"{platform.base}/deep-links?back=1",
        "accept_types": ["link", "ltiResourceLink"],
        "accept_presentation_document_targets": ["iframe"],
        "data": "as it was",
        **settings,
    }
    return {
        f"{CLAIM}message_type": "LtiDeepLinkingRequest",
        f"{CLAIM}resource_link": ...,
        f"{DL}deep_linking_settings": asked,
    }


def pick(tool, platform, **claims):
    answer = tool.launch(headers=FRAME, roles=("Instructor",), **{**linking(platform), **claims})
    assert answer.status_code == 302, text_of(answer)
    return answer["Location"]


def message(platform, page) -> dict:
    token = re.search(r'name="JWT" value="([^"]+)"', page.content.decode())[1]
    (key,) = platform.tool_keys()["keys"]
    claims = jwt.decode(token, jwt.PyJWK(key).key, algorithms=["RS256"], audience=platform.issuer)
    assert claims["iss"] == "client-a"
    assert claims[f"{CLAIM}deployment_id"] == "d1"
    assert claims["exp"] > time.time()
    return claims


def test_a_chosen_assignment_goes_back_signed_and_once(tool, platform, course, cast):
    where = pick(tool, platform)
    assert cast.assignment.title in text_of(tool.client.get(where))

    page = tool.client.post(where, {"assignment": cast.assignment.key}, headers=OWN)

    claims = message(platform, page)
    (item,) = claims[f"{DL}content_items"]
    assert claims[f"{DL}data"] == "as it was"
    assert item["custom"]["peerage_assignment"] == cast.assignment.key
    column = {"label": "Poster", "scoreMaximum": 100, "resourceId": cast.assignment.key, "tag": "submission"}
    assert item["lineItem"] == column
    assert item["url"] == LAUNCH
    assert f"form-action 'self' {platform.base};" in page["Content-Security-Policy"]
    assert f'action="{platform.base}/deep-links?back=1"' in page.content.decode()
    again = tool.client.post(where, {"assignment": cast.assignment.key}, headers=OWN)
    assert again.status_code == 404


def test_a_new_assignment_can_be_made_on_the_way(tool, platform, course):
    where = pick(tool, platform, **linking(platform, title="Lab report"))  # typed on the platform
    asked = tool.client.get(where)
    page = tool.client.post(where, {"assignment": "new", "title": "Essay"}, headers=OWN)

    assert 'value="Lab report"' in asked.content.decode()
    made = Assignment.objects.get(title="Essay", course=course)
    (item,) = message(platform, page)[f"{DL}content_items"]
    assert item["custom"]["peerage_assignment"] == made.key
    assert (made.phase, made.prompts.count()) == (Phase.SETUP, 2)


def test_students_and_other_pages_choose_nothing(tool, platform, course, cast):
    student = tool.launch(headers=FRAME, roles=("Learner",), **linking(platform))
    where, chosen = pick(tool, platform), {"assignment": cast.assignment.key}

    foreign = tool.client.post(where, chosen, headers={"Origin": "https://evil.example"})
    others = tool.client.post(where, {"assignment": cast.elsewhere.key}, headers=OWN)

    assert (student.status_code, foreign.status_code, others.status_code) == (403, 422, 422)


def test_who_lost_the_role_meanwhile_chooses_nothing(tool, platform, course, cast):
    where = pick(tool, platform)
    change_role(member=tool.member(course), by=None, role=Role.STUDENT)

    answer = tool.client.post(where, {"assignment": cast.assignment.key}, headers=OWN)

    assert (answer.status_code, "Only course staff" in text_of(answer)) == (422, True)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"deep_link_return_url": "https://evil.example/back"}, "not in the registration"),
        ({"deep_link_return_url": "javascript:alert(1)"}, "did not say where"),
        ({"accept_types": ["file"]}, "does not accept links"),
    ],
)
def test_an_answer_goes_to_the_registered_platform_alone(tool, platform, course, asked, words):
    answer = tool.launch(headers=FRAME, roles=("Instructor",), **linking(platform, **asked))

    assert (answer.status_code, words in text_of(answer)) == (403, True)


# -- connecting, and links that say nothing ---------------------------------------------------------


def test_an_instructor_connects_a_new_course_and_students_follow(tool, platform, db):
    early = tool.launch(sub="s1")
    where = tool.launch(headers=FRAME, sub="t1", roles=("Instructor",), name="Teacher")["Location"]
    page = tool.client.get(where)
    tool.client.post(where, {"name": "Physics 1"}, headers=OWN)
    opened = tool.client.post(where, {"assignment": "new", "title": "Essay"}, headers=OWN)
    student = tool.launch(sub="s1", **{f"{CLAIM}resource_link": {"id": "another"}})

    made = Course.objects.get(name="Physics 1")
    assert "not set up Peerage" in text_of(early)
    assert "Physics" in text_of(page)
    assert opened.context["ticket"]
    assert tool.member(made, "t1").role == Role.INSTRUCTOR
    assert student["Location"] == f"/c/{made.key}/"
    assert LtiLink.objects.get(link_id="link-1").assignment.title == "Essay"


@pytest.mark.parametrize(
    ("said", "offered", "is_guess"),
    [
        ("Europe/Berlin", "Europe/Berlin", False),
        ("99", "UTC", True),  # Moodle's word for that of the server
        ("$Person.address.timezone", "UTC", True),
    ],
)
def test_a_new_course_takes_the_platforms_time_zone_or_asks(tool, db, said, offered, is_guess):
    custom = {f"{CLAIM}custom": {"peerage_time_zone": said}}
    where = tool.launch(headers=FRAME, sub="t1", roles=("Instructor",), **custom)["Location"]
    page = text_of(tool.client.get(where))

    wrong = tool.client.post(where, {"name": "A", "time_zone": "No/Where"}, headers=OWN)
    tool.client.post(where, {"name": "A", "time_zone": "Asia/Tokyo"}, headers=OWN)

    assert f'value="{offered}"' in page
    assert ("data-guess" in page) is is_guess  # the browser's own, which a script fills in
    assert wrong.status_code == 422
    assert Course.objects.get().time_zone == "Asia/Tokyo"


def test_only_an_instructor_connects(tool, db):
    assistant = "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"

    answers = [tool.launch(roles=one) for one in (("Learner",), (assistant,))]

    assert [one.status_code for one in answers] == [403, 403]
    assert not LtiPicking.objects.exists()


def test_one_of_ones_own_courses_can_be_connected_and_no_other(tool, cast, course):
    tool.launch(sub="t1", roles=("Instructor",))
    mine = Course.objects.create(name="Mine", created_by=tool.person("t1"))
    join(mine, tool.person("t1"), Role.INSTRUCTOR)
    second = {f"{CLAIM}context": {"id": "ctx-2", "title": "Second"}}
    where = tool.launch(headers=FRAME, sub="t1", roles=("Instructor",), **second)["Location"]

    refused = tool.client.post(where, {"course": cast.other.key}, headers=OWN)
    tool.client.post(where, {"course": mine.key}, headers=OWN)

    assert refused.status_code == 422
    assert LtiContext.objects.get(context_id="ctx-2").course == mine


def test_a_link_leads_students_to_its_assignment_once_it_is_open(tool, cast, course):
    early = tool.launch(**opens(cast.assignment))
    move(cast.assignment, Phase.SUBMITTING)
    later = tool.launch(**opens(cast.assignment))

    assert (early.status_code, "not open yet" in text_of(early)) == (403, True)
    assert later["Location"] == cast.assignment.get_absolute_url()


@pytest.mark.parametrize("two", [False, True])
def test_a_link_brings_one_column_or_two(tool, platform, cast, course, two):
    LtiContext.objects.update(has_two_columns=two)
    claim = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
    column = platform.item(cast.assignment.key, "submission")
    there = {"lineitems": f"{platform.base}/items?of=ctx-1", "lineitem": column}

    tool.launch(
        roles=("Instructor",), **opens(cast.assignment), **{claim: {"scope": platform.scopes[:3], **there}}
    )

    found = dict(LtiLineItem.objects.values_list("kind", "url"))
    assert found == {"submission": column, **({"reviewing": ""} if two else {})}


# -- copies of courses ------------------------------------------------------------------------------


def copy(tool, cast, **more: str) -> dict:
    """A launch into the other course, by a copied link."""
    tool.connect(cast.other, "ctx-new")
    there = {f"{CLAIM}context": {"id": "ctx-new"}, f"{CLAIM}resource_link": {"id": "copied"}}
    return there | opens(cast.assignment, **more)


@pytest.mark.parametrize(("who", "history"), [("t1", "$Context.id.history"), ("t9", "ctx-0, ctx-1")])
def test_a_copied_course_resolves_to_its_own_assignment(tool, cast, course, who, history):
    """Whoever teaches the old course, too, may copy; and anybody where the platform calls it a copy."""
    tool.launch(sub="t1", roles=("Instructor",))
    there = copy(tool, cast, peerage_context_history=history)

    first = tool.launch(sub=who, roles=("Instructor",), **there)
    again = tool.launch(sub=who, roles=("Instructor",), **there)

    own = Assignment.objects.get(course=cast.other, copied_from=cast.assignment)
    assert first["Location"] == again["Location"] == own.get_absolute_url()
    assert LtiLink.objects.get(link_id="copied").assignment == own


def test_a_copy_that_is_connected_on_the_way_keeps_what_its_link_stands_for(tool, cast, course):
    """The first launch of a copied course asks which course it is; the link already says which assignment."""
    there = {f"{CLAIM}context": {"id": "ctx-new", "title": "Next year"}}
    there |= opens(cast.assignment, peerage_context_history="ctx-1")
    where = tool.launch(sub="t9", roles=("Instructor",), headers=FRAME, **there)["Location"]

    opened = tool.client.post(where, {"name": "Next year"}, headers=OWN)

    own = Assignment.objects.get(course__name="Next year", copied_from=cast.assignment)
    assert opened.context["ticket"]
    assert LtiLink.objects.get(context__context_id="ctx-new").assignment == own
    assert tool.client.get(where).status_code == 404  # the question is answered


@pytest.mark.parametrize("history", ["$Context.id.history", "ctx-7"])
def test_nobody_copies_what_is_not_theirs(tool, cast, course, history):
    """A key in an address is no secret; a teacher of another course who has read it gets nothing by it."""
    there = copy(tool, cast, peerage_context_history=history)

    answer = tool.launch(sub="t9", roles=("Instructor",), headers=FRAME, **there)

    assert answer["Location"].startswith("/lti/pick/")
    assert not Assignment.objects.filter(copied_from=cast.assignment).exists()


def test_students_of_a_copy_never_get_into_the_old_course(tool, cast, course):
    move(cast.assignment, Phase.SUBMITTING)

    answer = tool.launch(sub="s9", **copy(tool, cast))

    assert answer["Location"] == f"/c/{cast.other.key}/"
    assert not course.memberships.filter(person=tool.person("s9")).exists()
