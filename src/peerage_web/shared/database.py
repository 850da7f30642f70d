"""The database: connections are few and shared, and locks hold for the whole service, on all its machines."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from django.db import connection, connections, transaction


def release_connections() -> None:
    """Let others have this thread's connection, unless it is in the middle of something.

    A connection to SQLite is of no use to others, and opening one costs as much as ten queries: it stays.
    """
    for mine in connections.all(initialized_only=True):
        if mine.vendor != "sqlite" and not mine.in_atomic_block:
            mine.close()


def database_now() -> datetime:
    """By the clock that all instances share, and that queries ask with Now()."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_TIMESTAMP")
        now: datetime | str = cursor.fetchone()[0]
    return datetime.fromisoformat(now).replace(tzinfo=UTC) if isinstance(now, str) else now


@contextmanager
def exclusively(name: str) -> Iterator[None]:
    """A transaction that nobody else runs under this name at the same time; others wait until it has ended.

    On PostgreSQL an advisory lock, which ends with the transaction. SQLite has one writer at a time: our
    transactions begin IMMEDIATE (see environment.sqlite), and so does this one, unless it is in another.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_number(name)])
        yield


def _number(name: str) -> int:
    """What PostgreSQL takes for a name: 64 bits with a sign."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
