"""A job that waits, runs, or has ended without grades."""

import pytest
from django.utils import timezone
from tests.web.at_work import queued
from tests.web.files.draft_page import address
from tests.web.page_facts import broken_rules, texts, tree

from peerage_web.files.models import Job
from peerage_web.shared.heartbeats import beat

pytestmark = pytest.mark.django_db

PROBLEM = {
    "code": "data",
    "title": "The file cannot be used as it is",
    "detail": "feedback.csv: line 2: the item is empty; name it",
    "problems": [{"line": 2, "column": None, "value": None, "rule": "the item is empty", "fix": "name it"}],
}


@pytest.fixture
def job() -> Job:
    return queued()


def now(job: Job, **changes) -> Job:
    """The job in another state."""
    if changes.get("state") == "running":
        changes |= {"attempt": 1, "started_at": timezone.now(), "heartbeat_at": timezone.now()}
    Job.objects.filter(pk=job.pk).update(**changes)
    job.refresh_from_db()
    return job


def test_waiting_job_follows_itself_and_tells_its_place(client, job, settings, django_assert_max_num_queries):
    before = client.get(address(job, "progress"))
    assert texts(before, ".now") == [
        "Waiting: the service is getting ready. After an installation this takes some minutes"
    ]
    beat(settings.HEARTBEATS, "task_worker", "one")
    assert texts(client.get(tree(before).all("div")[0].attrs["hx-get"]), ".now") == ["Next in line"]

    response = client.get(address(job))
    with django_assert_max_num_queries(2):
        client.get(address(job, "progress"))

    assert broken_rules(response) == []
    assert texts(response, ".now") == ["Next in line"]
    bar = tree(response).all("progress")[0]
    assert "value" not in bar.attrs
    refresh = [meta.attrs["content"] for meta in tree(response).all("meta") if "http-equiv" in meta.attrs]
    assert refresh == ["3"]

    second = queued(visitor="another")
    assert texts(client.get(address(second)), ".now") == ["Waiting: 1 file comes first"]


def test_running_job_shows_its_step_and_says_nothing_while_nothing_is_new(client, job):
    now(job, state="running", step="estimating scores", steps_done=4)

    response = client.get(address(job, "progress"))

    assert texts(response, ".now") == ["Estimating scores"]
    assert tree(response).all("progress")[0].attrs["value"] == "25"
    again = tree(response).all("div")[0].attrs["hx-get"]
    assert client.get(again).status_code == 204
    now(job, steps_done=5)
    assert client.get(again).status_code == 200
    for state in ("done", "cancelled"):
        now(job, state=state)
        assert client.get(again)["HX-Refresh"] == "true"


def test_job_is_cancelled_but_not_by_following_a_link(client, job):
    answer = client.get(address(job, "cancel"))
    job.refresh_from_db()
    assert (answer.status_code, answer.headers["Location"]) == (302, address(job))
    assert (job.state, job.cancel_requested) == ("queued", False)

    response = client.post(address(job, "cancel"), follow=True)
    assert broken_rules(response) == []
    assert texts(response, "h1") == ["Cancelled"]
    assert texts(response, ".primary") == ["Change the options and try again"]

    now(job, state="running", step="estimating scores")
    response = client.post(address(job, "cancel"), follow=True)
    assert texts(response, ".now") == ["Stopping …"]


def test_failed_job_says_why(client, job):
    now(job, state="failed", problem=PROBLEM)

    response = client.get(address(job))

    assert broken_rules(response) == []
    assert texts(response, "h1") == ["The file cannot be used as it is"]
    assert (texts(response, ".where"), texts(response, ".fix")) == (["Line 2"], ["name it"])
    now(job, problem={**PROBLEM, "problems": [], "detail": "It took too long."})
    assert texts(client.get(address(job)), ".problem") == ["It took too long."]  # it has no places
