"""Who may use the API, and how often."""

import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone

from peerage_web.accounts.models import ApiToken
from peerage_web.accounts.services.tokens import add_token, revoke_token
from peerage_web.shared.models import RequestCount

pytestmark = pytest.mark.django_db

LIGHT = "/api/v1/problems/data"  # an address that costs nothing


@pytest.fixture
def token() -> str:
    return add_token(name="course", days=9)


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


def test_public_api_needs_no_token(client):
    answers = [client.get(LIGHT), client.get(LIGHT, headers={"Authorization": "Basic eDp5"})]  # a proxy's

    assert [(answer.status_code, answer.cookies) for answer in answers] == [(200, {})] * 2


def test_api_can_be_switched_off(client, settings, token):
    settings.API_ACCESS = "off"

    answer = client.get(LIGHT, headers=bearer(token))

    assert (answer.status_code, answer.json()["detail"]) == (404, "The API of this service is switched off.")


def test_token_can_be_required(client, settings, token):
    settings.API_ACCESS = "token"

    refused, served = client.get(LIGHT), client.get(LIGHT, headers=bearer(token))

    assert (refused.status_code, served.status_code) == (401, 200)
    assert refused.headers["WWW-Authenticate"] == 'Bearer realm="Peerage API"'
    assert refused.json()["type"] == "/api/v1/problems/token"


@pytest.mark.parametrize("access", ["public", "token"])
def test_wrong_token_is_refused(client, settings, token, access):
    settings.API_ACCESS = access
    wrong = ["", "prg_", "prg_" + "x" * 43, "é", "\x00", "prg_\x00aaaaaaaa"]
    wrong += [token + text + "a" for text in wrong]

    assert [text for text in wrong if client.get(LIGHT, headers=bearer(text)).status_code != 401] == []


def test_expired_and_revoked_tokens_are_refused(client, token):
    ApiToken.objects.update(expires_at=timezone.now())
    answer = client.get(LIGHT, headers=bearer(token))
    assert answer.json()["detail"] == "This token is not known, has expired or was revoked."

    another = add_token(name="another", days=9)
    revoke_token(name="another")

    assert client.get(LIGHT, headers=bearer(another)).status_code == 401


def test_who_closes_the_page_closes_the_api():
    asked = """
import importlib, os
from peerage_web import settings
for page in ("public", "sign-in", "off"):
    os.environ["PEERAGE_GRADE_A_FILE"] = page
    print(page, importlib.reload(settings).API_ACCESS)
"""

    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["public public", "sign-in token", "off token"]


def test_requests_of_a_minute_are_counted_by_visitor_and_by_token(client, limits, token):
    limits(requests=2)

    answers = [client.get(LIGHT) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer.headers["RateLimit-Remaining"] for answer in answers] == ["1", "0", "0"]
    assert answers[2].headers["Retry-After"] == answers[2].headers["RateLimit-Reset"]
    assert answers[2].headers["RateLimit-Limit"] == "2"
    assert client.get(LIGHT, headers=bearer(token)).status_code == 200
    assert client.get(LIGHT, headers=bearer("prg_x")).status_code == 429  # wrong ones count for the visitor


def test_nothing_that_is_kept_tells_the_address_or_the_token(client, token):
    client.get("/privacy")
    assert not RequestCount.objects.exists()  # pages are not counted

    client.get(LIGHT, REMOTE_ADDR="203.0.113.7")
    client.get(LIGHT, headers=bearer(token))

    kept = {count.client for count in RequestCount.objects.all()}
    assert f"token:{token[:12]}" in kept
    assert not any("203.0.113.7" in who or token in who for who in kept)
    used = ApiToken.objects.get().used_at
    assert timezone.now() - used < timedelta(days=1)
    assert (used.hour, used.minute, used.second) == (0, 0, 0)  # the day is all that is remembered
