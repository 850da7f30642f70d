"""Launching as a browser does: the login, the platform's answer, the launch."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from tests.web.lti.strict_platform import Moodle, Platform

from peerage_web.accounts.models import Identity, Person
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.lti.models import LtiContext, LtiDeployment, LtiRegistration

LAUNCH = "http://testserver/lti/launch"
FRAME = {"Sec-Fetch-Dest": "iframe"}
WINDOW = {"Sec-Fetch-Dest": "document"}
OWN = {"Origin": "http://testserver"}  # of a form on a page of ours
as_moodle = pytest.mark.parametrize("manner", [Moodle], indirect=True)  # of a test, or of a whole file


def register(platform: Platform, client: str = "client-a", **fields: Any) -> LtiRegistration:
    made = LtiRegistration.objects.create(
        name="Moodle",
        issuer=platform.issuer,
        client_id=client,
        auth_url=f"{platform.base}/auth",
        token_url=f"{platform.base}/token",
        jwks_url=f"{platform.base}/jwks",
        **fields,
    )
    LtiDeployment.objects.create(registration=made, deployment_id="d1", approved_at=timezone.now())
    return made


class Tool:
    """One browser; `launch` goes all the way, with anything of the token changed."""

    def __init__(self, platform: Platform, registration: LtiRegistration) -> None:
        self.platform, self.registration = platform, registration
        self.client = Client()

    @property
    def hint(self) -> dict[str, str]:
        """What the platform begins a login with."""
        return {
            "iss": self.platform.issuer,
            "client_id": self.registration.client_id,
            "login_hint": "u1",
            "target_link_uri": LAUNCH,
        }

    def login(self) -> dict[str, str]:
        """What the platform is asked for."""
        answer = self.client.post("/lti/login", self.hint)
        assert answer.status_code == 302, answer.content.decode()
        answer = self.client.get(answer["Location"])  # in a frame, where cookies are tried first
        assert answer.status_code == 302, answer.content.decode()
        return dict(parse_qsl(urlsplit(answer["Location"]).query))

    def send(
        self, asked: dict[str, str], *, headers: dict[str, str] = WINDOW, signed: Any = None, **claims: Any
    ) -> HttpResponse:
        """The platform's answer to a login."""
        claims = {"aud": self.registration.client_id, **claims}
        said = self.platform.launch_claims(asked["nonce"], target=LAUNCH, **claims)
        sent = {"state": asked["state"], "id_token": self.platform.sign(said, **(signed or {}))}
        return self.client.post("/lti/launch", sent, headers=headers)

    def launch(self, **more: Any) -> HttpResponse:
        self.client = Client()
        return self.send(self.login(), **more)

    def connect(self, course: Course, context: str = "ctx-1", **fields: Any) -> LtiContext:
        """As if an instructor had done it."""
        deployment = self.registration.deployments.get(deployment_id="d1")
        return LtiContext.objects.create(
            deployment=deployment,
            context_id=context,
            course=course,
            memberships_url=f"{self.platform.base}/members",
            line_items_url=f"{self.platform.base}/items?of={context}",
            scopes=[one for one in self.platform.scopes if "lti-ags" in one],
            **fields,
        )

    def person(self, subject: str = "u1") -> Person:
        issuer = self.registration.identity_issuer
        return Identity.objects.get(issuer=issuer, subject=subject).person

    def member(self, course: Course, subject: str = "u1") -> Membership:
        return Membership.objects.get(course=course, person=self.person(subject))


def text_of(answer: HttpResponse) -> str:
    return " ".join(answer.content.decode().split())
