"""Why one item stands where it stands, on a page and beside the result."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import pytest
from tests.report.page_rules import broken_rules, parse
from tests.web.graded import done_job, small_class

from peerage_web.files.models import Job
from peerage_web.files.services.explanations import explain_job_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def job():
    return done_job(small_class())


def asked(client, job, **what):
    return client.get(f"{job.get_absolute_url()}explain?{urlencode(what)}")


def asked_in_part(client, job, **what):
    return client.get(
        f"{job.get_absolute_url()}explain?{urlencode(what)}", headers={"HX-Request": "true"}
    ).content.decode()


def test_the_page_has_the_librarys_sentences(client, job):
    found = explain_job_item(job=job, item="work3", task="talk")

    root = parse(asked(client, job, item="work3", task="talk").content.decode())

    main = root.all("main")[0]
    lead = [p.content for p in main.all("p")][1:-1]
    reviews = [li.all("span")[0].content for li in main.all("li")]
    assert lead + reviews == found["sentences"]
    assert len(reviews) == len(found["lists"])


def test_what_a_review_did_has_its_sign(client, job):
    found = explain_job_item(job=job, item="work3", task="talk")

    root = parse(asked_in_part(client, job, item="work3", task="talk"))

    shown = [float(b.content.replace("\N{MINUS SIGN}", "-")) for b in root.all("b")]
    assert shown == [round(one["score_change"], 2) for one in found["lists"]]


def test_the_page_breaks_no_rule(client, job):
    page = asked(client, job, item="work3", task="talk").content.decode()

    assert broken_rules(page, served=True) == []


def test_the_result_page_gets_the_part_that_matters(client, job):
    part = parse(asked_in_part(client, job, item="work3", task="essay"))

    assert part.all("html", "main", "header") == []
    assert part.all("h2")[0].content == "work3 essay"


def test_without_a_task_it_is_the_first(client, job):
    first = parse(asked_in_part(client, job, item="work3", task="essay")).all("span")

    assert [one.content for one in parse(asked_in_part(client, job, item="work3")).all("span")] == [
        one.content for one in first
    ]


@pytest.mark.parametrize("what", [{"item": "work99"}, {"item": "work3", "task": "poster"}, {}])
def test_what_is_not_in_the_class_is_not_found(client, job, what):
    assert asked(client, job, **what).status_code == 404


def test_nothing_is_explained_before_the_grades(client, job):
    Job.objects.update(state=Job.State.RUNNING)

    assert asked(client, job, item="work3").status_code == 404


def test_what_takes_too_long_here_is_left_to_the_command_line(client, job, settings):
    settings.LIMITS = replace(settings.LIMITS, direct_seconds=0)

    answer = asked(client, job, item="work3", task="essay")

    [notice] = [p for p in parse(answer.content.decode()).all("p") if p.attrs.get("class") == "notice"]
    assert answer.status_code == 422
    assert notice.content.endswith("Peerage on your own computer has no such limit.")


def test_own_work_was_not_graded_and_is_not_explained():
    job = done_job(b"grader,item,rank\nada,ada,1\nada,bob,2\nbob,ada,1\nbob,cem,2\ncem,bob,1\ncem,ada,2\n")

    found = explain_job_item(job=job, item="ada", task=None)

    assert sorted(one["grader"] for one in found["lists"]) == ["bob", "cem"]
