"""Limits are enforced, and say what to do instead."""

import io
import shutil
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.utils import timezone
from tests.web.at_work import SMALL, at_once, draft, held, queued, work_off

from peerage_web.files.models import Job
from peerage_web.files.services.drafts import (
    add_file,
    create_example_job,
    create_job,
    draft_again,
    preview_job,
    upload_of_text,
)
from peerage_web.files.services.jobs import delete_expired_jobs, delete_job, start_job
from peerage_web.files.services.running import LostJobs
from peerage_web.operations.maintenance import maintain_files
from peerage_web.sandbox.contract.errors import OWN_MACHINE
from peerage_web.sandbox.contract.jobs import JobOptions
from peerage_web.shared.errors import Busy, Full, Refused
from peerage_web.shared.services.disk import size_of
from peerage_web.shared.services.rate_limits import HOUR, count_request

pytestmark = pytest.mark.django_db(transaction=True)
LISTS = b"grader,item,rank\nada,x,1\nada,y,2\nada,z,3\n"


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ({"reviews": 2}, "the file has 3 reviews; this service accepts at most 2"),
        ({"list_length": 2}, "a grader has ranked 3 items in one list; this service accepts at most 2"),
    ],
)
def test_large_files_are_refused_with_the_way_to_grade_them(limits, limit, says):
    limits(**limit)
    job = queued(LISTS)

    preview = preview_job(job=job, options=JobOptions())["problem"]
    work_off()

    job.refresh_from_db()
    assert (job.state, job.problem) == (Job.State.FAILED, preview)
    assert preview["detail"] == f"{says}. {OWN_MACHINE}"


@pytest.mark.parametrize(("limit", "code"), [({"job_seconds": 1}, "time"), ({"memory": 60 << 20}, "memory")])
def test_long_and_hungry_jobs_are_stopped(limits, limit, code):
    limits(**limit)
    job = held()

    work_off()

    job.refresh_from_db()
    assert (job.state, job.problem["code"]) == (Job.State.FAILED, code)
    assert job.problem["detail"].endswith(OWN_MACHINE)


def test_visitors_have_so_many_jobs_at_once(limits):
    limits(jobs_per_visitor=1, jobs=2)
    queued()

    with pytest.raises(Busy, match=r"as many files as one visitor may \(1\)"):
        queued()
    assert queued(visitor="another").state == Job.State.QUEUED
    with pytest.raises(Full, match=r"grade the file with Peerage on your own computer\.$"):
        queued(visitor="a third")


@pytest.mark.both
def test_last_place_goes_to_one_of_many(limits):
    limits(jobs_per_visitor=2)
    drafts = [draft() for _ in range(6)]

    answers = at_once(lambda job: start_job(job=job, options=JobOptions()), drafts)

    assert sum(isinstance(answer, Busy) for answer in answers) == 4
    assert Job.objects.filter(state=Job.State.QUEUED).count() == 2


@pytest.mark.both
def test_requests_are_counted_exactly():
    counts = at_once(lambda _: count_request(client="somebody", kind="api", window=HOUR), range(24))

    assert sorted(counts) == list(range(1, 25))
    assert count_request(client="somebody", kind="upload", window=HOUR) == 1


def test_file_has_so_many_bytes(limits, settings):
    job = draft()
    limits(file_bytes=100)
    large = SimpleUploadedFile("a.csv", b"x" * 101)

    for upload in (large, upload_of_text("é" * 51)):
        with pytest.raises(Refused, match="The file is larger than 0 MB"):
            create_job(upload=upload, visitor="somebody")
    with pytest.raises(Refused):
        add_file(job=job, kind="roster", upload=large)

    assert job.roster_name == ""
    assert list(settings.JOBS.iterdir()) == [job.folder]


class Endless(io.RawIOBase):
    """A body that never ends; knows how much of it was read."""

    def __init__(self, head: bytes) -> None:
        self.head, self.taken = head, 0

    def readable(self) -> bool:
        return True

    def readinto(self, room) -> int:
        part, self.head = self.head[: len(room)], self.head[len(room) :]
        room[:] = part + b"x" * (len(room) - len(part))
        self.taken += len(room)
        return len(room)


@pytest.mark.parametrize(("size", "most"), [(100 << 20, 0), (50 << 20, 22 << 20)])
def test_large_upload_is_refused_while_it_comes_in(client, settings, size, most):
    body = Endless(b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n')
    sent = {"CONTENT_LENGTH": str(size), "wsgi.input": body}

    answer = client.post("/", content_type="multipart/form-data; boundary=x", **sent)

    assert answer.status_code == 413
    assert body.taken <= most
    assert list(settings.INCOMING.iterdir()) == []
    assert not Job.objects.exists()


# -- room on the disk: shares of it, and how it comes back -------------------------------------------------


def test_job_knows_what_it_takes():
    job, with_roster, example = queued(), draft(), create_example_job(visitor="somebody")
    add_file(job=with_roster, kind="roster", upload=SimpleUploadedFile("r.csv", b"student,item\nada,x\n"))

    work_off()
    again = draft_again(job=job, visitor="somebody")

    taken = {one.pk: one.disk_bytes for one in Job.objects.all()}
    assert taken[job.pk] == size_of(job.folder) > 10_000
    assert taken[with_roster.pk] == len(SMALL) + 19
    assert taken[example.pk] == size_of(example.folder) > 0
    assert taken[again.pk] == len(SMALL)


def test_visitor_has_a_share_of_the_disk(limits):
    job = draft()
    limits(visitor_bytes=2 * len(SMALL) - 1)

    with pytest.raises(Busy, match="the limit for one visitor"):
        draft()
    with pytest.raises(Busy):
        draft_again(job=job, visitor="somebody")
    with pytest.raises(Busy):
        add_file(job=job, kind="roster", upload=SimpleUploadedFile("r.csv", SMALL))

    assert draft(visitor="another").state == Job.State.DRAFT
    delete_job(job=job)
    assert draft().state == Job.State.DRAFT
    limits(disk_bytes=3 * len(SMALL) - 1)  # of all visitors together, and two have a file here
    with pytest.raises(Full, match="no storage space left right now"):
        draft(visitor="a third")


def test_roster_counts_as_an_upload(limits):
    job = draft()
    limits(uploads=2)
    add_file(job=job, kind="roster", upload=SimpleUploadedFile("r.csv", b"student,item\nada,x\n"))

    with pytest.raises(Busy, match="2 files per hour"):
        add_file(job=job, kind="anchors", upload=SimpleUploadedFile("a.csv", b"item,score\nx,1\n"))

    assert (job.roster_name, job.anchors_name) == ("r.csv", "")
    add_file(job=job, kind="roster", upload=None)  # to take one away is none


def test_full_disk_heals_by_itself():
    """The files of what is past its time go first: then there is room to say so in the database."""
    job, kept = draft(), draft()
    Job.objects.filter(pk=job.pk).update(expires_at=timezone.now() - timedelta(seconds=1))

    def full_as_long_as_the_folder_is_there(execute, sql, params, many, context):
        if job.folder.exists() and not sql.startswith(("SELECT", "PRAGMA")):
            raise OperationalError("database or disk is full")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(full_as_long_as_the_folder_is_there):
        assert delete_expired_jobs() == 1

    assert not job.folder.exists()
    assert list(Job.objects.all()) == [kept]


def test_job_whose_files_cannot_be_deleted_is_gone_for_visitors_and_not_forgotten(
    client, monkeypatch, caplog
):
    job = draft()
    remove = shutil.rmtree

    def refuse(path, **named):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(shutil, "rmtree", refuse)
    delete_job(job=job)
    assert client.get(job.get_absolute_url()).status_code == 404
    assert job.folder.exists()
    assert "cannot be deleted (operation not permitted)" in caplog.text

    monkeypatch.setattr(shutil, "rmtree", remove)
    assert maintain_files(LostJobs())
    assert not job.folder.exists()
    assert not Job.objects.exists()


def test_duty_that_fails_stops_no_other(monkeypatch, caplog):
    job = draft()
    Job.objects.update(expires_at=timezone.now())

    def fail():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("peerage_web.files.services.storage.delete_leftovers", fail)

    assert not maintain_files(LostJobs())
    assert not job.folder.exists()
    assert "a duty of maintenance failed" in caplog.text
