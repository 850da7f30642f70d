"""Looking at a draft while its visitor waits."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from peerage.errors import PeerageError
from peerage_web import sandbox
from peerage_web.models import Job
from peerage_web.problems import problem_of
from peerage_web.services.running import bounds, files_of
from peerage_web.services.turns import a_turn
from peerage_web.work.looking import NOTHING, look
from peerage_web.work.options import Options


def look_at_job(*, job: Job, options: Options) -> dict[str, Any]:
    """What is in the files, and what the pre-flight says.

    `inspection` (see peerage.look_at), `preflight` (counts, warnings, findings, notes), `method` (the one
    Peerage would choose), `anchors` (items, unknown) and `problem`: None if the files can be graded so.
    Raises Busy where too many look at files already.
    """
    limits = settings.LIMITS
    with a_turn():
        try:
            found: dict[str, Any] = sandbox.run(
                look, files_of(job), options, bounds(), seconds=limits.look_seconds, memory=limits.memory
            )
        except (PeerageError, sandbox.SandboxError) as error:
            return {**NOTHING, "problem": problem_of(error)}
    return found
