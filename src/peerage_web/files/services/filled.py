"""A form that could not be meant: kept with its draft, so that the page shows it again at its own address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from peerage_web.files.models import Job, storable

LONGEST = 500  # characters of a field


def keep_filled(*, job: Job, fields: Mapping[str, Any], said: str = "") -> None:
    """Remember what was filled in and why nothing was started."""
    kept = {name: str(value)[:LONGEST] for name, value in fields.items()}
    job.filled = storable({"fields": kept, "said": said})
    Job.objects.filter(pk=job.pk).update(filled=job.filled)


def forget_filled(*, job: Job) -> None:
    """The next form replaces it."""
    if job.filled is not None:
        job.filled = None
        Job.objects.filter(pk=job.pk).update(filled=None)
