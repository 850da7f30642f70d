"""Grades of an example class: a grading run, a release, and students who have rated comments and looked."""

from __future__ import annotations

import time
from collections.abc import Sequence

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, GradingRun, Membership
from peerage_web.classes.queries.release.current import current_grade
from peerage_web.classes.services.grading.drawing import draw_run
from peerage_web.classes.services.grading.runs import approve_run, start_run
from peerage_web.classes.services.phases import take_step
from peerage_web.classes.services.release.rating import rate, reveal, still_to_rate
from peerage_web.files.models import Job
from peerage_web.files.services.running import run_next
from peerage_web.shared.errors import Refused

PATIENCE = 600.0  # seconds for the run, which may wait for others
PAUSE = 0.2


def grade(assignment: Assignment, by: Person) -> GradingRun:
    """The first run, done and drawn; a task worker of a running service may do it, and is waited for."""
    run = start_run(assignment=assignment, by=by)
    deadline = time.monotonic() + PATIENCE
    while run.job.is_active:
        if not run_next(worker="example class"):
            time.sleep(PAUSE)
        run.job.refresh_from_db()
        if time.monotonic() > deadline:
            raise Refused("the example was not graded in time; try again when less is going on")
    if run.job.state != Job.State.DONE:
        raise Refused("the example could not be graded")
    draw_run(run=run)
    run.refresh_from_db()
    return run


def release(assignment: Assignment, by: Person) -> None:
    """What the last run says is approved, and students may look."""
    run = GradingRun.objects.filter(assignment=assignment, drawn_at__isnull=False).order_by("number").last()
    if run is None:
        raise Refused("the example was not graded")
    approve_run(run=run, by=by)
    take_step(assignment=assignment, code="release", by=by)


def look(assignment: Assignment, members: Sequence[Membership]) -> None:
    """Each rates the comments on their work, and sees the grade."""
    for number, member in enumerate(members):
        found = current_grade(assignment, member)
        if found is None:
            continue
        waiting = still_to_rate(found)
        ratings = {one.handle: 3 + (number + place) % 3 for place, one in enumerate(waiting)}
        rate(assignment=assignment, member=member, ratings=ratings)
        reveal(assignment=assignment, member=member)
