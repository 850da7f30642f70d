"""Drafts: what the visitor has said so far, and a second try with the same files."""

from __future__ import annotations

import shutil

from peerage_web.models import Job
from peerage_web.services.jobs import make_folder
from peerage_web.services.rate import refuse_too_many_uploads
from peerage_web.services.storable import storable
from peerage_web.work.options import Options


def keep_options(*, job: Job, options: Options) -> None:
    """Remember the options of a draft, so that the page looks the same when it is opened again."""
    Job.objects.filter(pk=job.pk, state=Job.State.DRAFT).update(options=storable(options.to_dict()))
    job.refresh_from_db()


def draft_again(*, job: Job, visitor: str) -> Job:
    """A new draft with the files and options of a job; the old one stays as it is."""
    names = ("origin", "owner", "file_name", "file_bytes", "options", "roster_name", "anchors_name")
    refuse_too_many_uploads(visitor=visitor)
    again = Job(visitor=visitor, **{name: getattr(job, name) for name in names})
    try:
        shutil.copytree(job.folder / "input", make_folder(again), dirs_exist_ok=True)
        again.save()
    except BaseException:
        shutil.rmtree(again.folder, ignore_errors=True)
        raise
    return again
