"""Grades are released and the whole class looks: python -m benchmarks.release [--database sqlite|postgres]

A real `peerage serve --workers 2`; a class of 500 in which everybody has reviewed five submissions and
commented on them (one in fifty has submitted nothing); its grades are released while the service runs. Then
every student comes at some moment within 45 seconds and opens five pages, each as soon as the last has come:

course       the page of the course
assignment   the page of the assignment
comments     what the reviewers wrote, to be rated
rate         the ratings that are sent
grade        the grade

Students are signed in already, and their browsers have the style sheets. They run on the same machine and
take their share of it, and so do mail and maintenance. SQLite comes first, then a PostgreSQL of its own; on
an idle machine each takes about two minutes.

A table is printed for each: the time from request to answer, by page and of all. Errors are answers that are
not the page that was asked for. The goal, on two idle cores: 95 % of all answers within 2 s, and no error.
The exit code is 0 where both databases reach it.

Before it, the load of the machine when the students came, and the processor time that the service and its
database took from the release to the last answer, per answer. The seconds of a busy machine say how busy it
was (compare runs side by side); the processor time depends on it less: two cores answer 2 / time a second.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from benchmarks.hostile.instance import Instance, processor_seconds
from benchmarks.hostile.postgres import Postgres

GOAL = 2.0  # seconds, of 95 % of the answers
PATIENCE = 120.0  # seconds after which a student gives up
PAGES = ("course", "assignment", "comments", "rate", "grade")
MARKS = {  # what only the page that is asked for has
    "course": 'id="back"',
    "assignment": 'id="own-grade"',
    "comments": '<section class="card',  # who submitted nothing has no reviewers, and sees the grade
    "grade": 'id="own-reviewing"',
}
HEAD = "| page | answers | errors | p50 | p95 | longest |\n|---|--:|--:|--:|--:|--:|"
WORDS = (
    "The question is clear from the first line, and the figure answers it. Say how many people were asked. "
)


@dataclass(slots=True)
class Looks:
    """What all students saw."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # by page
    errors: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def row(self, name: str, pages: tuple[str, ...]) -> str:
        """A line of the table."""
        seconds = [value for page in pages for value in self.seconds[page]]
        errors = sum(len(self.errors[page]) for page in pages)
        times = [f"{np.quantile(seconds, q):,.2f} s" if seconds else "–" for q in (0.5, 0.95, 1.0)]
        return f"| {name} | {len(seconds):,} | {errors} | {' | '.join(times)} |"

    @property
    def is_good(self) -> bool:
        """Whether the goal is reached."""
        every = [value for page in PAGES for value in self.seconds[page]]
        return not any(self.errors.values()) and bool(every) and float(np.quantile(every, 0.95)) < GOAL


def main(given: list[str] | None = None) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.release",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], help="one of them; else both")
    parser.add_argument("--students", type=int, default=500)
    parser.add_argument("--reviews", type=int, default=5, help="per student")
    parser.add_argument("--within", type=float, default=45.0, help="seconds in which they come")
    parser.add_argument("--workers", type=int, default=2, help="of the web server")
    wanted = parser.parse_args(given)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and stop the service and its database
    if wanted.database is None:  # settings are read once per process
        words = list(sys.argv[1:] if given is None else given)
        command = [sys.executable, "-m", "benchmarks.release", *words, "--database"]
        return max([subprocess.run([*command, name]).returncode for name in ("sqlite", "postgres")])
    from benchmarks.classes.__main__ import database

    with database(postgres=wanted.database == "postgres") as server, tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        os.environ |= {"PEERAGE_DATA": str(data), "DJANGO_SETTINGS_MODULE": "peerage_web.settings"}
        return _measure(wanted, data, server)


def _measure(wanted: argparse.Namespace, data: Path, server: Postgres | None) -> int:
    import django

    from peerage_web.configuration.secrets import make_secret_key

    make_secret_key(data)  # before settings look for it: the service is to know our sessions
    django.setup()
    logging.disable(logging.INFO)
    from django.db import connections

    from benchmarks.classes.filling import fill
    from benchmarks.classes.students import cookie_of
    from peerage_web.operations.startup import prepare

    prepare()
    room = fill(students=wanted.students, reviews=wanted.reviews)
    _finish(room)
    cookies = [cookie_of(member.person) for member in room.students]
    connections.close_all()
    instance = Instance(data, workers=wanted.workers)
    instance.start()
    try:
        _warm_up(instance.port, room, cookie_of(room.teacher))
        roots = [instance.process.pid, *([server.pid] if server is not None else [])]
        load, before = os.getloadavg()[0], processor_seconds(roots)
        seconds = _release(room)
        looks = asyncio.run(_look(instance.port, room, cookies, wanted.within))
        busy = processor_seconds(roots) - before
    finally:
        instance.stop()
    answers = sum(map(len, looks.seconds.values()))
    print(
        f"\n{wanted.database}, {wanted.workers} web workers, {wanted.students:,} students within"
        f" {wanted.within:g} s, {len(os.sched_getaffinity(0))} cores\n"
        f"load before {load:.1f}; released in {seconds:.2f} s; processor time {busy:.1f} s,"
        f" {1000 * busy / max(answers, 1):.1f} ms per answer\n\n{HEAD}"
    )
    for name, pages in [*((page, (page,)) for page in PAGES), ("all", PAGES)]:
        print(looks.row(name, pages))
    for page, said in looks.errors.items():
        for text in sorted(set(said))[:3]:
            print(f"  {page}: {text} ({said.count(text)} times)")
    print(flush=True)
    return 0 if looks.is_good else 1


def _finish(room: Any) -> None:
    """Everybody has submitted a ranking with comments, and a run is approved; nothing is graded for it."""
    from django.utils import timezone

    from benchmarks.classes.filling import BATCH
    from peerage_web.classes.allocation.models import Report, Review
    from peerage_web.classes.assignments.models import Assignment
    from peerage_web.classes.grading.models import GradingRun, RunGrade, RunReviewer
    from peerage_web.classes.grading.queries import plan_of, weights_of
    from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
    from peerage_web.classes.submissions.models import Submission
    from peerage_web.files.models import Job

    for model in (Report, Comment, SubmittedRanking, Ranking):
        model.objects.all().delete()
    assignment, now = room.assignment, timezone.now()
    prompts = list(assignment.prompts.order_by("position"))
    theirs: dict[int, list[Any]] = defaultdict(list)
    for review in Review.objects.filter(assignment=assignment).order_by("pk"):
        theirs[review.reviewer_id].append(review)
    rankings = Ranking.objects.bulk_create(
        (
            Ranking(
                assignment=assignment,
                reviewer=member,
                version=1,
                tiers=[[review.label] for review in theirs[member.pk]],
            )
            for member in room.students
        ),
        BATCH,
    )
    written = [
        Comment(review=review, prompt=prompt, text=WORDS * 2, version=1)
        for member in room.students
        for review in theirs[member.pk]
        for prompt in prompts
    ]
    Comment.objects.bulk_create(written, BATCH)
    SubmittedRanking.objects.bulk_create(
        (
            SubmittedRanking(
                ranking=ranking,
                number=1,
                tiers=[[review.pk] for review in theirs[member.pk]],
                comments=[
                    {"review": review.pk, "prompt": prompt.pk, "text": WORDS * 2}
                    for review in theirs[member.pk]
                    for prompt in prompts
                ],
                version=1,
                sha256="0" * 64,
                submitted_at=now,
                submitted_by_id=member.person_id,
            )
            for ranking, member in zip(rankings, room.students, strict=True)
        ),
        BATCH,
    )
    job = Job.objects.create(
        visitor="course", origin="class", expires_at=None, file_name="feedback.csv", state="done", attempt=1
    )
    run = GradingRun.objects.create(
        assignment=assignment,
        number=1,
        job=job,
        inputs_sha256="0" * 64,
        options={"scale": "0:100", "letters": "A>=85,B>=70,C>=55,D", "seed": 0, "interval": 0.9},
        plan=weights_of(plan_of(assignment)),
        version="0",
        method="PL+G",
        made_by=room.teacher,
        drawn_at=now,
        approved_at=now,
        approved_by=room.teacher,
    )
    submissions = list(Submission.objects.filter(assignment=assignment).order_by("pk"))
    RunGrade.objects.bulk_create(
        (
            RunGrade(
                run=run, submission=submission, rank=place + 1, rank_low=1, rank_high=len(submissions),
                points=100 - 90 * place / len(submissions), points_low=5.0, points_high=100.0, letter="B",
                letter_chance=0.6, reviews=len(theirs[room.students[0].pk]), attention=place + 1,
            )
            for place, submission in enumerate(submissions)
        ),
        BATCH,
    )  # fmt: skip
    RunReviewer.objects.bulk_create(
        (
            RunReviewer(
                run=run, membership=member, asked=len(theirs[member.pk]), given=len(theirs[member.pk]),
                reliability=1.0, reliability_low=0.2, reliability_high=2.9, agreement=0.8, quality=80.0,
                completeness=100.0, flag="consistent",
            )
            for member in room.students
        ),
        BATCH,
    )  # fmt: skip
    Assignment.objects.filter(pk=assignment.pk).update(phase="closed", by_date=False)


def _warm_up(port: int, room: Any, cookie: str) -> None:
    """Every worker has drawn pages of the class before: so it is on an instance that is in use."""
    from benchmarks.classes.students import ask

    async def all_of_them() -> None:
        paths = [_path(room, page) for page in ("course", "assignment")]
        for _round in range(5):
            await asyncio.gather(*(ask(port, path, cookie) for path in paths * 8))

    asyncio.run(all_of_them())


def _release(room: Any) -> float:
    """Release the grades; the seconds it took."""
    from django.db import connections

    from peerage_web.classes.assignments.models import Assignment
    from peerage_web.classes.phases.services import release_grades

    started = time.perf_counter()
    assignment = Assignment.objects.get(pk=room.assignment.pk)
    release_grades(assignment=assignment, by=room.teacher, run=1)
    seconds = time.perf_counter() - started
    connections.close_all()
    return seconds


async def _look(port: int, room: Any, cookies: list[str], within: float) -> Looks:
    """Everybody once, at moments that chance has chosen, the same in every run."""
    looks, dice = Looks(), random.Random(1)
    moments = [dice.uniform(0, within) for _cookie in cookies]

    async def student(cookie: str, moment: float) -> None:
        await asyncio.sleep(moment)
        handles: list[str] = []
        for page in PAGES:
            if page == "rate" and not handles:  # nobody wrote to them, and the grade was shown at once
                continue
            body = urlencode({f"rate-{handle}": "4" for handle in handles}).encode()
            started = time.perf_counter()
            try:
                async with asyncio.timeout(PATIENCE):
                    said = await _page(port, room, page, cookie, body if page == "rate" else None)
            except (OSError, asyncio.IncompleteReadError, TypeError) as error:
                looks.errors[page].append(f"{type(error).__name__}: {error}")
                return
            looks.seconds[page].append(time.perf_counter() - started)
            if said is None:
                looks.errors[page].append("not the page that was asked for")
                return
            if page == "comments":
                handles = sorted(set(re.findall(r'name="rate-(\w+)"', said)))

    await asyncio.gather(*(student(cookie, at) for cookie, at in zip(cookies, moments, strict=True)))
    return looks


async def _page(port: int, room: Any, page: str, cookie: str, body: bytes | None) -> str | None:
    """What it says; None where it is another."""
    from benchmarks.classes.students import ask

    status, answer = await ask(port, _path(room, page), cookie, body)
    said = answer.decode()
    good = status == 302 if page == "rate" else status == 200 and MARKS[page] in said
    return said if good else None


def _path(room: Any, page: str) -> str:
    course = f"/c/{room.course.key}/"
    assignment = f"{course}a/{room.assignment.key}/"
    return {
        "course": course,
        "assignment": assignment,
        "comments": f"{assignment}grade/",
        "rate": f"{assignment}grade/rate",
        "grade": f"{assignment}grade/",
    }[page]


if __name__ == "__main__":
    sys.exit(main())
