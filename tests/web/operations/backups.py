"""What tests of backups share: a class with something in many tables, and a second look at rows."""

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.utils import timezone
from tests.web.at_work import in_background
from tests.web.classes import cast as casting
from tests.web.classes.cast import Cast
from tests.web.service import until

from peerage_web.accounts.models import SignIn
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.enums import Phase
from peerage_web.classes.reviewing.models import Ranking
from peerage_web.classes.reviewing.ranking_input import RankingInput
from peerage_web.classes.reviewing.services import save, submit_ranking
from peerage_web.classes.submissions.models import SubmissionFile, SubmissionVersion
from peerage_web.classes.submissions.storage import delete_folders, store
from peerage_web.files.models import Job
from peerage_web.operations.backup.manifest import sha256_of
from peerage_web.shared.services.rate_limits import HOUR, count_request

PASSING = {"peerage_web_requestcount", "peerage_web_signin", "peerage_web_rosterimport"}


def full_class() -> Cast:
    """People, submissions with files, reviews, rankings, jobs of a visitor and of a class, mail, a roster."""
    made = Cast()
    instructor = made.people["instructor"]
    casting.objects_of(made.assignment, made.students[0], instructor)
    submissions = [casting.submit(made.assignment, one) for one in made.students[2:]]
    casting.allocate(made.assignment, made.students[0], submissions)
    for job in Job.objects.all():
        put_files(job)
    for file in SubmissionFile.objects.all():
        SubmissionFile.objects.filter(pk=file.pk).update(sha256=sha256_of(file.original)[1])
    record("course-changed", by=instructor, course=made.course, field="name", before="ä\n\"x'", after="Ω")
    queue_mail(person=instructor, kind="reset", context={"path": "/link/secret"})
    SignIn.objects.create(person=instructor, session_key="signed-in", seen_at=instructor.created_at)
    count_request(client="somebody", kind="upload", window=HOUR)
    for fields in ({"origin": "page"}, {"origin": "class", "expires_at": None}):
        done = {"state": "done", "attempt": 1, "visitor": "x", "file_name": "f.csv"}
        put_files(Job.objects.create(**done, options={"a": [1.5, None, "é"]}, **fields))
    return made


def put_files(job: Any) -> None:
    """What was given and what came out."""
    for name in ("input/f.csv", f"attempt-{job.attempt}/grades.csv"):
        path = job.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name} of {job.pk}")


def peerage(*words: str, data: Path, url: str | None = None) -> subprocess.CompletedProcess[str]:
    """The real command, on an instance in this folder."""
    names = ("PEERAGE_DATA", "DATABASE_URL", "DJANGO_SETTINGS_MODULE")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"PEERAGE_DATA": str(data)} | ({"DATABASE_URL": url} if url else {})
    return subprocess.run(
        [sys.executable, "-m", "peerage", *words], env=environment, capture_output=True, text=True
    )


def tables_here() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of ours, as the database itself has it, and not as Django reads it."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return _tables(sqlite3.connect(name))
    return _tables(psycopg.connect(os.environ["DATABASE_URL"], dbname=name))


def tables_in(data: Path, url: str | None) -> dict[str, list[tuple[Any, ...]]]:
    """The same of another instance."""
    return _tables(psycopg.connect(url) if url else sqlite3.connect(data / "peerage.sqlite3"))


def _tables(opened: Any) -> dict[str, list[tuple[Any, ...]]]:
    names = {model._meta.db_table for model in apps.get_app_config("peerage_web").get_models(True)} - PASSING
    found = {}
    with closing(opened):
        for name in sorted(names):
            which = " WHERE expires_at IS NULL" if name == "peerage_web_job" else ""
            found[name] = opened.execute(f'SELECT * FROM "{name}"{which} ORDER BY 1').fetchall()
    return found


def files_below(folder: Path) -> dict[str, bytes]:
    """Every file by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Load:
    """Students of a class who save and submit rankings and files and throw drafts away, until the end.

    Each thread has its own connection and goes through the services; `submitted` are the receipts that were
    given out so far.
    """

    def __init__(self, room: Cast) -> None:
        casting.move(room.assignment, Phase.REVIEWING)
        room.assignment.rubric.update(required=False)  # rankings alone are submitted
        submissions = [
            one for one in room.assignment.submissions.order_by("pk") if one.author != room.students[1]
        ]
        casting.allocate(room.assignment, room.students[1], submissions)
        self.room, self.faults = room, []
        self.submitted: list[str] = []
        self._stop = threading.Event()
        self._threads = ExitStack()

    def __enter__(self) -> "Load":
        ranking = (partial(self._rank, student) for student in self.room.students[:2])
        for duty in (*ranking, self._submit, self._throw_away):
            self._threads.enter_context(in_background(self._until_the_end, duty=duty))
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self._threads.close()

    def wait_for_more(self, count: int) -> None:
        first = len(self.submitted)
        until(lambda: len(self.submitted) >= first + count or self.faults)

    def _until_the_end(self, duty: Callable[[], None]) -> None:
        try:
            while not self._stop.is_set():
                duty()
        except Exception as error:
            self.faults.append(repr(error))

    def _rank(self, member: Any) -> None:
        """The first two submissions change places, so that it is another ranking every time."""
        where = self.room.assignment
        ranking = Ranking.objects.filter(assignment=where, reviewer=member).first()
        labels = sorted(member.reviews.filter(assignment=where).values_list("label", flat=True))
        first = [["B"], ["A"]] if ranking and ranking.tiers[:1] == [["A"]] else [["A"], ["B"]]
        tiers = [*first, *([one] for one in labels[2:])]
        sent = RankingInput(tiers, ranking.version if ranking else 0, ())
        save(assignment=where, reviewer=member, sent=sent)
        self.submitted.append(submit_ranking(assignment=where, reviewer=member, by=member.person).receipt)

    def _submit(self) -> None:
        """As `submissions` does it but for the copy: the file first, then its rows and the activity log."""
        student, where = self.room.students[2], self.room.assignment
        file = store(where, SimpleUploadedFile("submission.txt", os.urandom(400).hex().encode()))
        with transaction.atomic():
            submission = where.submissions.get(author=student)
            file.version = SubmissionVersion.objects.create(
                submission=submission,
                number=submission.versions.count() + 1,
                sha256=f"load{len(self.submitted):060}",
                submitted_at=timezone.now(),
                uploaded_by=student.person,
            )
            file.position = 1
            file.save()
            record("submission-submitted", by=student.person, assignment=where, subject=student)
        self.submitted.append(file.version.receipt)

    def _throw_away(self) -> None:
        """A draft that goes again: the rows first, then the file."""
        student, where = self.room.students[3], self.room.assignment
        file = store(where, SimpleUploadedFile("draft.txt", b"A draft."))
        submission = where.submissions.get(author=student)
        draft = SubmissionVersion.objects.create(
            submission=submission, number=99, sha256="", uploaded_by=student.person
        )
        file.version, file.position = draft, 1
        file.save()
        self._stop.wait(0.05)
        SubmissionFile.objects.filter(pk=file.pk).delete()
        draft.delete()
        delete_folders([file])
