"""Writing a course into an archive, while it is sent: nothing but the tables is kept in memory.

course.json         format, version, counts, and the SHA-256 of every file
tables/NAME.json    the rows of one table
submissions/NUMBER        files as they were submitted, by the number of their row
examples/NUMBER     files of the practice round
runs/NUMBER/…       what the library wrote for each grading run: to read, not to import
survey.csv          what was answered, in no order and without who did
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
from django.db import connection, models, transaction
from django.db.models import Model
from django.utils import timezone

import peerage
from peerage.writing.spreadsheet import neutralise
from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.archives.tables import FORMAT, FORMAT_VERSION, PEOPLE, TABLES, columns_of, rows_of
from peerage_web.classes.courses.models import Course
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.practice.models import PracticeExample
from peerage_web.classes.practice.services import folder_of
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.classes.submissions.zip import CHUNK, Sink
from peerage_web.classes.survey.queries import answers_of_course, asked

MADE = (2000, 1, 1, 0, 0, 0)
TO_READ = ("report.html", "grades.csv", "graders.csv", "results.json")


def course_archive(*, course: Course, by: Person) -> Iterator[bytes]:
    record("course-exported", by=by, course=course)
    with _at_one_moment():
        tables = _tables(course)
        survey = _survey(course)
    files = _files(course)
    return _zipped(course, tables, survey, files)


@contextmanager
def _at_one_moment() -> Iterator[None]:
    """All tables as they were at one moment. SQLite has one writer at a time; PostgreSQL has to be told."""
    outermost = not connection.in_atomic_block
    block: AbstractContextManager[Any] = transaction.atomic()
    with block:
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _zipped(
    course: Course, tables: dict[str, list[dict[str, Any]]], survey: bytes, files: list[tuple[str, Path]]
) -> Iterator[bytes]:
    sink = Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        _text(archive, "course.json", _manifest(course, tables, files))
        for name, rows in tables.items():
            _text(archive, f"tables/{name}.json", rows)
            yield sink.taken()
        archive.writestr(zipfile.ZipInfo("survey.csv", MADE), survey, zipfile.ZIP_DEFLATED)
        for name, path in files:
            yield from _file(archive, sink, name, path)
    yield sink.taken()


def _text(archive: zipfile.ZipFile, name: str, content: Any) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    archive.writestr(zipfile.ZipInfo(name, MADE), text.encode(), zipfile.ZIP_DEFLATED)


def _file(archive: zipfile.ZipFile, sink: Sink, name: str, path: Path) -> Iterator[bytes]:
    """Most submissions are packed already, so they are stored as they are."""
    with path.open("rb") as kept, archive.open(zipfile.ZipInfo(name, MADE), "w", force_zip64=True) as entry:
        while chunk := kept.read(CHUNK):
            entry.write(chunk)
            yield sink.taken()


def _manifest(
    course: Course, tables: dict[str, list[dict[str, Any]]], files: list[tuple[str, Path]]
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "peerage_version": peerage.__version__,
        "made_at": timezone.now().isoformat(timespec="seconds"),
        "course": course.name,
        "counts": {name: len(rows) for name, rows in tables.items()},
        "files": {name: _sha256(path) for name, path in files},
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as kept:
        return hashlib.file_digest(kept, "sha256").hexdigest()


# -- tables ------------------------------------------------------------------------------------------------


def _tables(course: Course) -> dict[str, list[dict[str, Any]]]:
    tables = {
        model.__name__: [_row(row, model) for row in rows_of(model, path, course)] for model, path in TABLES
    }
    return {PEOPLE: _people(tables), **tables}


def _row(instance: Any, model: type[Model]) -> dict[str, Any]:
    return {"id": instance.pk, **{field.name: _value(instance, field) for field in columns_of(model)}}


def _value(instance: Any, field: models.Field[Any, Any]) -> Any:
    value = getattr(instance, field.attname)
    return value.isoformat() if isinstance(value, datetime) else value


def _people(tables: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Everybody whom a row names, by their address; nothing else of their account."""
    numbers = set()
    for model, _path in TABLES:
        names = [field.name for field in columns_of(model) if field.related_model is Person]
        numbers |= {row[name] for row in tables[model.__name__] for name in names if row[name] is not None}
    return [
        {
            "id": person.pk,
            "email": person.email,
            "name": person.name,
            "language": person.language,
            "erased": person.erased_at is not None,
        }
        for person in Person.objects.filter(pk__in=numbers).order_by("pk")
    ]


def _survey(course: Course) -> bytes:
    """Answers of surveys that are closed, which are nobody's any more, in the order of their random keys."""
    answers = answers_of_course(course).select_related("question__assignment")
    rows = [
        (answer.question.assignment.title, str(asked(answer.question).text), answer.choice, answer.text)
        for answer in answers
    ]
    columns = dict.fromkeys(("assignment", "question", "choice", "text"), pl.String)
    table = pl.DataFrame(rows, schema=columns, orient="row")
    return neutralise(table).write_csv(include_bom=True).encode()


# -- files -------------------------------------------------------------------------------------------------


def _files(course: Course) -> list[tuple[str, Path]]:
    """Names in the archive, and where the files are; those that are gone are not in it."""
    files = SubmissionFile.objects.filter(version__submission__assignment__course=course).order_by("pk")
    paths = [(f"submissions/{file.pk}", file.original) for file in files]
    examples = PracticeExample.objects.filter(assignment__course=course).exclude(stored="").order_by("pk")
    paths += [(f"examples/{example.pk}", folder_of(example) / "original") for example in examples]
    runs = GradingRun.objects.filter(assignment__course=course, drawn_at__isnull=False).order_by("pk")
    for run in runs.select_related("job"):
        paths += [(f"runs/{run.pk}/{name}", run.job.results / name) for name in TO_READ]
    return [(name, path) for name, path in paths if path.is_file()]
