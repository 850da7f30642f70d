"""Graded jobs for the tests of what a visitor sees of them; every class is graded once."""

import random
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from peerage_web.files.models import Job
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.jobs import Bounds, JobFiles, JobOptions
from peerage_web.sandbox.work.grading import grade_files

BOUNDS = Bounds(reviews=100_000, list_length=100)


CURVE = JobOptions(scale="0:10", curve="6:1.5")  # orders make no points by themselves


def small_class() -> bytes:
    """Two tasks with eight works each, which twelve graders put in order, four at a time."""
    rng = random.Random(5)
    rows = ["grader,item,rank,task"]
    for task in ("essay", "talk"):
        for grader in range(12):
            works = sorted(rng.sample(range(8), 4), key=lambda work: work + rng.gauss(0, 1.5))
            rows += [f"peer{grader},work{work},{rank},{task}" for rank, work in enumerate(works, start=1)]
    return "\n".join(rows).encode()


def done_job(text: bytes, name: str = "feedback.csv", options: JobOptions = JobOptions()) -> Job:  # noqa: B008
    """A job that is done, with its files."""
    job = Job.objects.create(
        visitor="somebody", state=Job.State.DONE, attempt=1, file_name=name, options=options.to_dict()
    )
    graded, summary = _graded(text, name, options.method, options.scale, options.curve)
    shutil.copytree(graded, job.folder)
    job.summary = summary
    job.save()
    return job


@cache
def _graded(
    text: bytes, name: str, method: str | None, scale: str | None, curve: str | None
) -> tuple[Path, dict[str, object]]:
    import atexit

    folder = Path(mkdtemp(prefix="peerage-graded-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "input").mkdir()
    (folder / "input" / name).write_bytes(text)
    options = JobOptions(method=method, scale=scale, curve=curve)
    summary = parent.run(
        grade_files, JobFiles(str(folder), name), options, BOUNDS, "attempt-1",
        seconds=120, memory=2 << 30,
    )  # fmt: skip
    return folder, summary
