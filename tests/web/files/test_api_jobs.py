"""Jobs over the API: from 202 to the files, and away."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from tests.web.graded import CURVE, done_job, small_class

from peerage_web.files.models import Job
from peerage_web.files.services.drafts import create_job
from peerage_web.files.services.jobs import start_job
from peerage_web.files.services.running import run_next
from peerage_web.sandbox.contract.jobs import JobOptions

pytestmark = pytest.mark.django_db

SMALL = b"grader,item,rank\nada,x,1\nada,y,2\nben,y,1\nben,z,2\ncem,x,1\ncem,z,2\n"
FILES = [
    *["report.html", "grades.csv", "graders.csv", "reading.toml", "results.json", "run.json"],
    *["gradebook-canvas.csv", "gradebook-moodle.csv", "gradebook-xlsx.xlsx", "everything.zip"],
]
ADDRESSES = [
    ("get", ""),
    ("delete", ""),
    ("get", "/result"),
    ("get", "/files/grades.csv"),
    ("post", "/cancel"),
]


def make(data: bytes = SMALL) -> Job:
    job = create_job(upload=SimpleUploadedFile("feedback.csv", data), visitor="somebody", origin="api")
    start_job(job=job, options=JobOptions(scale="0:10", curve="6:1.5"))
    return job


@pytest.fixture
def waiting() -> Job:
    return make()


@pytest.fixture
def done() -> Job:
    job = done_job(small_class(), options=CURVE)
    Job.objects.update(origin="api")
    return job


def test_waiting_job_says_how_many_come_before(client, waiting):
    second = make()

    status = client.get(f"/api/v1/jobs/{second.key}").json()

    assert (status["state"], status["place"], status["progress"]) == ("queued", 1, 0.0)
    assert status["links"] == {
        "self": f"/api/v1/jobs/{second.key}",
        "result": None,
        "cancel": f"/api/v1/jobs/{second.key}/cancel",
        "files": {},
    }


def test_files_of_a_done_job_are_sent_until_it_is_deleted(client, done, settings):
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
    return [getattr(client, verb)(f"/api/v1/jobs/{key}{rest}").status_code for verb, rest in ADDRESSES]


def test_stranger_finds_nothing(client, waiting):
    for key in ("x" * 43, "short", "a%00b", str(waiting.pk)):
        assert answers(client, key) == [404] * len(ADDRESSES)

    assert Job.objects.get().state == "queued"


@pytest.mark.parametrize("change", [{"expires_at": timezone.now()}, {"origin": "page"}])
def test_expired_jobs_and_those_of_the_pages_are_not_for_the_api(client, waiting, change):
    Job.objects.update(**change)

    assert answers(client, waiting.key) == [404] * len(ADDRESSES)
    assert Job.objects.get().state == "queued"


def test_status_takes_few_queries(client, waiting, django_assert_num_queries):
    with django_assert_num_queries(7):  # three are the counting of this request, with its savepoint
        client.get(f"/api/v1/jobs/{waiting.key}")
    make()
    with django_assert_num_queries(7):
        client.get(f"/api/v1/jobs/{waiting.key}")
