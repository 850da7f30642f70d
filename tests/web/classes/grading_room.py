"""A class whose reviews are in, and its grading runs; equal inputs are graded once for all tests."""

import atexit
import random
import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from django.utils import timezone
from tests.web.classes.cast import Cast, allocate, move, students, submit, submit_ranking

from peerage_web.classes.enums import Phase
from peerage_web.classes.grading.inputs import ANCHORS
from peerage_web.classes.grading.models import GradingPlan, GradingRun
from peerage_web.classes.grading.results import draw_run
from peerage_web.classes.grading.services import start_run
from peerage_web.files.models import Job
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.jobs import Bounds, JobFiles, JobOptions
from peerage_web.sandbox.work.grading import grade_files

EACH = 4  # reviews of a student
GRADED: dict[Any, tuple[Path, dict[str, Any]]] = {}  # by inputs and options: the folder and its summary


class GradingRoom:
    """The cast's assignment with submissions of `count` students, who rank four each; all but one did."""

    def __init__(self, cast: Cast, count: int = 8) -> None:
        self.cast, self.assignment = cast, cast.assignment
        self.by = cast.people["instructor"]
        more = students(cast.course, count - len(cast.students), "more")
        self.members = [*cast.students, *more]
        for number, member in enumerate(self.members):
            member.student_id = f"id{number:02}"
            member.save()
        self.submissions = [submit(self.assignment, member) for member in self.members]
        move(self.assignment, Phase.REVIEWING)
        rng = random.Random(7)
        place = {submission.pk: number for number, submission in enumerate(self.submissions)}
        for number, member in enumerate(self.members):
            others = [submission for submission in self.submissions if submission.author_id != member.pk]
            reviews = allocate(self.assignment, member, rng.sample(others, EACH))
            if number < count - 1:
                order = sorted(reviews, key=lambda one: place[one.submission_id] + rng.gauss(0, 1))
                submit_ranking(self.assignment, member, [[one.pk] for one in order])
        move(self.assignment, Phase.CLOSED)

    def plan(self, **fields: Any) -> None:
        """How points are made: by a curve unless something else is said."""
        GradingPlan.objects.update_or_create(
            assignment=self.assignment, defaults={"points_rule": "curve", **fields}
        )

    def grade(self, points: dict[int, float]) -> None:
        """Staff grades, by the number of the submission."""
        for number, given in points.items():
            self.submissions[number].staff_grades.create(points=given, by=self.by)

    def run(self, **named: Any) -> GradingRun:
        """A run that is done and drawn."""
        run = start_run(assignment=self.assignment, by=self.by, **named)
        finish(run)
        draw_run(run=run)
        return run


def finish(run: GradingRun) -> None:
    """Its job is done, as if a task worker had done it; what it wrote, the sandbox has written."""
    job = run.job
    if job.state == Job.State.DONE:
        return
    content = {path.name: path.read_bytes() for path in (job.folder / "input").iterdir()}
    spelt = (*sorted(content.items()), repr(sorted(run.options.items())))
    if spelt not in GRADED:
        GRADED[spelt] = _graded(content, JobOptions.from_dict(run.options))
    graded, summary = GRADED[spelt]
    shutil.copytree(graded / "attempt-1", job.folder / "attempt-1")
    Job.objects.filter(pk=job.pk).update(
        state=Job.State.DONE, attempt=1, summary=summary, finished_at=timezone.now(), step=""
    )
    job.refresh_from_db()


def _graded(content: dict[str, bytes], options: JobOptions) -> tuple[Path, dict[str, Any]]:
    folder = Path(mkdtemp(prefix="peerage-class-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "input").mkdir()
    for name, data in content.items():
        (folder / "input" / name).write_bytes(data)
    anchors = ANCHORS if ANCHORS in content else None
    files = JobFiles(str(folder), "feedback.csv", "roster.csv", anchors, origin="class")
    bounds = Bounds(100_000, 100)
    summary = parent.run(grade_files, files, options, bounds, "attempt-1", seconds=120, memory=2 << 30)
    return folder, summary
