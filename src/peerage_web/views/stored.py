"""Files that a finished job has left."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from django.http import Http404, HttpRequest

from peerage_web.models import Job
from peerage_web.views.access import job_or_404


def done_or_404(request: HttpRequest, key: str) -> Job:
    """The job at this address, if it is done."""
    job = job_or_404(request, key)
    if job.state != Job.State.DONE:
        raise Http404
    return job


def open_or_404(path: Path) -> BinaryIO:
    """A file for reading; it may be deleted at any moment."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise Http404 from None
