"""A job that waits, runs, or has ended without grades."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from tests.web.page_facts import broken_rules, texts, tree

from peerage_web.files.models import Job
from peerage_web.files.services.drafts import create_job
from peerage_web.files.services.jobs import start_job
from peerage_web.sandbox.contract import Options

pytestmark = pytest.mark.django_db(transaction=True)

PROBLEM = {
    "code": "data",
    "title": "The file cannot be used as it is",
    "detail": "feedback.csv: line 2: the item is empty; name it",
    "problems": [{"line": 2, "column": None, "value": None, "rule": "the item is empty", "fix": "name it"}],
}


@pytest.fixture
def job(posters) -> Job:
    made = create_job(upload=SimpleUploadedFile("feedback.csv", posters), visitor="somebody")
    start_job(job=made, options=Options())
    return made


def address(job: Job, name: str = "job") -> str:
    return reverse(name, args=[job.key])


def now(job: Job, **changes) -> Job:
    """The job in another state."""
    if changes.get("state") == "running":
        changes |= {"attempt": 1, "started_at": timezone.now(), "heartbeat_at": timezone.now()}
    Job.objects.filter(pk=job.pk).update(**changes)
    job.refresh_from_db()
    return job


def test_waiting_job_follows_itself(client, job):
    response = client.get(address(job))

    assert broken_rules(response) == []
    assert texts(response, ".now") == ["Next in line"]
    bar = tree(response).all("progress")[0]
    assert "value" not in bar.attrs
    refresh = [meta.attrs["content"] for meta in tree(response).all("meta") if "http-equiv" in meta.attrs]
    assert refresh == ["3"]


def test_place_in_the_queue_is_told(client, job, posters):
    second = create_job(upload=SimpleUploadedFile("feedback.csv", posters), visitor="another")
    start_job(job=second, options=Options())

    assert texts(client.get(address(second)), ".now") == ["Waiting: 1 file comes first"]


def test_running_job_shows_its_step(client, job):
    now(job, state="running", step="estimating scores", steps_done=4)

    response = client.get(address(job, "progress"))

    assert texts(response, ".now") == ["Estimating scores"]
    assert tree(response).all("progress")[0].attrs["value"] == "25"


def test_nothing_new_is_answered_with_nothing(client, job):
    now(job, state="running", step="estimating scores", steps_done=4)
    again = tree(client.get(address(job, "progress"))).all("div")[0].attrs["hx-get"]
    assert client.get(again).status_code == 204

    now(job, steps_done=5)

    assert client.get(again).status_code == 200


@pytest.mark.parametrize("state", ["done", "cancelled"])
def test_ended_job_loads_its_page(client, job, state):
    now(job, state=state)

    assert client.get(address(job, "progress"))["HX-Refresh"] == "true"


def test_progress_is_two_queries_at_most(client, job, django_assert_max_num_queries):
    with django_assert_max_num_queries(2):
        client.get(address(job, "progress"))


def test_waiting_job_is_cancelled(client, job):
    response = client.post(address(job, "cancel"), follow=True)

    assert broken_rules(response) == []
    assert texts(response, "h1") == ["Cancelled"]
    assert texts(response, ".primary") == ["Change the options and try again"]


def test_running_job_is_asked_to_stop(client, job):
    now(job, state="running", step="estimating scores")

    response = client.post(address(job, "cancel"), follow=True)

    assert texts(response, ".now") == ["Stopping …"]


def test_failed_job_says_why(client, job):
    now(job, state="failed", problem=PROBLEM)

    response = client.get(address(job))

    assert broken_rules(response) == []
    assert texts(response, "h1") == ["The file cannot be used as it is"]
    assert (texts(response, ".where"), texts(response, ".fix")) == (["Line 2"], ["name it"])


def test_failure_without_places_shows_its_text(client, job):
    now(job, state="failed", problem={**PROBLEM, "problems": [], "detail": "It took too long."})

    assert texts(client.get(address(job)), ".problem") == ["It took too long."]


@pytest.mark.parametrize(("verb", "name"), [("get", "progress"), ("post", "cancel")])
def test_stranger_finds_nothing(client, job, verb, name):
    assert getattr(client, verb)(reverse(name, args=["x" * 43])).status_code == 404


@pytest.mark.parametrize(("verb", "name"), [("post", "progress"), ("put", "cancel")])
def test_wrong_verb(client, job, verb, name):
    assert getattr(client, verb)(address(job, name)).status_code == 405


def test_following_a_link_cancels_nothing(client, job):
    answer = client.get(address(job, "cancel"))

    job.refresh_from_db()
    assert (answer.status_code, answer.headers["Location"]) == (302, address(job))
    assert (job.state, job.cancel_requested) == ("queued", False)
