"""Files over the API: check and grade answer as the command line, and what takes longer is a job."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from tests.web.at_work import queued
from tests.web.graded import CURVE, done_job, small_class

from peerage.cli import app
from peerage_web.files.api.options import ROLES
from peerage_web.files.models import Job
from peerage_web.files.services.running import run_next
from peerage_web.shared.services.sandbox_slots import sandbox_slot

pytestmark = pytest.mark.django_db

POSTERS = Path(__file__).parents[3] / "examples" / "posters"
SMALL = b"grader,item,rank\nada,x,1\nada,y,2\nben,y,1\nben,z,2\ncem,x,1\ncem,z,2\n"


def upload(data: bytes = SMALL, name: str = "feedback.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def said_by_command_line(*args: str) -> dict:
    from typer.testing import CliRunner

    return json.loads(CliRunner().invoke(app, list(args)).stdout)


def test_grade_answers_as_the_command_line(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "feedback.csv": SMALL,
        "roster.csv": b"student,item\nada,z\nben,x\ncem,y\n",
        "staff.csv": b"item,score\nx,9\ny,7\nz,4\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    feedback, roster, staff = (upload(content, name) for name, content in files.items())
    sent = {"file": feedback, "roster": roster, "anchors": staff}

    answer = client.post("/api/v1/grade", {**sent, "scale": "0:10", "letters": "A>=8.5,B>=7,C", "seed": 3})

    assert answer.status_code == 200
    assert len({row["letter"] for row in answer.json()["items"]}) > 1
    assert answer.json() == said_by_command_line(
        *["grade", "feedback.csv", "--roster", "roster.csv", "--anchors", "staff.csv"],
        *["--scale", "0:10", "--letters", "A>=8.5,B>=7,C", "--seed", "3", "--json"],
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
    assert (answer.status_code, answer.headers["Location"]) == (202, path)
    assert answer.json()["links"]["self"] == path
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
    ({"columns": "[1]"}, 'columns must be a JSON object of texts, such as {"item": "paper"}'),
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

    rule = "is not a number, and a rank must be one"
    fix = (
        "write 1 for the best, 2 for the next, …, say empty=one if it means that there was no review,"
        " or the order of such words, best first, with words"
    )
    place = {"field": None, "line": 2, "column": "rank", "value": "one"}
    assert answer.json()["title"] == "The data cannot be used as it is"
    assert answer.json()["detail"] == f"feedback.csv: line 2, column 'rank': 'one' {rule}; {fix}"
    assert answer.json()["problems"] == [{**place, "rule": rule, "fix": fix}]


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


# -- jobs: from 202 to the files, and away -----------------------------------------------------------------


FILES = [
    *["report.html", "grades.csv", "graders.csv", "reading.toml", "results.json", "run.json"],
    *["gradebook-canvas.csv", "gradebook-moodle.csv", "gradebook-xlsx.xlsx", "everything.zip"],
]
ROUTES = [("get", ""), ("delete", ""), ("get", "/result"), ("get", "/files/grades.csv"), ("post", "/cancel")]


def of_api(job: Job) -> Job:
    Job.objects.update(origin="api")
    return job


@pytest.fixture
def waiting() -> Job:
    return of_api(queued())


def test_waiting_job_says_how_many_come_before(client, waiting):
    second = of_api(queued())

    status = client.get(f"/api/v1/jobs/{second.key}").json()

    assert (status["state"], status["place"], status["progress"]) == ("queued", 1, 0.0)
    assert status["links"] == {
        "self": f"/api/v1/jobs/{second.key}",
        "result": None,
        "cancel": f"/api/v1/jobs/{second.key}/cancel",
        "files": {},
    }


def test_files_of_a_done_job_are_sent_until_it_is_deleted(client, settings):
    done = of_api(done_job(small_class(), options=CURVE))

    status = client.get(f"/api/v1/jobs/{done.key}").json()

    assert (status["state"], status["place"], status["progress"]) == ("done", None, 1.0)
    assert (status["summary"]["items"], status["problem"]) == (16, None)
    assert list(status["links"]["files"]) == FILES

    for name in FILES:
        answer = client.get(f"/api/v1/jobs/{done.key}/files/{name}")
        assert b"".join(answer.streaming_content) == (done.results / name).read_bytes()
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    result = client.get(f"/api/v1/jobs/{done.key}/result")
    assert result.content == (done.results / "results.json").read_bytes()
    assert result.headers["Content-Type"] == "application/json"

    for name in ("nothing.csv", "..%2F..%2Finput%2Ffeedback.csv", "parts.json", "%00"):
        assert client.get(f"/api/v1/jobs/{done.key}/files/{name}").status_code == 404

    answer = client.delete(f"/api/v1/jobs/{done.key}")

    assert (answer.status_code, answer.content) == (204, b"")
    assert client.get(f"/api/v1/jobs/{done.key}").status_code == 404
    assert list(settings.JOBS.iterdir()) == []


def test_files_that_are_not_there_yet_or_any_more(client, waiting):
    for address in ("result", "files/results.json"):
        answer = client.get(f"/api/v1/jobs/{waiting.key}/{address}")
        assert (answer.status_code, answer.json()["detail"]) == (409, "The job is waiting for its turn.")

    Job.objects.update(state="done")  # and its files were deleted a moment ago

    for address in ("result", "files/results.json"):
        assert client.get(f"/api/v1/jobs/{waiting.key}/{address}").status_code == 404


def test_cancelled_job_is_not_graded(client, waiting):
    answer = client.post(f"/api/v1/jobs/{waiting.key}/cancel")
    run_next(worker="test")

    assert answer.json()["state"] == "cancelled"
    assert client.get(f"/api/v1/jobs/{waiting.key}/result").json()["detail"] == "The job is cancelled."


def answers(client, key: str) -> list[int]:
    """What every address says of the job with this key."""
    return [getattr(client, verb)(f"/api/v1/jobs/{key}{rest}").status_code for verb, rest in ROUTES]


def test_stranger_finds_nothing(client, waiting):
    for key in ("x" * 43, "short", "a%00b", str(waiting.pk)):
        assert answers(client, key) == [404] * len(ROUTES)

    assert Job.objects.get().state == "queued"


@pytest.mark.parametrize("change", [{"expires_at": timezone.now()}, {"origin": "page"}])
def test_expired_jobs_and_those_of_the_pages_are_not_for_the_api(client, waiting, change):
    Job.objects.update(**change)

    assert answers(client, waiting.key) == [404] * len(ROUTES)
    assert Job.objects.get().state == "queued"


def test_status_takes_few_queries(client, waiting, django_assert_num_queries):
    with django_assert_num_queries(7):  # three are the counting of this request, with its savepoint
        client.get(f"/api/v1/jobs/{waiting.key}")
    of_api(queued())
    with django_assert_num_queries(7):
        client.get(f"/api/v1/jobs/{waiting.key}")
