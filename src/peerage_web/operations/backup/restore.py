"""Bringing a backup into an empty instance: files first, then all rows at once, then a look at both."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

from peerage_web.operations.backup.database import (
    fields_of,
    insert_rows,
    kept_rows,
    models_of,
    name_of,
    read_lines,
    read_rows,
    set_last_id,
)
from peerage_web.operations.backup.manifest import (
    FILES,
    ROWS,
    BackupFile,
    BackupManifest,
    files_in,
    sha256_of,
)
from peerage_web.operations.schema import strangers, unreleased_backup
from peerage_web.operations.startup import prepare
from peerage_web.shared import heartbeats
from peerage_web.shared.errors import Refused

PROCESSES = ("task_worker", "maintenance")


def restore(*, folder: Path, manifest: BackupManifest) -> None:
    """Bring back all that is in the backup, which was checked; Refused where the instance is not empty.

    Whoever is interrupted does it again: files that are there already are those of this backup, and of the
    rows either all are there or none.
    """
    files = list(files_in(folder))
    _refuse_running()
    _refuse_other_files(files)
    _refuse_rows()
    _copy_files(folder, files)
    apps = _migrate_to(manifest)
    try:
        with transaction.atomic():
            _load(folder, manifest, apps)
    except DatabaseError as error:
        raise Refused(f"the database takes not all of it, so none: {' '.join(str(error).split())}") from error
    prepare()  # what a newer version has changed since, and all that a start makes


# -- whether there is room for it -----------------------------------------------------------------------


def _refuse_running() -> None:
    if any(heartbeats.is_alive(settings.HEARTBEATS, kind) for kind in PROCESSES):
        raise Refused(f"a service runs on {settings.DATA}; stop it first")


def _refuse_other_files(files: list[BackupFile]) -> None:
    """Files of an earlier try of the same backup are no reason."""
    ours = {part.path.removeprefix(f"{FILES}/") for part in files}
    for place in (settings.SUBMISSIONS, settings.JOBS):
        for path in sorted(place.rglob("*")) if place.is_dir() else ():
            name = path.relative_to(settings.DATA).as_posix()
            if not path.is_dir() and name not in ours:
                raise Refused(
                    f"{settings.DATA} has files already ({name}); a backup goes into an empty data folder:"
                    " name a new one with --data"
                )


def _refuse_rows() -> None:
    tables = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        for model in models_of():
            if model._meta.db_table not in tables:
                continue
            cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(model._meta.db_table)} LIMIT 1")
            if cursor.fetchone():
                raise Refused(
                    f"the database is not empty: it has rows of {model._meta.verbose_name_plural}; a backup"
                    " goes into an empty one"
                )


# -- files --------------------------------------------------------------------------------------------


def _copy_files(folder: Path, files: list[BackupFile]) -> None:
    for part in files:
        target = settings.DATA / part.path.removeprefix(f"{FILES}/")
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copyfile(folder / part.path, target)
        if sha256_of(target) != (part.bytes, part.sha256):
            raise Refused(f"{target} did not become what the backup has; is the disk sound?")


# -- rows -----------------------------------------------------------------------------------------------


def _migrate_to(manifest: BackupManifest) -> Any:
    """Tables as they were when the backup was made; the models of that time."""
    executor = MigrationExecutor(connection)
    had = {(app, name) for app, name in manifest.migrations}
    if reason := strangers(had, executor.loader):
        raise Refused(f"the backup {reason}")
    graph = executor.loader.graph
    if set(executor.loader.applied_migrations) - had:
        raise Refused(
            "the backup is of an older Peerage, and this database has the tables of this one already;"
            " name one that was never used"
        )
    ends = [
        migration
        for migration in had
        if not any(child in had for child in graph.node_map[migration].children)
    ]
    return executor.migrate(sorted(ends)).apps


def _load(folder: Path, manifest: BackupManifest, apps: Any) -> None:
    models = [model for model in models_of(apps) if name_of(model) in manifest.rows]
    if missing := sorted(manifest.rows.keys() - {name_of(model) for model in models}):
        raise Refused(f"this Peerage has no place for {missing[0]}")
    for model in models:
        insert_rows(model, _fitting(read_lines(_lines(folder, model)), model), connection.alias)
        if name_of(model) in manifest.last_ids:
            set_last_id(model, manifest.last_ids[name_of(model)], connection.alias)
    connection.check_constraints()
    for model in models:
        _compare(folder, model)


def _fitting(rows: Iterator[dict[str, Any]], model: type[Model]) -> Iterator[dict[str, Any]]:
    """Rows that have all columns of the table as it was, and no others."""
    columns = {field.attname for field in fields_of(model)}
    for row in rows:
        if row.keys() != columns:
            raise Refused(unreleased_backup(name_of(model)))
        yield row


def _lines(folder: Path, model: type[Model]) -> Path:
    return folder / ROWS / f"{name_of(model)}.jsonl"


def _compare(folder: Path, model: type[Model]) -> None:
    """Row by row: what the database has now is what the backup has."""
    there = read_rows(kept_rows(model, connection.alias))
    for number, row in enumerate(read_lines(_lines(folder, model)), start=1):
        if next(there, None) != row:
            raise Refused(
                f"row {number} of {name_of(model)} did not become what the backup has; nothing was kept"
            )
    if next(there, None) is not None:
        raise Refused(f"{name_of(model)} has more rows than the backup; nothing was kept")
