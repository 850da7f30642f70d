"""A result afterwards: its name, how long it stays, who can see it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.graded import done_job, small_class
from tests.web.page_facts import texts

from peerage_web.files.models import Job
from peerage_web.files.services.jobs import keep_result, offered_days

pytestmark = pytest.mark.django_db


def test_a_result_stays_as_long_as_chosen_and_never_shorter():
    job = Job.objects.create(visitor="v", file_name="f.csv", expires_at=timezone.now() + timedelta(days=10))

    keep_result(job=job, name=" Essay 2\x00 ", days=7)
    first = Job.objects.get()
    keep_result(job=first, name="", days=30)
    second = Job.objects.get()

    assert first.expires_at == job.expires_at
    assert timedelta(days=29) < second.expires_at - timezone.now() <= timedelta(days=30)
    assert (first.name.startswith("Essay 2"), second.name) == (True, "")


@pytest.mark.both
@pytest.mark.parametrize("days", [-2, 2])
def test_a_job_is_there_on_an_instance_whose_clock_is_wrong(monkeypatch, days):
    wrong = timezone.now() + timedelta(days=days)
    monkeypatch.setattr(timezone, "now", lambda: wrong)

    job = Job.objects.create(visitor="v", file_name="f.csv")
    monkeypatch.undo()

    assert timedelta(hours=23) < job.expires_at - timezone.now() <= timedelta(hours=24)


def test_days_that_are_not_on_offer_change_nothing(limits):
    limits(kept_days_longest=30)
    assert offered_days() == [7, 14, 30]
    limits(kept_days_longest=0)
    assert offered_days() == []
    limits(kept_days_longest=7)
    job = Job.objects.create(visitor="v", file_name="f.csv")

    keep_result(job=job, name="x", days=365)

    assert Job.objects.get().expires_at == job.expires_at


def test_the_page_takes_a_name_and_a_time(client):
    job = done_job(small_class())

    answer = client.post(f"/j/{job.key}/keep", {"name": "Essay 2 <b>", "days": "14"})

    assert (answer.status_code, answer["Location"]) == (302, f"/j/{job.key}/#keeping")
    page = client.get(f"/j/{job.key}/")
    assert texts(page, "h1") == ["Essay 2 <b>"]
    assert "13 days left" in page.content.decode()


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("public", "Anyone who has it can see everything here"),
        ("sign-in", "The address does not work for anyone else"),
    ],
)
def test_the_page_says_who_can_see_it(client, settings, django_user_model, mode, said):
    settings.GRADE_A_FILE = mode
    job = done_job(small_class())
    teacher = django_user_model.objects.create_user("teacher")
    Job.objects.update(owner=teacher)
    client.force_login(teacher)

    keeping = client.get(f"/j/{job.key}/").content.decode().partition('id="keeping"')[2]

    assert said in keeping
    assert ("Nobody can guess" in keeping) == (mode == "public")
