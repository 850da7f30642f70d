"""Every error under /api is a problem of RFC 9457, wherever it was made."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from peerage.errors import DataError, MethodError
from peerage_web.api.problems import KINDS, problem_from_record
from peerage_web.sandbox.contract.errors import (
    LOST_PROBLEM,
    BrokenError,
    CrashedError,
    OutOfMemoryError,
    OutOfTimeError,
    TooLargeError,
    describe_problem,
)

pytestmark = pytest.mark.django_db


def is_problem(answer, status: int) -> bool:
    keys = {"type", "title", "status", "detail", "instance", "problems"}
    said = answer.json()
    return (
        answer.headers["Content-Type"] == "application/problem+json"
        and (answer.status_code, said["status"], set(said)) == (status, status, keys)
        and said["instance"] == answer.headers["X-Request-ID"]
    )


def test_unknown_addresses_are_problems(client):
    for address in ("/api", "/api/", "/api/v1/", "/api/v1/nothing", "/api/v2/methods"):
        for verb in ("get", "post", "delete"):
            assert is_problem(getattr(client, verb)(address), 404), (verb, address)
    assert is_problem(client.get("/api/v1/problems/nothing"), 404)
    elsewhere = client.get("/api/v1/methods", headers={"Host": "elsewhere.example"})
    assert is_problem(elsewhere, 400)
    assert "PEERAGE_HOSTS" in elsewhere.json()["detail"]
    answer = client.get("/api/v1/nothing", headers={"X-Request-ID": "my-own-request-1"})
    assert answer.json()["instance"] == "my-own-request-1"


def test_bug_is_a_problem_that_tells_nothing_but_its_number_in_the_log(client, settings, caplog):
    settings.JOBS = None  # whatever the reason

    answer = client.post("/api/v1/check", {"file": SimpleUploadedFile("feedback.csv", b"x")})

    assert is_problem(answer, 500)
    assert answer.json()["detail"].startswith("The error was logged without your data. Try again. ")
    number = answer.json()["detail"].rpartition("error number: ")[2].rstrip(".")
    (line,) = [one for one in caplog.records if one.getMessage() == "a piece of work broke"]
    assert (line.levelname, line.fields["error"]) == ("ERROR", number)


def test_no_form_token_is_asked_for():
    strict = Client(enforce_csrf_checks=True)

    assert strict.post("/api/v1/plan", "{}", content_type="application/json").status_code == 422
    assert strict.post("/api/v1/nothing").status_code == 404


def test_type_of_a_problem_leads_to_its_meaning(client):
    for code, kind in KINDS.items():
        assert client.get(f"/api/v1/problems/{code}").json() == {
            "type": f"/api/v1/problems/{code}",
            "title": kind.title,
            "status": kind.status,
            "meaning": kind.meaning,
        }


def test_every_error_of_the_sandbox_has_its_status():
    statuses = {
        DataError: 422,
        MethodError: 422,
        TooLargeError: 413,
        OutOfTimeError: 413,
        OutOfMemoryError: 413,
        CrashedError: 422,
        BrokenError: 500,
        ZeroDivisionError: 500,
    }

    described = {kind: describe_problem(kind("no")) for kind in statuses}
    assert {kind: problem_from_record(one).status_code for kind, one in described.items()} == statuses
    assert {one["code"] for one in described.values()} <= set(KINDS)
    assert problem_from_record(LOST_PROBLEM).status_code == 503
