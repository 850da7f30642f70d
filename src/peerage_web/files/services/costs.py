"""About how long work on a job's files will take, told from their size before it begins.

Rough on purpose: it decides who waits for whom, never what is refused. Measured on one core: a class of
480,000 reviews (12 MB) takes 140 s to grade and 4 s to look at; a small one a second, and a tenth of it.
"""

from __future__ import annotations

from pathlib import Path

from peerage_web.files.models import Job
from peerage_web.sandbox.contract.jobs import JobOptions

SMALL = 20.0  # seconds up to which a job counts as small
COMPARED = 8  # times as long, where every method is tried
PACKED = {".xlsx": 6, ".xlsm": 6, ".parquet": 6, ".gz": 6, ".zip": 6}  # bytes of text in one byte of file
_START, _GRADED, _LOOKED_AT = 1.0, 80_000, 3_000_000  # seconds; bytes of text in a second


def grading_seconds(job: Job, options: JobOptions) -> float:
    """To grade the job."""
    once = _START + _text_bytes(job) / _GRADED
    return once * COMPARED if options.compare else once


def looking_seconds(job: Job) -> float:
    """To read the job's files and check them."""
    return _START / 10 + _text_bytes(job) / _LOOKED_AT


def explaining_seconds(job: Job) -> float:
    """To explain one of its items: as long as grading took, more or less."""
    if job.started_at is None or job.finished_at is None:
        return grading_seconds(job, JobOptions())
    return float((job.finished_at - job.started_at).total_seconds())


def _text_bytes(job: Job) -> float:
    return float(job.file_bytes * PACKED.get(Path(job.file_name).suffix.lower(), 1))
