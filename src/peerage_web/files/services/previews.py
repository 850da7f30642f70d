"""A preview of a draft while its visitor waits."""

from __future__ import annotations

from typing import Any

from peerage.errors import PeerageError
from peerage_web.files.models import Job
from peerage_web.files.services.costs import looking_seconds
from peerage_web.files.services.running import bounds, files_of
from peerage_web.sandbox.contract.errors import SandboxError, describe_problem
from peerage_web.sandbox.contract.jobs import EMPTY_PREVIEW, JobOptions
from peerage_web.sandbox.work.reading import preview_files
from peerage_web.shared.services.sandbox_slots import ask


def preview_job(*, job: Job, options: JobOptions) -> dict[str, Any]:
    """What is in the files, and what the pre-flight says.

    `inspection` (see peerage.inspect), `preflight` (counts, warnings, findings, notes), `method` (the one
    Peerage would choose), `anchors` (items, unknown) and `problem`: None if the files can be graded so.
    Raises Busy where no sandbox slot gets free.
    """
    try:
        found: dict[str, Any] = ask(
            preview_files,
            files_of(job),
            options,
            bounds(),
            visitor=job.visitor,
            cost=looking_seconds(job),
        )
    except (PeerageError, SandboxError) as error:
        return {**EMPTY_PREVIEW, "problem": describe_problem(error)}
    return found
