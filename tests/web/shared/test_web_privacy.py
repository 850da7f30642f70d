"""What is deleted is gone, and logs tell nothing about visitors."""

import http.client
import json
import logging
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from tests.web.at_work import work_off
from tests.web.service import BOUND, until

from peerage_web.files.models import Job
from peerage_web.files.services.drafts import add_file, create_job, draft_again, preview_job
from peerage_web.files.services.explanations import explain_job_item
from peerage_web.files.services.jobs import delete_job, start_job
from peerage_web.sandbox.contract.jobs import JobOptions

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]
MARK = "Wxyzzy-Quux"
NAME = f"{MARK}-marks.csv"
GOOD = f"grader,item,rank\nada,{MARK},1\nada,y,2\nbob,{MARK},2\nbob,y,1\n"
BAD = f"grader,item,rank\nada,{MARK},1\nada,y,{MARK}\n"


def live(data: str) -> Job:
    """A job through its whole life, but for its end."""
    job = create_job(upload=SimpleUploadedFile(NAME, data.encode()), visitor="somebody")
    roster = SimpleUploadedFile("roster.csv", f"student,item\nada,{MARK}\n".encode())
    add_file(job=job, kind="roster", upload=roster)
    options = JobOptions(title=MARK)
    preview_job(job=job, options=options)
    start_job(job=job, options=options)
    work_off()
    job.refresh_from_db()
    return job


def database() -> Path:
    """The folder of SQLite's files."""
    return Path(connection.settings_dict["NAME"]).parent


def found_in(folder: Path, words: list[str]) -> list[str]:
    """Files that hold one of the words, in their name or in any byte."""
    return [
        path.name
        for path in folder.rglob("*")
        for word in words
        if word in path.name or (path.is_file() and word.encode() in path.read_bytes())
    ]


@pytest.mark.parametrize(("data", "state"), [(GOOD, "done"), (BAD, "failed")], ids=["good", "bad"])
def test_nothing_of_a_deleted_job_is_left(settings, caplog, data, state):
    """Nor was anything ever told in the log, or for others to read while it was there."""
    caplog.set_level(logging.INFO)
    job = live(data)
    if state == "done":
        explain_job_item(job=job, item=MARK, task=None)
    again = draft_again(job=job, visitor="somebody")
    words = [MARK, job.key, str(job.pk), job.pk.hex]
    folders = [job.folder, again.folder, *([job.results] if state == "done" else [])]
    assert job.state == state
    assert {path.stat().st_mode & 0o077 for path in folders} == {0}
    assert found_in(settings.DATA, words) != []
    assert connection.vendor != "sqlite" or found_in(database(), words) != []

    for one in (job, again):
        delete_job(job=one)

    assert found_in(settings.DATA, words) == []
    assert Job.objects.count() == 0
    if connection.vendor == "sqlite":
        assert "wal" in connection.cursor().execute("PRAGMA journal_mode").fetchone()
        assert found_in(database(), words) == []
    told = "\n".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    assert str(job.pk) in told
    assert [word for word in (MARK, job.key, job.visitor, "roster.csv") if word in told] == []


def test_a_service_with_several_processes_keeps_nothing_either(service):
    """The database is open in four processes while the job is deleted, and its log is shared by them."""
    head = f'Content-Disposition: form-data; name="file"; filename="{NAME}"'
    body = f"--x\r\n{head}\r\n\r\n{GOOD}\r\n--x--\r\n".encode()
    headers = {"Content-Type": "multipart/form-data; boundary=x", "Prefer": "respond-async"}
    status, sent, text = _call(service, "POST", "/api/v1/grade", body, headers)
    assert status == 202, text
    where = sent["Location"].partition(service.address)[2] or sent["Location"]
    until(lambda: json.loads(_call(service, "GET", where)[2])["state"] == "done")
    words = [MARK, where.rpartition("/")[2]]
    assert found_in(service.folder, words) != []

    status, _, _ = _call(service, "DELETE", where)

    assert (status, _call(service, "GET", where)[0]) == (204, 404)
    assert found_in(service.folder, words) == []


def _call(service, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=BOUND)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def test_keys_cannot_be_guessed():
    keys = {Job().key for _ in range(100)}

    assert {len(key) for key in keys} == {43}  # 256 bits
    assert len(keys) == 100
    job = Job()
    assert job.key not in repr(job)
