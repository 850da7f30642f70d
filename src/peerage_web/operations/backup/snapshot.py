"""The database as it was at one moment, while others go on writing to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

from peerage_web.operations.backup.contents import models_of, name_of
from peerage_web.shared.errors import Refused

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
    executor = MigrationExecutor(connections[alias])
    applied = set(executor.loader.applied_migrations)
    if applied - set(executor.loader.disk_migrations):
        raise Refused("the database was used by a newer Peerage; back it up with that version")
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise Refused(
            "the database is that of an older Peerage: back it up with that version, or start this one once,"
            " which brings it up to date"
        )
    return [list(one) for one in sorted(applied)]


def last_ids(alias: str) -> dict[str, int]:
    """The highest number that each table has given out, rows that were deleted since included."""
    counted = [one for one in models_of() if _counts(one)]
    with connections[alias].cursor() as cursor:
        return {name_of(one): _last_id(one, cursor) for one in counted}


def _counts(model: type[Model]) -> bool:
    return model._meta.pk.get_internal_type() in ("AutoField", "BigAutoField", "SmallAutoField")


def _last_id(model: type[Model], cursor: Any) -> int:
    table = model._meta.db_table
    if cursor.db.vendor == "sqlite":
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        found = cursor.fetchone()
        return int(found[0]) if found else 0
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
