"""The page of a graded class, and its end."""

import gzip
import json
import os
from datetime import timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.test import Client
from django.utils import timezone
from tests.report import report_cases as cases
from tests.report.page_rules import broken_rules, parse
from tests.web.graded import CURVE, done_job, small_class
from tests.web.page_facts import texts

from peerage.report.page import policy
from peerage.report.tables import PLAIN
from peerage_web.accounts.models import Person
from peerage_web.files.models import Job
from peerage_web.files.services.jobs import keep_result, offered_days
from peerage_web.files.views.result import left_words
from peerage_web.sandbox.contract.jobs import RESULT_ARCHIVE, RESULT_FILES
from peerage_web.sandbox.work.grading import write_result_archive, write_result_parts
from peerage_web.shared.middleware import POLICY

pytestmark = pytest.mark.django_db


@pytest.fixture
def job():
    return done_job(small_class())


def with_parts_of(result):
    """A job whose page shows this result."""
    done = {"state": Job.State.DONE, "attempt": 1, "summary": {"converged": True}}
    job = Job.objects.create(visitor="somebody", file_name="class.csv", **done)
    job.results.mkdir(parents=True)
    write_result_parts(result, job.results)
    return job


def page_of(client, job):
    return parse(client.get(job.get_absolute_url()).content.decode())


def of_class(root, name):
    return [node for node in root.walk() if name in node.attrs.get("class", "").split()]


def test_the_page_leads_to_every_section_says_where_it_is_and_is_private(
    client, job, django_assert_num_queries
):
    with django_assert_num_queries(1):  # however large the class
        answer = client.get(job.get_absolute_url())

    page = answer.content.decode()
    root = parse(page)
    assert broken_rules(page, served=True) == []
    links = [a.attrs["href"] for a in of_class(root, "contents")[0].all("a")]
    assert links == [f"#{section.attrs['id']}" for section in root.all("section")]
    assert links == ["#glance", "#grade-table", "#grader-list", "#staff", "#method-comparison", "#data",
                     "#how", "#files", "#keeping"]  # fmt: skip
    marks = [mark.attrs["href"] for mark in of_class(root, "mark") if mark.tag == "a"]
    assert sorted(marks) == [
        f"explain?item=work{work}&task={task}" for work in range(8) for task in ("essay", "talk")
    ]

    times = {time.attrs["datetime"] for time in root.all("time")}
    address = next(node.attrs["value"] for node in root.all("input") if node.attrs.get("id") == "address")
    assert times == {job.expires_at.isoformat()}
    assert address == f"http://testserver/j/{job.key}/"

    assert answer.headers["Content-Security-Policy"] == POLICY
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"


def test_the_time_left_in_words():
    said = {
        timedelta(hours=23, minutes=59, seconds=59): "23 h 59 min left",
        timedelta(minutes=59): "59 min left",
        timedelta(seconds=-5): "less than a minute left",
    }

    assert {time: left_words(time) for time in said} == said


def test_an_estimate_that_has_not_settled_or_agrees_on_nothing_says_so(client, job):
    assert not of_class(page_of(client, job), "notice")

    for summary, said in (
        ({"converged": False}, "The estimate had not settled when it was stopped"),
        ({"converged": True, "agrees": False}, "The reviewers agree no more than chance would"),
    ):
        Job.objects.update(summary=summary)

        [notice] = of_class(page_of(client, job), "notice")
        assert notice.content.startswith(said)


def test_names_that_would_do_harm_stay_text(client):
    job = with_parts_of(cases.hostile())
    page = client.get(job.get_absolute_url()).content.decode()

    root = parse(page)

    assert broken_rules(page, served=True) == []
    assert root.all("img", "i") == []
    assert root.all("h1")[0].content == "Peer grading: " + cases.HOSTILE.replace("\x07", "\ufffd")


def test_a_large_class_sends_its_first_rows_alone(client):
    """And the others packed, but for a browser that cannot unpack them."""
    result = cases.large()
    job = with_parts_of(result)

    root = page_of(client, job)
    answer = client.get(f"{job.get_absolute_url()}rows/grades", headers={"Accept-Encoding": "gzip"})
    plain = client.get(f"{job.get_absolute_url()}rows/graders")

    table = next(node for node in root.walk() if node.attrs.get("id") == "grades")
    assert len(table.all("tbody")[0].all("tr")) == PLAIN
    assert answer.headers["Content-Encoding"] == "gzip"
    assert [row[0] for row in json.loads(gzip.decompress(b"".join(answer)))] == result.items["item"].to_list()
    assert "Content-Encoding" not in plain.headers
    assert len(json.loads(b"".join(plain))) == len(result.graders)


def test_tables_that_are_whole_in_the_page_have_no_rows_elsewhere(client, job):
    for table in ("grades", "parts", "..", "unknown"):
        assert client.get(f"{job.get_absolute_url()}rows/{table}").status_code == 404


# -- who may see it ---------------------------------------------------------------------------------------


PARTS = ("", "rows/grades", "explain?item=work1", "report", "files/grades.csv")


def test_a_wrong_key_leads_nowhere_and_pages_are_read_only(client, job):
    assert [client.get(f"/j/{'x' * 43}/{part}").status_code for part in PARTS] == [404] * len(PARTS)
    assert [client.post(job.get_absolute_url() + part).status_code for part in PARTS] == [405] * len(PARTS)


def test_a_result_is_gone_past_its_time_or_without_its_files(client, job, settings):
    Job.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.get(job.get_absolute_url()).status_code == 404

    Job.objects.update(expires_at=job.expires_at)
    settings.GRADE_A_FILE = "off"
    assert client.get(job.get_absolute_url()).status_code == 404

    settings.GRADE_A_FILE = "public"
    assert client.get(job.get_absolute_url()).status_code == 200
    (job.results / "parts.json").unlink()
    assert client.get(job.get_absolute_url()).status_code == 404


def test_where_people_sign_in_a_result_is_its_owners_alone(client, job, settings):
    """And the page says so."""
    assert "Anyone who has it can see everything here" in client.get(job.get_absolute_url()).content.decode()
    settings.GRADE_A_FILE = "sign-in"
    owner, other = (Person.objects.create_user(name) for name in ("alice", "bob"))
    Job.objects.update(owner=owner)

    assert client.get(job.get_absolute_url()).status_code == 302
    client.force_login(other)
    assert client.get(job.get_absolute_url()).status_code == 404
    client.force_login(owner)
    page = client.get(job.get_absolute_url())
    assert page.status_code == 200
    assert "The address does not work for anyone else" in page.content.decode()


# -- deleting it ------------------------------------------------------------------------------------------


def test_only_a_form_of_ours_deletes_and_leaves_nothing(client, job):
    address = f"{job.get_absolute_url()}delete"
    followed = client.get(address)
    assert (followed.status_code, followed.headers["Location"]) == (302, job.get_absolute_url())
    assert f'action="{address}"' in client.get(job.get_absolute_url()).content.decode()
    assert client.put(address).status_code == 405
    assert Client(enforce_csrf_checks=True).post(address).status_code == 403  # of another site
    assert Job.objects.exists()

    answer = client.post(address)

    assert answer.status_code == 200
    assert answer.templates[0].name == "files/deleted.html"
    assert not Path(job.folder).exists()
    assert not Job.objects.exists()
    assert client.get(job.get_absolute_url()).status_code == 404
    assert client.post(address).status_code == 404


# -- its name, how long it stays, and who can see it -------------------------------------------------------


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


def test_the_page_takes_a_name_and_a_time(client, job):
    answer = client.post(f"/j/{job.key}/keep", {"name": "Essay 2 <b>", "days": "14"})

    assert (answer.status_code, answer["Location"]) == (302, f"/j/{job.key}/#keeping")
    page = client.get(f"/j/{job.key}/")
    assert texts(page, "h1") == ["Essay 2 <b>"]
    assert "13 days left" in page.content.decode()


# -- its files: the bytes that the command line writes, and nothing else -----------------------------------


CSV, JSON = "text/csv; charset=utf-8", "application/json"


@pytest.fixture
def graded():
    """With points, so that it has grade books."""
    return done_job(small_class(), options=CURVE)


def bytes_of(answer):
    return b"".join(answer.streaming_content)  # which closes it at its end


def asked_for(client, job, name):
    return client.get(f"{job.get_absolute_url()}files/{name}")


KINDS = {
    "report.html": "text/html; charset=utf-8",
    "grades.csv": CSV,
    "graders.csv": CSV,
    "results.json": JSON,
    "run.json": JSON,
    "gradebook-canvas.csv": CSV,
    "gradebook-moodle.csv": CSV,
    "gradebook-xlsx.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "everything.zip": "application/zip",
}


def test_every_file_is_handed_out_and_nothing_else(client, graded):
    for name, kind in KINDS.items():
        answer = asked_for(client, graded, name)
        assert bytes_of(answer) == (graded.results / name).read_bytes()
        assert answer.headers["Content-Type"] == kind
        assert answer.headers["Content-Disposition"] == f'attachment; filename="feedback-{name}"'
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "private, no-store"

    answer = client.get(f"{graded.get_absolute_url()}report")

    assert bytes_of(answer) == (graded.results / "report.html").read_bytes()
    assert answer.headers["Content-Security-Policy"] == (
        f"sandbox allow-scripts; {policy()}; frame-ancestors 'none'"
    )
    assert answer.headers["Content-Disposition"] == 'inline; filename="report.html"'
    assert answer.headers["X-Frame-Options"] == "DENY"

    (graded.results / "graders.csv").unlink()
    names = ["parts.json", "feedback.csv", "..", "%2e%2e%2finput%2ffeedback.csv", "x", "graders.csv"]
    assert [name for name in names if asked_for(client, graded, name).status_code != 404] == []

    Job.objects.update(file_name="Übung 1.csv")
    answer = asked_for(client, graded, "grades.csv")
    assert bytes_of(answer) == (graded.results / "grades.csv").read_bytes()
    assert answer.headers["Content-Disposition"] == "attachment; filename*=utf-8''%C3%9Cbung%201-grades.csv"

    Job.objects.update(state=Job.State.RUNNING)

    assert asked_for(client, graded, "grades.csv").status_code == 404


def test_a_standing_has_no_grade_books_for_import(client, job):
    books = ["gradebook-canvas.csv", "gradebook-moodle.csv"]
    assert [asked_for(client, job, name).status_code for name in books] == [404, 404]
    page = client.get(job.get_absolute_url()).content.decode()
    assert ("gradebook-xlsx.xlsx" in page, "gradebook-canvas.csv" in page) == (True, False)
    with ZipFile(job.results / RESULT_ARCHIVE) as archive:
        assert set(archive.namelist()) == {
            f"peerage-results/{name}" for name in RESULT_FILES if name not in books
        }


def test_the_archive_has_every_file_and_is_the_same_for_the_same_files(graded):
    before = (graded.results / RESULT_ARCHIVE).read_bytes()
    with ZipFile(graded.results / RESULT_ARCHIVE) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == {f"peerage-results/{name}": (graded.results / name).read_bytes() for name in RESULT_FILES}

    for name in RESULT_FILES:
        os.utime(graded.results / name, (1e9, 1e9))
    write_result_archive(graded.results)

    assert (graded.results / RESULT_ARCHIVE).read_bytes() == before
