"""A job from upload to deletion."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from peerage_web.models import Job
from peerage_web.services.jobs import create_job, delete_job, start_job
from peerage_web.services.running import run_job
from peerage_web.work.options import Options

pytestmark = pytest.mark.django_db(transaction=True)


def test_job_is_graded(posters):
    job = create_job(upload=SimpleUploadedFile("feedback.csv", posters), visitor="somebody")
    start_job(job=job, options=Options(scale="0:10"))

    run_job(identity=job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.DONE
    assert job.summary["items"] == 42
    assert (job.results / "grades.csv").is_file()


def test_deleted_job_leaves_no_files(posters):
    job = create_job(upload=SimpleUploadedFile("feedback.csv", posters), visitor="somebody")

    delete_job(job=job)

    assert not job.folder.exists()
    assert not Job.objects.exists()
