"""Rows of a model as lines of JSON, and back; the same whatever database they come from."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connections
from django.db.models import Field, JSONField, Model, QuerySet

BATCH = 500  # rows that are held in memory at once


def fields_of(model: type[Model]) -> list[Field[Any, Any]]:
    """What is kept of it: every column that the database does not work out by itself."""
    return [one for one in model._meta.concrete_fields if not getattr(one, "generated", False)]


def read_rows(rows: QuerySet[Any]) -> Iterator[dict[str, Any]]:
    """Each row as JSON has it, by the names of the columns."""
    fields = fields_of(rows.model)
    names = [one.attname for one in fields]
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
    """The rows of a backup."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def insert_rows(model: type[Model], rows: Iterator[dict[str, Any]], alias: str) -> None:
    """Put rows into the table as they are: nothing is filled in, no time becomes that of now."""
    connection = connections[alias]
    fields = fields_of(model)
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(one.column)) for one in fields)
    places = ", ".join(["%s"] * len(fields))
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({places})"
    with connection.cursor() as cursor:
        for batch in _batches(rows):
            cursor.executemany(
                sql, [[_stored(one, row[one.attname], connection) for one in fields] for row in batch]
            )


def _stored(field: Field[Any, Any], value: Any, connection: Any) -> Any:
    known = value if isinstance(field, JSONField) else field.to_python(value)
    return field.get_db_prep_save(known, connection)


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
