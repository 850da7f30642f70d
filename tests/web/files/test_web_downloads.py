"""The files of a result: the same bytes as the command line writes, and nothing else."""

from __future__ import annotations

import os
from zipfile import ZipFile

import pytest
from tests.web.graded import CURVE, done_job, small_class

from peerage.report.page import policy
from peerage_web.files.models import Job
from peerage_web.sandbox.contract.jobs import RESULT_ARCHIVE, RESULT_FILES
from peerage_web.sandbox.work.grading import write_result_archive

pytestmark = pytest.mark.django_db
CSV, JSON = "text/csv; charset=utf-8", "application/json"


@pytest.fixture
def job():
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


def test_every_file_is_handed_out_and_nothing_else(client, job):
    for name, kind in KINDS.items():
        answer = asked_for(client, job, name)
        assert bytes_of(answer) == (job.results / name).read_bytes()
        assert answer.headers["Content-Type"] == kind
        assert answer.headers["Content-Disposition"] == f'attachment; filename="feedback-{name}"'
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "private, no-store"

    answer = client.get(f"{job.get_absolute_url()}report")

    assert bytes_of(answer) == (job.results / "report.html").read_bytes()
    assert answer.headers["Content-Security-Policy"] == (
        f"sandbox allow-scripts; {policy()}; frame-ancestors 'none'"
    )
    assert answer.headers["Content-Disposition"] == 'inline; filename="report.html"'
    assert answer.headers["X-Frame-Options"] == "DENY"

    (job.results / "graders.csv").unlink()
    names = ["parts.json", "feedback.csv", "..", "%2e%2e%2finput%2ffeedback.csv", "x", "graders.csv"]
    assert [name for name in names if asked_for(client, job, name).status_code != 404] == []

    Job.objects.update(state=Job.State.RUNNING)

    assert asked_for(client, job, "grades.csv").status_code == 404


def test_a_standing_has_no_grade_books_for_import(client):
    job = done_job(small_class())

    books = ["gradebook-canvas.csv", "gradebook-moodle.csv"]
    assert [asked_for(client, job, name).status_code for name in books] == [404, 404]
    page = client.get(job.get_absolute_url()).content.decode()
    assert ("gradebook-xlsx.xlsx" in page, "gradebook-canvas.csv" in page) == (True, False)
    with ZipFile(job.results / RESULT_ARCHIVE) as archive:
        assert set(archive.namelist()) == {
            f"peerage-results/{name}" for name in RESULT_FILES if name not in books
        }


def test_a_name_in_any_script_is_kept(client):
    job = done_job(small_class(), name="Übung 1.csv")

    answer = asked_for(client, job, "grades.csv")
    answer.close()

    assert answer.headers["Content-Disposition"] == ("attachment; filename*=utf-8''%C3%9Cbung%201-grades.csv")


def test_the_archive_has_every_file_and_is_the_same_for_the_same_files(client, job, tmp_path):
    before = bytes_of(asked_for(client, job, RESULT_ARCHIVE))
    (tmp_path / "all.zip").write_bytes(before)
    with ZipFile(tmp_path / "all.zip") as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == {f"peerage-results/{name}": (job.results / name).read_bytes() for name in RESULT_FILES}

    for name in RESULT_FILES:
        os.utime(job.results / name, (1e9, 1e9))
    write_result_archive(job.results)

    assert (job.results / RESULT_ARCHIVE).read_bytes() == before
