"""Questions that are answered while the asker waits, and of which nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.conf import settings

from peerage_web import sandbox
from peerage_web.models import Job
from peerage_web.services.jobs import add_file, create_job, delete_job
from peerage_web.services.turns import a_turn

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile


def ask(work: Callable[..., Any], *args: Any, seconds: float | None = None) -> Any:
    """What `work` of peerage_web.work answers, within the limits; raises Busy where too many ask at once."""
    limits = settings.LIMITS
    with a_turn():
        return sandbox.run(work, *args, seconds=seconds or limits.look_seconds, memory=limits.memory)


@contextmanager
def draft_for_now(
    *, upload: UploadedFile[bytes], others: Mapping[str, UploadedFile[bytes] | None], visitor: str
) -> Iterator[Job]:
    """Keep the files while they are worked on; deleted at the end, unless the job was put into the queue."""
    job = create_job(upload=upload, visitor=visitor, origin="api")
    try:
        for kind, file in others.items():
            add_file(job=job, kind=kind, upload=file)
        yield job
    finally:
        if job.state == Job.State.DRAFT:
            delete_job(job=job)
