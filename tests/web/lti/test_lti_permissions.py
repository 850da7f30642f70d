"""Every address of LTI is guarded: by the table of permissions, as an operator's, or by the protocol."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from tests.web.classes.addresses import Address, addresses
from tests.web.lti.tool import OWN, as_moodle, register

from peerage_web.lti import launch, registration
from peerage_web.lti.models import LtiDeployment, LtiLineItem, LtiPlace, LtiScore, origin_of

pytestmark = pytest.mark.django_db
LTI = "peerage_web.lti."
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
# open to the world, and what opens them instead of a sign-in; a new one has to be thought about here
PROTOCOL = {
    *("lti-login", "lti-login-check", "lti-launch", "lti-launch-stored", "lti-open"),
    *("lti-pick", "lti-back", "lti-keys", "lti-canvas", "lti-register"),
}
TABLE = {"lti-course", "lti-roster", "lti-decide", "lti-columns", "lti-disconnect"}
MADE_UP = {"picking": "x" * 32, "invitation": "y" * 43, "person": "1:x", "path": "courses"}


def guarded_by(address: Address) -> str:
    if hasattr(address.view, "rule"):
        return "table"
    if getattr(address.view, "operators_only", False):
        return "operator"
    if getattr(address.view, "people_only", False):
        return "sign-in"
    return "protocol" if getattr(address.view, "opened_by", "") else "nothing"


def test_every_address_is_guarded():
    found = {one.name: guarded_by(one) for one in addresses(LTI)}

    without_token = {one.name for one in addresses(LTI) if getattr(one.view, "csrf_exempt", False)}
    assert {name for name, by in found.items() if by == "protocol"} == without_token == PROTOCOL
    assert {name for name, by in found.items() if by == "table"} == TABLE
    assert [name for name, by in found.items() if by == "sign-in"] == ["lti-join"]
    assert "nothing" not in found.values()
    assert list(found.values()).count("operator") == 8


@pytest.fixture
def objects(cast, platform, tool) -> dict[str, object]:
    context = tool.connect(cast.course)
    item = LtiLineItem.objects.create(context=context, assignment=cast.assignment, kind="submission")
    place = LtiPlace.objects.create(
        context=context, subject="s1", membership=cast.students[0], platform_role="student"
    )
    score = LtiScore.objects.create(
        line_item=item, place=place, maximum=100, given=1, state="refused", not_before=timezone.now()
    )
    deployment = LtiDeployment.objects.create(registration=tool.registration, deployment_id="new")
    return {"registration": tool.registration.key, "deployment": deployment.pk, "score": score.pk}


def test_operators_pages_are_theirs_alone(cast, objects):
    pages = [one for one in addresses(LTI) if guarded_by(one) == "operator"]
    wrong = []
    for word in ("instructor", "assistant", "student", "stranger", None, "operator"):
        client = cast.client(word)
        expected = {200, 302, 422} if word == "operator" else {404} if word else {"sign-in"}
        for address, method in ((one, method) for one in pages for method in one.view.methods):
            answer = client.generic(method, address.path(**objects))
            got = "sign-in" if answer.get("Location", "").startswith("/sign-in") else answer.status_code
            if got not in expected:
                wrong.append(f"{method} {address.route} as {word}: {got}")
    assert wrong == []


def test_no_other_method_is_answered(cast, objects):
    client, wrong = cast.client("operator"), []
    secret = registration.make_invitation(by=cast.people["operator"])
    values = {**MADE_UP, **objects, "invitation": secret}
    for address in addresses(LTI):
        if guarded_by(address) == "table":
            continue
        taken = {*address.view.methods, "HEAD"} if "GET" in address.view.methods else {*address.view.methods}
        asked = {method: client.generic(method, address.path(**values)) for method in set(METHODS) - taken}
        wrong += [f"{method} {address.route}" for method, one in asked.items() if one.status_code != 405]
    assert wrong == []


def test_addresses_of_the_protocol_open_nothing_by_themselves(db):
    wrong = []
    for address in addresses(LTI):
        if address.name not in PROTOCOL - {"lti-keys", "lti-canvas"}:
            continue
        for method in address.view.methods:
            answer = Client().generic(method, address.path(**MADE_UP))
            if answer.status_code not in (403, 404) or "sessionid" in answer.cookies:
                wrong.append(f"{method} {address.route}: {answer.status_code}")
    assert wrong == []


def test_without_classes_there_is_nothing(cast, objects, settings):
    settings.CLASSES = False
    client = cast.client("operator")
    values = {**MADE_UP, **objects, "course": cast.course.key}

    assert {client.get(one.path(**values)).status_code for one in addresses(LTI)} == {404}


def test_secrets_do_not_get_into_logs(cast, tool, caplog):
    secret = registration.make_invitation(by=cast.people["operator"])
    ticket = launch.make_ticket(person=cast.people["student"], path="/courses")

    Client().get(f"/lti/register/{secret}", {"openid_configuration": "https://lms.example/x"})
    Client().post("/lti/open", {"ticket": ticket}, headers=OWN)
    Client().get(f"/lti/pick/{'k' * 32}")

    fields = [str(getattr(one, "fields", {})) for one in caplog.records]
    assert fields
    assert not [one for one in fields if secret in one or ticket in one or "k" * 32 in one]


# -- what operators do ------------------------------------------------------------------------------


def test_an_operator_registers_a_platform_and_approves_a_deployment(cast, platform):
    client = cast.client("operator")
    asked = {
        "name": "Canvas",
        "issuer": "https://canvas.instructure.com",
        "client_id": "10000",
        "auth_url": "https://sso.canvaslms.com/api/lti/authorize_redirect",
        "token_url": "https://sso.canvaslms.com/login/oauth2/token",
        "jwks_url": "https://sso.canvaslms.com/api/lti/security/jwks",
        "origins": "https://school.instructure.com/courses/1",
        "deployments": "1:abc",
    }

    first = client.post("/operator/platforms/new", asked)
    second = client.post("/operator/platforms/new", asked)
    broken = {**asked, "client_id": "2", "jwks_url": "file:///etc/passwd"}
    wrong = client.post("/operator/platforms/new", broken)

    (made,) = registration.LtiRegistration.objects.all()
    assert (first.status_code, second.status_code, wrong.status_code) == (302, 422, 422)
    hosts = ("canvas.instructure", "school.instructure", "sso.canvaslms")
    assert made.origins == [f"https://{host}.com" for host in hosts]
    assert made.deployments.get().approved_at is not None
    assert "http://testserver/lti/launch" in client.get("/operator/platforms/").content.decode()
    assert 'href="/operator/platforms/"' in client.get("/operator/").content.decode(), "an entry of its own"

    noted = LtiDeployment.objects.create(registration=made, deployment_id="noted")
    client.post(f"/operator/platforms/{made.key}/pause")
    client.post(f"/operator/platforms/deployments/{noted.pk}/approve")
    made.refresh_from_db()
    noted.refresh_from_db()
    assert (made.paused_at is None, noted.approved_at is None) == (False, False)


def test_dynamic_registration_by_a_link_that_works_once(cast, platform, db):
    platform.issuer = platform.base
    page = cast.client("operator").post("/operator/platforms/invite")
    address = page.context["link"].removeprefix("http://testserver")
    configuration = f"{platform.base}/configuration"
    asked = {"openid_configuration": configuration, "registration_token": "registration-token"}

    looked = Client().get(address, asked)
    foreign = Client().post(address, asked, headers={"Origin": "https://evil.example"})
    wrong = Client().post(address, {**asked, "registration_token": "no"}, headers=OWN)
    done = Client().post(address, asked, headers=OWN)
    again = Client().post(address, asked, headers=OWN)

    (made,) = registration.LtiRegistration.objects.all()
    codes = [one.status_code for one in (looked, foreign, wrong, done, again)]
    assert codes == [200, 422, 422, 200, 404]
    assert "no token" in wrong.content.decode()
    assert (made.issuer, made.client_id) == (platform.base, "dynamic-1")
    assert made.token_url == f"{platform.base}/token"
    assert made.deployments.get().deployment_id == "d-dynamic"
    assert f"frame-ancestors {platform.base}" in done["Content-Security-Policy"]


@as_moodle
def test_registering_again_updates_the_client_that_is_known(cast, platform):
    platform.issuer = platform.base
    platform.clients = ["known"]
    made = register(platform, "known", token_audience="before", more_origins=["https://people.example"])
    registration.LtiRegistration.objects.update(auth_url="https://old.example/auth", paused_at=timezone.now())
    secret = registration.make_invitation(by=cast.people["operator"])
    asked = {"openid_configuration": f"{platform.base}/configuration", "registration_token": "update-token"}

    answer = Client().post(f"/lti/register/{secret}", asked, headers=OWN)

    (known,) = registration.LtiRegistration.objects.all()
    assert (answer.status_code, known.pk, known.key) == (200, made.pk, made.key)
    assert (known.auth_url, known.token_audience) == (f"{platform.base}/auth", "")
    assert known.more_origins == sorted([platform.base, "https://people.example"])
    assert known.paused_at is not None
    assert {one.deployment_id for one in known.deployments.all()} == {"d1", "d-dynamic"}


def test_a_platform_that_claims_to_be_another_is_not_registered(cast, platform):
    secret = registration.make_invitation(by=cast.people["operator"])
    asked = {"openid_configuration": f"{platform.base}/configuration"}  # whose issuer is elsewhere

    answer = Client().post(f"/lti/register/{secret}", asked, headers=OWN)

    assert (answer.status_code, "a different host" in answer.content.decode()) == (422, True)
    assert not registration.LtiRegistration.objects.exists()


def test_platforms_are_told_what_we_take(db):
    found = Client().get("/lti/canvas.json").json()

    assert found["oidc_initiation_url"] == "http://testserver/lti/login"
    assert found["public_jwk_url"] == "http://testserver/lti/keys"
    assert len(found["scopes"]) == 4
    told = registration.tool_description()["https://purl.imsglobal.org/spec/lti-tool-configuration"]
    assert [one["type"] for one in told["messages"]] == list(launch.HANDLERS)


def test_the_list_of_platforms_asks_no_more_for_more(cast, platform, tool):
    client, counts = cast.client("operator"), []
    client.get("/operator/platforms/")  # the first look of an hour is noted
    for number in range(2):
        register(platform, f"more-{number}")
        with CaptureQueriesContext(connection) as asked:
            client.get("/operator/platforms/")
        counts.append(len(asked))

    assert counts[0] == counts[1]


def test_nothing_but_a_host_gets_into_a_header(cast):
    secret = registration.make_invitation(by=cast.people["operator"])
    odd = ["https://a;script-src/", "https://a b/", "https://a' *", "https://a,b", "https://[x]"]

    for address in (*odd, "javascript:alert(1)"):
        answer = Client().get(f"/lti/register/{secret}", {"openid_configuration": address})

        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"], address
        assert origin_of(address) == ""
    assert origin_of("https://LMS.example:8443/a?b#c") == "https://lms.example:8443"
    assert origin_of("http://[::1]:80/") == "http://[::1]:80"
