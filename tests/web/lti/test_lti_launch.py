"""Launches: what is let in, where it leads, and everything that is refused."""

import re
import time
from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from tests.web.lti.strict_platform import CLAIM
from tests.web.lti.tool import FRAME, LAUNCH, OWN, WINDOW, Tool, as_moodle, register, text_of

from peerage_web.accounts.models import Identity, Mail, Person
from peerage_web.accounts.services.mail import queue_mail, write_mail
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.lti import platform_client
from peerage_web.lti.models import LtiDeployment, LtiLogin, LtiTicket

pytestmark = pytest.mark.django_db


# -- who is let in, and as what ---------------------------------------------------------------------


LIS = "http://purl.imsglobal.org/vocab/lis/v2"
ASSISTANT = f"{LIS}/membership/Instructor#TeachingAssistant"
SITE_ADMINISTRATOR = f"{LIS}/system/person#Administrator"


def test_a_launch_gives_the_role_that_the_platform_names(tool, course):
    expected = {
        ("Learner",): Role.STUDENT,
        ("Instructor",): Role.INSTRUCTOR,
        (ASSISTANT,): Role.ASSISTANT,
        ("Instructor", ASSISTANT): Role.ASSISTANT,
        # a site administrator of Moodle, who has no place on the roster
        (f"{LIS}/institution/person#Administrator", "Instructor", SITE_ADMINISTRATOR): Role.INSTRUCTOR,
    }

    for number, (roles, role) in enumerate(expected.items()):
        assert tool.launch(sub=f"u{number}", roles=roles).status_code == 302
        assert tool.member(course, f"u{number}").role == role, roles

    tool.launch(sub="short", **{f"{CLAIM}roles": ["Instructor"]})  # without the part before it
    assert tool.member(course, "short").role == Role.INSTRUCTOR


def test_roles_that_are_not_known_give_nothing(tool, course):
    unknown = [
        (),
        ("Mentor",),
        (f"{LIS}/institution/person#Instructor",),
        (SITE_ADMINISTRATOR,),
        (f"{LIS}/membership/Instructor#Invented",),
    ]

    for roles in unknown:
        answer = tool.launch(roles=roles)

        assert (answer.status_code, "sessionid" in answer.cookies) == (403, False), roles
        assert not Membership.objects.filter(course=course, lti_places__isnull=False).exists(), roles


def test_the_test_student_of_the_platform_gets_no_account(tool, course):
    answer = tool.launch(roles=("Learner", "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"))

    assert (answer.status_code, Identity.objects.count()) == (403, 0)


def test_students_of_a_hidden_course_read_why_it_does_not_open(tool, course):
    Course.objects.update(hidden_at=timezone.now())

    student, staff = tool.launch(roles=("Learner",)), tool.launch(sub="staff", roles=("Instructor",))

    assert student.status_code == 403
    assert "Your instructor has hidden this course." in student.content.decode()
    assert staff.status_code == 302


def test_a_launch_without_name_and_address_works(tool, course):
    answer = tool.launch()

    assert answer["Location"] == f"/c/{course.key}/"
    person = tool.person()
    assert (person.name, person.shown_address) == ("", "")
    assert person.shown_name == f"Person {person.pk} (no name)"
    assert tool.client.get(answer["Location"]).status_code == 200


def test_an_address_that_somebody_has_opens_nothing_of_theirs(tool, course, cast):
    """The platform's word for an address is no proof: whoever it is, it is somebody new."""
    answer = tool.launch(email=cast.people["instructor"].email, name="Somebody")

    assert tool.person() != cast.people["instructor"]
    assert tool.member(course).role == Role.STUDENT
    assert tool.person().mail_to == cast.people["instructor"].email
    assert tool.client.get(answer["Location"]).status_code == 200
    assert tool.client.get(f"/c/{course.key}/settings").status_code == 403


def test_the_same_person_is_known_again(tool, course):
    tool.launch(name="First")
    before = Person.objects.count()

    tool.launch(name="Second")

    assert Person.objects.count() == before
    assert (tool.person().name, tool.member(course).name) == ("Second", "Second")


def test_two_registrations_under_one_issuer_never_mix(tool, course, platform, cast):
    platform.clients.append("client-b")
    other = Tool(platform, register(platform, "client-b"))
    other.connect(cast.other)

    tool.launch(sub="u7", roles=("Instructor",))
    other.launch(sub="u7", roles=("Learner",))

    assert tool.person("u7") != other.person("u7")
    assert tool.member(course, "u7").role == Role.INSTRUCTOR
    assert other.member(cast.other, "u7").role == Role.STUDENT
    assert not Membership.objects.filter(course=course, person=other.person("u7")).exists()


# -- roles that are taken away ----------------------------------------------------------------------


NO_ROSTER = {"https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice": {}}


def test_without_a_roster_a_demotion_holds_at_the_next_launch_even_for_the_last_instructor(tool, course):
    tool.launch(roles=("Instructor",), **NO_ROSTER)
    Membership.objects.filter(course=course, role=Role.INSTRUCTOR).exclude(person=tool.person()).delete()

    tool.launch(roles=("Learner",), **NO_ROSTER)

    assert tool.member(course).role == Role.STUDENT


def test_without_a_roster_who_has_no_role_any_more_is_dropped_and_comes_back(tool, course):
    tool.launch(**NO_ROSTER)

    refused = tool.launch(roles=("Mentor",), **NO_ROSTER)
    dropped = tool.member(course).role
    tool.launch(**NO_ROSTER)

    assert (refused.status_code, dropped, tool.member(course).role) == (403, Role.DROPPED, Role.STUDENT)


def test_with_a_roster_a_launch_without_a_role_opens_nothing_and_changes_nothing(tool, course):
    tool.launch(roles=("Instructor",))

    refused = tool.launch(roles=("Mentor",))

    assert (refused.status_code, "sessionid" in refused.cookies) == (403, False)
    assert tool.member(course).role == Role.INSTRUCTOR


def test_what_staff_decided_here_stays_while_the_platform_says_the_same(tool, course):
    tool.launch()
    Membership.objects.filter(pk=tool.member(course).pk).update(role=Role.ASSISTANT)

    tool.launch()

    assert tool.member(course).role == Role.ASSISTANT


def test_an_account_that_is_closed_stays_closed(tool, course):
    tool.launch()
    Person.objects.filter(pk=tool.person().pk).update(is_active=False)

    answer = tool.launch()

    assert (answer.status_code, "sessionid" in answer.cookies) == (403, False)


# -- refused ----------------------------------------------------------------------------------------


def refused(answer, words: str) -> bool:
    assert words in text_of(answer), text_of(answer)
    return answer.status_code == 403 and "sessionid" not in answer.cookies and not Identity.objects.exists()


def test_a_state_is_used_once(tool, course):
    asked = tool.login()
    assert tool.send(asked).status_code == 302

    again = tool.send(asked)

    assert (again.status_code, "sessionid" in again.cookies) == (403, False)
    assert "already used" in text_of(again)


def test_a_nonce_is_used_once(tool, course):
    first = tool.login()
    assert tool.send(first).status_code == 302

    for other in (first, tool.login()):  # one that was used, and one that is open
        answer = tool.send({**tool.login(), "nonce": other["nonce"]})

        assert (answer.status_code, "nonce" in text_of(answer)) == (403, True)


def test_a_state_of_another_browser_is_refused(tool, course):
    """Somebody sends the victim's browser a launch that they began themselves."""
    asked = tool.login()
    tool.client = Client()

    assert refused(tool.send(asked), "did not start in this browser")
    assert LtiLogin.objects.get().used_at is None


def test_only_our_own_page_goes_on_after_asking_storage(tool, course, platform):
    checked = Client().post("/lti/login", {**tool.hint, "lti_storage_target": "_parent"})["Location"]
    page = Client().get(checked).content.decode()  # without the cookie
    state, nonce = (re.search(rf'data-{name}="([^"]+)"', page)[1] for name in ("state", "nonce"))
    token = platform.sign(platform.launch_claims(nonce, target=LAUNCH))
    sent = {"state": state, "id_token": token, "stored": state}

    for origin in ("https://evil.example", "null", ""):
        pretended = Client().post("/lti/launch/stored", sent, headers={"Origin": origin})
        assert (pretended.status_code, Identity.objects.exists()) == (403, False)
    answer = Client().post("/lti/launch/stored", sent, headers={**OWN, **FRAME})

    assert (answer.status_code, tool.member(course).role) == (200, Role.STUDENT)


def test_a_token_that_is_wrong_in_one_point_is_refused(tool, course, platform):
    platform.clients.append("client-b")
    register(platform, "client-b")  # another client of the same issuer
    now = int(time.time())
    wrong = [
        ({"iss": "https://other.example"}, "(iss)"),
        ({"aud": "client-b"}, "(aud)"),
        ({"aud": ["client-a", "client-b"]}, "(azp)"),
        ({"aud": ["client-a", "client-b"], "azp": "client-b"}, "(azp)"),
        ({"azp": "client-b"}, "(azp)"),
        ({"exp": now - 3600}, "expired"),
        ({"exp": ...}, "when it expires"),
        ({"iat": now + 3600}, "future"),
        ({f"{CLAIM}version": "1.1"}, "LTI 1.3.0"),
        ({f"{CLAIM}message_type": "LtiSubmissionReviewRequest"}, "message type"),
        ({f"{CLAIM}target_link_uri": "https://evil.example/lti/launch"}, "target_link_uri"),
        ({f"{CLAIM}deployment_id": ...}, "which user or deployment"),
        ({"sub": ...}, "which user or deployment"),
        ({"nonce": ...}, "nonce"),
        *[({"signed": {"alg": algorithm}}, "RS256") for algorithm in ("none", "HS256", "RS512")],
        ({"signed": {"key": "somebody"}}, "signing key is not in"),
        ({"signed": {"key": "somebody", "kid": "first"}}, "signature is invalid"),  # as the platform's own
    ]
    for claims, words in wrong:
        assert refused(tool.launch(**claims), words), claims


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"client_id": ...}, "did not say which"),
        ({"iss": "https://nobody.example"}, "not registered"),
        ({"client_id": "nobody"}, "not registered"),
        ({"target_link_uri": "https://evil.example/lti/launch"}, "outside Peerage"),
        ({"target_link_uri": "http://testserver/lti/launch/../open"}, "outside Peerage"),
        ({"target_link_uri": "http://testserver.evil.example/lti/launch"}, "outside Peerage"),
        ({"login_hint": ""}, "who you are"),
    ],
)
def test_a_login_that_would_lead_elsewhere_is_refused(tool, platform, changes, words):
    register(platform, "client-b")
    sent = {name: value for name, value in {**tool.hint, **changes}.items() if value is not ...}

    answer = Client().get("/lti/login", sent)

    assert (answer.status_code, words in text_of(answer)) == (403, True)
    assert not LtiLogin.objects.exists()


def test_a_login_that_is_late_or_of_a_paused_platform_lets_nobody_in(tool, course):
    late = tool.login()
    LtiLogin.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert refused(tool.send(late), "five minutes")

    paused = tool.login()
    tool.registration.paused_at = timezone.now()
    tool.registration.save()
    assert refused(tool.send(paused), "Open Peerage again")


# -- the platform's keys ----------------------------------------------------------------------------


def test_the_platforms_new_key_is_fetched_once(tool, course, platform):
    tool.launch()
    platform.kids.append("second")
    platform.log.clear()

    answers = [tool.launch().status_code, tool.launch().status_code]

    assert answers == [302, 302]
    assert platform.log == [("GET", "/jwks", 200)]


@pytest.mark.parametrize("how", ["endless", "slow", 500])
def test_keys_that_do_not_come_whole_and_in_time_are_no_keys(tool, course, platform, how, monkeypatch):
    """So it is with whatever we ask a platform for; it all goes through `platform_client.call`."""
    monkeypatch.setattr(platform_client, "SECONDS", 0.3 if how == "slow" else 15.0)
    monkeypatch.setattr(platform_client, "LARGEST", 1 << 20)
    platform.scripts["jwks"] = [how]

    assert refused(tool.launch(), "cannot be fetched")


# -- frames and windows -----------------------------------------------------------------------------


def test_in_a_frame_the_way_leads_to_a_window_of_its_own(tool, course):
    framed, window = tool.launch(headers=FRAME), Client()
    ticket = {"ticket": framed.context["ticket"]}

    opened = window.post("/lti/open", ticket, headers=OWN)
    again = Client().post("/lti/open", ticket, headers=OWN)

    assert "sessionid" not in framed.cookies
    assert opened["Location"] == f"/c/{course.key}/"
    assert window.get(opened["Location"]).status_code == 200
    assert (again.status_code, "sessionid" in again.cookies) == (403, False)


def test_a_ticket_from_another_page_or_after_a_minute_opens_nothing(tool, course):
    ticket = {"ticket": tool.launch(headers=FRAME).context["ticket"]}

    foreign = Client().post("/lti/open", ticket, headers={"Origin": "https://evil.example"})
    LtiTicket.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    late = Client().post("/lti/open", ticket, headers=OWN)

    assert (foreign.status_code, late.status_code) == (403, 403)
    assert "sessionid" not in {**foreign.cookies, **late.cookies}


def test_frames_are_open_to_the_platform_alone_and_on_lti_addresses_alone(tool, course, platform):
    framed = tool.launch(headers=FRAME)
    policy = framed["Content-Security-Policy"]
    other = tool.client.get("/courses")

    assert f"frame-ancestors {platform.base} {platform.issuer}" in policy
    assert "form-action 'self';" in policy
    assert "X-Frame-Options" not in framed
    assert other["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in other["Content-Security-Policy"]
    assert other["Cross-Origin-Opener-Policy"] == "same-origin"


def test_a_refusal_is_read_in_the_frame_of_a_platform_that_is_not_known(db):
    for answer in (
        Client().get("/lti/login", headers=FRAME),
        Client().post("/lti/launch", headers=FRAME),
        Client().get("/lti/register/used", headers=FRAME),
    ):
        assert "X-Frame-Options" not in answer
        assert "frame-ancestors *;" in answer["Content-Security-Policy"] + ";"
        assert "<form" not in text_of(answer)


@as_moodle
def test_where_cookies_are_blocked_a_window_begins_with_the_hint_still_unused(tool, course, platform):
    check = Client().post("/lti/login", tool.hint, headers=FRAME)["Location"]

    page = Client().get(check, headers=FRAME)  # the cookie did not come back
    again = page.context["again"]
    opened = tool.client.get(again, headers=WINDOW)
    second = Client().get(again, headers=WINDOW)

    assert f"frame-ancestors {platform.base}" in page["Content-Security-Policy"]
    assert platform.base not in text_of(page)  # it was not asked, nor can it be from here
    request = dict(parse_qsl(urlsplit(opened["Location"]).query))
    assert (opened["Location"].partition("?")[0], request["login_hint"]) == (f"{platform.base}/auth", "u1")
    assert tool.send(request)["Location"] == f"/c/{course.key}/"
    assert (second.status_code, "already used" in text_of(second)) == (403, True)


def test_the_cookie_of_a_login_works_in_frames_only_there_and_then(tool):
    tool.login()

    (cookie,) = [one for name, one in tool.client.cookies.items() if name.startswith("lti-")]
    expected = {"Secure", "HttpOnly", "Partitioned", "SameSite=None", "Path=/lti/", "Max-Age=300"}
    assert expected <= set(cookie.OutputString().split("; "))


RETURNS = {
    "/moodle/mod/lti/return.php?course=7&sesskey=s3cret&launch_container=2": "/moodle/course/view.php?id=7",
    "/courses/12/external_content/success/external_tool_redirect": "/courses/12",
    "/elsewhere?course=7": "",
}


@pytest.mark.parametrize("there", RETURNS)
def test_mail_leads_people_from_a_platform_back_to_their_course_there(tool, course, platform, there):
    tool.launch(
        email="ada@example.org", **{f"{CLAIM}launch_presentation": {"return_url": platform.base + there}}
    )
    person, path = tool.person(), f"/c/{course.key}/"
    queue_mail(person=person, kind="appeal", context={"state": "open", "path": path, "course": course})
    (link,) = re.findall(r"http://testserver(/\S+)", Mail.objects.get().text)

    page = Client().get(link)
    signed_in = tool.client.get(link)
    foreign = Client().get(f"{link.removesuffix(path)}//evil.example/")

    expected = platform.base + RETURNS[there] if RETURNS[there] else platform.issuer
    assert (page.status_code, f'href="{expected}"' in text_of(page)) == (200, True)
    assert "s3cret" not in text_of(page)
    assert (signed_in["Location"], foreign.status_code) == (path, 404)
    assert "/lti/back/" not in write_mail(person=person, kind="reset", context={"link": "/link/x"})[1]


def test_the_platforms_language_is_spoken(tool, course):
    answer = tool.launch(headers=FRAME, **{f"{CLAIM}launch_presentation": {"locale": "de_DE"}})

    assert (answer["Content-Language"], tool.person().language) == ("de", "de")


def test_a_deployment_that_nobody_approved_stays_out_however_often_it_comes(tool, course):
    """The first launch notes the deployment; that it is known is no approval."""
    answers = [tool.launch(**{f"{CLAIM}deployment_id": "d2"}) for _ in range(2)]

    assert all(refused(one, "has not approved") for one in answers)
    assert LtiDeployment.objects.get(deployment_id="d2").approved_at is None
