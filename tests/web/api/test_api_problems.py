"""Every error under /api is a problem of RFC 9457, wherever it was made."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from peerage.errors import DataError, MethodError
from peerage_web import sandbox
from peerage_web.api.problems import KINDS, of_record
from peerage_web.sandbox.contract import LOST, TooLargeError, problem_of

pytestmark = pytest.mark.django_db


def is_problem(answer, status: int) -> bool:
    keys = {"type", "title", "status", "detail", "instance", "problems"}
    said = answer.json()
    return (
        answer.headers["Content-Type"] == "application/problem+json"
        and (answer.status_code, said["status"], set(said)) == (status, status, keys)
        and said["instance"] == answer.headers["X-Request-ID"]
    )


@pytest.mark.parametrize("address", ["/api", "/api/", "/api/v1/", "/api/v1/nothing", "/api/v2/methods"])
@pytest.mark.parametrize("verb", ["get", "post", "delete"])
def test_unknown_address_is_a_problem(client, address, verb):
    assert is_problem(getattr(client, verb)(address), 404)


@pytest.mark.parametrize("verb", ["post", "put", "patch", "delete"])
def test_wrong_verb_is_a_problem(client, verb):
    answer = getattr(client, verb)("/api/v1/openapi.json")

    assert is_problem(answer, 405)
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"


def test_unknown_host_is_a_problem(client):
    assert is_problem(client.get("/api/v1/methods", headers={"Host": "elsewhere.example"}), 400)


def test_request_id_of_the_client_is_used(client):
    answer = client.get("/api/v1/nothing", headers={"X-Request-ID": "my-own-request-1"})

    assert answer.json()["instance"] == "my-own-request-1"


def test_bug_is_a_problem_that_tells_nothing(client, settings):
    settings.JOBS = None  # whatever the reason

    answer = client.post("/api/v1/check", {"file": SimpleUploadedFile("feedback.csv", b"x")})

    assert is_problem(answer, 500)
    assert answer.json()["detail"].startswith("The error has been recorded, without your data. Try again; ")


def test_bug_is_an_error_in_the_log_under_its_number(client, settings, caplog):
    settings.JOBS = None

    answer = client.post("/api/v1/check", {"file": SimpleUploadedFile("feedback.csv", b"x")})

    number = answer.json()["detail"].rpartition("its number, ")[2].rstrip(".")
    (line,) = [one for one in caplog.records if one.getMessage() == "a piece of work broke"]
    assert (line.levelname, line.fields["error"]) == ("ERROR", number)


def test_broken_limit_is_a_problem_too(client, settings):
    settings.LIMITS = None

    assert is_problem(client.get("/api/v1/methods"), 500)


def test_no_form_token_is_asked_for():
    strict = Client(enforce_csrf_checks=True)

    assert strict.post("/api/v1/plan", "{}", content_type="application/json").status_code == 422
    assert strict.post("/api/v1/nothing").status_code == 404


@pytest.mark.parametrize("code", KINDS)
def test_type_of_a_problem_leads_to_its_meaning(client, code):
    answer = client.get(f"/api/v1/problems/{code}")

    assert answer.json() == {
        "type": f"/api/v1/problems/{code}",
        "title": KINDS[code].title,
        "status": KINDS[code].status,
        "meaning": KINDS[code].meaning,
    }


def test_unknown_kind_of_problem_is_404(client):
    assert is_problem(client.get("/api/v1/problems/nothing"), 404)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (DataError("no"), 422),
        (MethodError("no"), 422),
        (TooLargeError("no"), 413),
        (sandbox.OutOfTimeError("no"), 413),
        (sandbox.OutOfMemoryError("no"), 413),
        (sandbox.CrashedError("no"), 422),
        (sandbox.BrokenError("no"), 500),
        (ZeroDivisionError("no"), 500),
    ],
)
def test_every_error_of_the_sandbox_has_its_status(error, status):
    record = problem_of(error)

    assert record["code"] in KINDS
    assert of_record(record).status_code == status


def test_lost_job_has_its_status():
    assert of_record(LOST).status_code == 503
