"""Room on the disk: shares of it, and how it comes back."""

from __future__ import annotations

import shutil
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.utils import timezone
from tests.web.at_work import SMALL, draft, queued, work_off

from peerage_web.files.models import Job
from peerage_web.files.services.drafts import add_file, create_example_job, draft_again
from peerage_web.files.services.jobs import delete_expired_jobs, delete_job
from peerage_web.files.services.running import LostJobs
from peerage_web.operations.maintenance import maintain_files
from peerage_web.shared.errors import Busy, Full
from peerage_web.shared.services.disk import size_of

pytestmark = pytest.mark.django_db(transaction=True)


def taken(job: Job) -> int:
    job.refresh_from_db()
    return job.disk_bytes


def test_job_knows_what_it_takes():
    job = queued()
    add_file_to = draft()
    add_file(job=add_file_to, kind="roster", upload=SimpleUploadedFile("r.csv", b"student,item\nada,x\n"))
    example = create_example_job(visitor="somebody")

    work_off()

    assert taken(job) == size_of(job.folder) > 10_000
    assert taken(add_file_to) == len(SMALL) + 19
    assert taken(example) == size_of(example.folder) > 0
    assert taken(draft_again(job=job, visitor="somebody")) == len(SMALL)


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
