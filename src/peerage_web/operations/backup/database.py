"""The database in a backup: which rows belong to it, read as they were at one moment, as lines of JSON.

The lines are the same whatever database they come from.
"""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from django.apps import apps as present
from django.db import connection, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Field, JSONField, Model, QuerySet

from peerage_web.classes.practice.models import PracticeExample
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.files.models import Job
from peerage_web.operations.schema import misfit
from peerage_web.shared.errors import Refused

APP = "peerage_web"
# counts of requests, browsers that are signed in, rosters between preview and commit: gone within the day
PASSING = frozenset({"requestcount", "signin", "rosterimport"})


def models_of(apps: Any = present) -> list[type[Model]]:
    """The models whose rows are kept, by name."""
    ours = [model for model in apps.get_models(include_auto_created=True) if model._meta.app_label == APP]
    return sorted((model for model in ours if name_of(model) not in PASSING), key=name_of)


def name_of(model: type[Model]) -> str:
    return str(model._meta.model_name)


def kept_rows(model: type[Model], alias: str) -> QuerySet[Any]:
    """Its rows; of jobs those of classes, for visitors were told when theirs are deleted."""
    rows = model._base_manager.using(alias).order_by("pk")
    return rows.filter(expires_at=None) if name_of(model) == "job" else rows


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder in the data folder that a row names, and what has to be in it."""

    path: str
    needed: tuple[str, ...] = ()
    sha256: str = ""  # of `original`, where it is known


def folders(alias: str) -> Iterator[Folder]:
    """All that kept rows name."""
    yield from _of_submissions(alias)
    examples = PracticeExample.objects.using(alias).exclude(stored="")
    for stored in examples.values_list("stored", flat=True):
        yield Folder(f"submissions/{stored}", ("shown",))
    jobs = Job.objects.using(alias).filter(expires_at=None)
    for number, state, attempt in jobs.values_list("pk", "state", "attempt"):
        done = state == Job.State.DONE
        yield Folder(f"jobs/{number}", ("input", f"attempt-{attempt}") if done else ("input",))


def _of_submissions(alias: str) -> Iterator[Folder]:
    files = SubmissionFile.objects.using(alias).order_by("pk")
    for stored, name, state, sha256 in files.values_list("stored", "name", "state", "sha256"):
        shown = ("shown",) if state == SubmissionFile.State.READY else ()
        if name:
            yield Folder(f"submissions/{stored}", ("original", *shown), sha256)
        else:  # of somebody who was erased: the copy has taken the place of what they uploaded
            yield Folder(f"submissions/{stored}", shown)


# -- rows as lines --------------------------------------------------------------------------------------

BATCH = 500  # rows that are held in memory at once


def fields_of(model: type[Model]) -> list[Field[Any, Any]]:
    """What is kept of it: every column that the database does not work out by itself."""
    return [field for field in model._meta.concrete_fields if not getattr(field, "generated", False)]


def read_rows(rows: QuerySet[Any]) -> Iterator[dict[str, Any]]:
    """Each row as JSON has it, by the names of the columns."""
    fields = fields_of(rows.model)
    names = [column.attname for column in fields]
    for values in rows.values_list(*names).iterator(chunk_size=BATCH):
        yield {
            name: value if isinstance(field, JSONField) else _plain(value)
            for name, field, value in zip(names, fields, values, strict=True)
        }


def _plain(value: Any) -> Any:
    """As JSON has it, with nothing lost: a time keeps its microseconds."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode("ascii")
    raise TypeError(f"{type(value).__name__} has no way into a backup yet")


def write_lines(path: Path, rows: Iterator[dict[str, Any]]) -> int:
    """Write a row into each line; how many."""
    count = 0
    with path.open("w", encoding="utf-8") as lines:
        for count, row in enumerate(rows, start=1):  # noqa: B007 - the last one is the answer
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    return count


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def insert_rows(model: type[Model], rows: Iterator[dict[str, Any]], alias: str) -> None:
    """Put rows into the table as they are: nothing is filled in, no time becomes that of now."""
    connection = connections[alias]
    fields = fields_of(model)
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({places})"
    with connection.cursor() as cursor:
        for batch in _batches(rows):
            cursor.executemany(
                sql, [[_stored(field, row[field.attname], connection) for field in fields] for row in batch]
            )


def _stored(field: Field[Any, Any], value: Any, connection: Any) -> Any:
    python_value = value if isinstance(field, JSONField) else field.to_python(value)
    return field.get_db_prep_save(python_value, connection)


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


# -- a snapshot -----------------------------------------------------------------------------------------

COPY = "snapshot"  # the alias of a copy of SQLite


@contextmanager
def snapshot(scratch: Path) -> Iterator[str]:
    """The alias under which it is read. Nobody who writes has to wait for us, nor we for them.

    PostgreSQL shows one transaction what was there when it began. SQLite is copied by its online backup,
    page by page: whoever reads for long would keep its write-ahead log from being written back.
    """
    if connection.vendor == "sqlite":
        with _copied(scratch / "snapshot.sqlite3") as alias:
            yield alias
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield connection.alias


@contextmanager
def _copied(path: Path) -> Iterator[str]:
    connection.ensure_connection()
    try:
        with closing(sqlite3.connect(path)) as copy:
            connection.connection.backup(copy)
        own = type(connections[connection.alias])
        connections[COPY] = own({**connection.settings_dict, "NAME": str(path)}, COPY)
        try:
            yield COPY
        finally:
            connections[COPY].close()
            del connections[COPY]
    finally:
        for left in path.parent.glob(f"{path.name}*"):
            left.unlink()


def migrations_in(alias: str) -> list[list[str]]:
    """All that were applied; Refused where they are not those of this version, whose models we read with."""
    if reason := misfit(connections[alias]):
        raise Refused(reason)
    executor = MigrationExecutor(connections[alias])
    applied = set(executor.loader.applied_migrations)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise Refused(
            "the database is that of an older Peerage: back it up with that version, or start this one once,"
            " which brings it up to date"
        )
    return [list(migration) for migration in sorted(applied)]


def last_ids(alias: str) -> dict[str, int]:
    """The highest number that each table has given out, rows that were deleted since included."""
    models = [model for model in models_of() if _counts(model)]
    with connections[alias].cursor() as cursor:
        return {name_of(model): _last_id(model, cursor) for model in models}


def _counts(model: type[Model]) -> bool:
    return model._meta.pk.get_internal_type() in ("AutoField", "BigAutoField", "SmallAutoField")


def _last_id(model: type[Model], cursor: Any) -> int:
    table = model._meta.db_table
    if cursor.db.vendor == "sqlite":
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        row = cursor.fetchone()
        return int(row[0]) if row else 0
    cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [f'"{table}"', model._meta.pk.column])
    cursor.execute(f"SELECT last_value, is_called FROM {cursor.fetchone()[0]}")
    last, called = cursor.fetchone()
    return int(last) if called else 0


def set_last_id(model: type[Model], last: int, alias: str) -> None:
    """Numbers that were given out once are not given out again."""
    table, column = model._meta.db_table, model._meta.pk.column
    with connections[alias].cursor() as cursor:
        if cursor.db.vendor == "sqlite":
            cursor.execute("UPDATE sqlite_sequence SET seq = max(seq, %s) WHERE name = %s", [last, table])
            cursor.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT %s, %s"
                " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = %s)",
                [table, last, table],
            )
        elif last:
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, %s), %s)", [f'"{table}"', column, last])
