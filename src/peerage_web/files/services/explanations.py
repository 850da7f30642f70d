"""Explaining one item, once: the answer is kept with the results and goes with them."""

import json
import os
import secrets
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import F

from peerage_web.files.models import Job
from peerage_web.files.services.jobs import explaining_seconds
from peerage_web.files.services.storage import bounds, files_of
from peerage_web.sandbox.contract.errors import OutOfTimeError
from peerage_web.sandbox.contract.jobs import JobOptions
from peerage_web.sandbox.work.grading import explain_item
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.disk import has_disk_space
from peerage_web.shared.services.sandbox_slots import ask_sandbox

FOLDER = "explanations"


def explain_job_item(*, job: Job, item: str, task: str | None) -> dict[str, Any]:
    """Sentences, `lists` (one per review, as `peerage explain --json` has them) and figures.

    Raises DataError where there is no such item, Refused where it takes too long here, and Busy (a Refused)
    where too many wait already.
    """
    kept = job.results / FOLDER / f"{sha256(json.dumps([task, item]).encode()).hexdigest()}.json"
    if kept.is_file():
        explanation: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return explanation
    try:
        explanation = _explained(job, item, task)
    except OutOfTimeError:
        raise Refused(_too_long()) from None
    _keep(job, explanation, kept)
    return explanation


def _explained(job: Job, item: str, task: str | None) -> dict[str, Any]:
    record = json.loads((job.results / "run.json").read_text(encoding="utf-8"))  # results.json may be huge
    explanation: dict[str, Any] = ask_sandbox(
        explain_item,
        files_of(job),
        JobOptions.from_dict(job.options),
        bounds(),
        record["method"],
        record["parameters"],
        f"../{job.results.name}/grades.csv",  # seen from the folder of the input, where the work is done
        record["options"],
        item,
        task,
        visitor=job.visitor,
        cost=explaining_seconds(job),
    )
    return explanation


def _too_long() -> str:
    return (
        "To explain an item, the class is graded again without each of its reviews. For this class that"
        f" takes more than {settings.LIMITS.direct_seconds} seconds, which is all this service gives it."
        " Peerage on your own computer has no such limit."
    )


def _keep(job: Job, explanation: dict[str, Any], path: Path) -> None:
    """Written beside and renamed, so that nobody reads half; not at all where the job or the room is gone."""
    if not path.parent.parent.is_dir() or not has_disk_space():
        return
    path.parent.mkdir(exist_ok=True, mode=0o700)
    draft = path.with_name(secrets.token_hex(8))
    draft.write_text(json.dumps(explanation, ensure_ascii=False), encoding="utf-8")
    os.replace(draft, path)
    Job.objects.filter(pk=job.pk).update(disk_bytes=F("disk_bytes") + path.stat().st_size)
