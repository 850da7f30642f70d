"""POST check and POST grade: what the command line answers, over HTTP."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from peerage.cli import app
from peerage_web.files.api.options import ROLES
from peerage_web.files.models import Job
from peerage_web.shared.services.sandbox_slots import sandbox_slot

pytestmark = pytest.mark.django_db

POSTERS = Path(__file__).parents[3] / "examples" / "posters"
SMALL = b"grader,item,rank\nada,x,1\nada,y,2\nben,y,1\nben,z,2\ncem,x,1\ncem,z,2\n"


@pytest.fixture(autouse=True)
def patient(limits):
    """A busy machine must not turn answers into jobs."""
    limits(direct_seconds=300)


def upload(data: bytes = SMALL, name: str = "feedback.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def said_by_command_line(*args: str) -> dict:
    from typer.testing import CliRunner

    return json.loads(CliRunner().invoke(app, list(args)).stdout)


def test_grade_answers_as_the_command_line(client, posters, monkeypatch):
    monkeypatch.chdir(POSTERS)
    files = {
        "file": upload(posters),
        "roster": upload((POSTERS / "roster.csv").read_bytes(), "roster.csv"),
        "anchors": upload((POSTERS / "staff.csv").read_bytes(), "staff.csv"),
    }

    answer = client.post("/api/v1/grade", {**files, "letters": "A>=8.5,B>=7,C", "seed": 3})

    assert answer.status_code == 200
    assert answer.json() == said_by_command_line(
        *["grade", "feedback.csv", "--roster", "roster.csv", "--anchors", "staff.csv"],
        *["--letters", "A>=8.5,B>=7,C", "--seed", "3", "--json"],
    )


def test_what_is_answered_at_once_leaves_nothing_behind(client, settings):
    for address, data, status in (("grade", SMALL, 200), ("grade", b"nothing", 422), ("check", SMALL, 200)):
        answer = client.post(f"/api/v1/{address}", {"file": upload(data)})

        assert answer.status_code == status
        assert not Job.objects.exists()
        assert list(settings.JOBS.iterdir()) == []


@pytest.mark.parametrize(
    ("limit", "prefer"),
    [({"direct_reviews": 3}, ""), ({"direct_seconds": 0.001}, ""), ({}, "wait=5, Respond-Async")],
)
def test_class_that_takes_too_long_or_is_preferred_so_becomes_a_job(client, limits, limit, prefer):
    limits(**limit)
    asked = {"file": upload(), "scale": "0:10", "compare": "bt, mal"}

    answer = client.post("/api/v1/grade", asked, headers={"Prefer": prefer})

    job = Job.objects.get()
    path = f"/api/v1/jobs/{job.key}"
    assert (answer.status_code, answer.headers["Location"], answer.json()["links"]["self"]) == (
        202,
        path,
        path,
    )
    assert answer.headers.get("Preference-Applied") == ("respond-async" if prefer else None)
    assert (job.state, job.origin) == ("queued", "api")
    assert (job.options["scale"], job.options["compare"]) == ("0:10", ["bt", "mal"])


def test_while_the_service_is_busy_a_class_becomes_a_job_and_a_check_is_503(client, monkeypatch):
    monkeypatch.setattr("peerage_web.shared.services.sandbox_slots.WAIT", 0.01)

    with ExitStack() as others:
        for number in range(settings.LIMITS.sandbox_slots):
            others.enter_context(sandbox_slot(f"visitor {number}"))
        checked = client.post("/api/v1/check", {"file": upload()})
        graded = client.post("/api/v1/grade", {"file": upload()})

    assert (checked.status_code, checked.headers["Retry-After"]) == (503, "15")
    assert checked.json()["type"] == "/api/v1/problems/busy"
    assert (graded.status_code, graded.json()["state"]) == (202, "queued")
    assert Job.objects.count() == 1


def test_what_is_too_much_is_refused_for_a_while(client, limits):
    limits(jobs_per_visitor=1)
    client.post("/api/v1/grade", {"file": upload()}, headers={"Prefer": "respond-async"})

    answer = client.post("/api/v1/grade", {"file": upload()}, headers={"Prefer": "respond-async"})

    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "60")
    assert answer.json()["type"] == "/api/v1/problems/too-many"
    assert Job.objects.count() == 1


REFUSED = [
    ({"column": "paper"}, "column 'paper' is not ROLE=HEADER, as in item=paper"),
    ({"column": "source=x"}, f"columns has no role 'source'; roles are {', '.join(ROLES)}"),
    ({"columns": '{"item": 3}'}, 'columns must be a JSON object of texts, such as {"item": "paper"}'),
    ({"methd": "pl"}, "methd is not a field of this form"),
    ({"roster": "student"}, "roster must be sent as a file, with a file name"),
    ({"seed": ["1", "2"]}, "seed is given twice"),
    ({"seed": "-1"}, "seed must be at least 0"),
    ({"interval": "1"}, "interval must be at most 0.999"),
    ({"duplicates": "all"}, "duplicates must be 'error', 'first', 'last', 'mean' or 'keep'"),
    ({"scale": "0\x00"}, "scale must not hold NUL characters"),
    ({"method": "nonsense"}, "there is no method 'nonsense'."),
    ({"criteria": "clarity=2,method=x"}, "criteria 'method' with the weight 'x' is not NAME=WEIGHT"),
]


def test_refused_options_say_why(client):
    for given, why in REFUSED:
        answer = client.post("/api/v1/grade", {"file": upload(), **given})

        assert (answer.status_code, answer.json()["detail"][: len(why)]) == (422, why)


def test_problem_has_the_words_of_the_command_line(client):
    answer = client.post("/api/v1/grade", {"file": upload(b"grader,item,rank\nada,x,one\nada,y,2\n")})

    problem = answer.json()
    rule, fix = (
        "is not a number, and a rank must be one",
        "write 1 for the best, 2 for the next, …, say empty=one if it means that there was no review,"
        " or the order of such words, best first, with words",
    )
    place = {"field": None, "line": 2, "column": "rank", "value": "one"}
    assert problem["title"] == "The data cannot be used as it is"
    assert problem["detail"] == f"feedback.csv: line 2, column 'rank': 'one' {rule}; {fix}"
    assert problem["problems"] == [{**place, "rule": rule, "fix": fix}]


def test_check_answers_as_the_command_line(client, posters, monkeypatch):
    monkeypatch.chdir(POSTERS)
    roster = upload((POSTERS / "roster.csv").read_bytes(), "roster.csv")

    answer = client.post("/api/v1/check", {"file": upload(posters), "roster": roster, "min_reviews": 6})

    assert answer.status_code == 200
    assert answer.json() == said_by_command_line(
        "check", "feedback.csv", "--owners", "roster.csv", "--min-reviews", "6", "--json"
    )


def test_check_refuses_more_reviews_than_the_service_takes(client, limits):
    limits(reviews=5)

    answer = client.post("/api/v1/check", {"file": upload()})

    assert (answer.status_code, answer.json()["type"]) == (413, "/api/v1/problems/too-large")
    assert answer.json()["detail"] == (
        "the file has 6 reviews; this service accepts at most 5."
        " Peerage on your own computer has no such limit."
    )


@pytest.mark.parametrize("address", ["/api/v1/check", "/api/v1/grade"])
def test_bodies_that_are_no_form_with_a_file_are_refused(client, address):
    empty = client.post(address, {"format": "csv"})
    assert (empty.status_code, empty.json()["detail"]) == (422, "file is missing")

    for kind in ("application/json", "text/csv", "application/x-www-form-urlencoded", ""):
        answer = client.post(address, "{}", content_type=kind)
        assert (answer.status_code, answer.headers["Accept-Post"]) == (415, "multipart/form-data")

    for kind in ("multipart/form-data", "multipart/form-data; boundary=x"):
        answer = client.post(address, b"--y\r\nno", content_type=kind)
        assert answer.status_code in (400, 422)
        assert answer.headers["Content-Type"] == "application/problem+json"
