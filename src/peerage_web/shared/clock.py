"""The database's clock, the only one that all machines of a service share."""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.utils.dateparse import parse_datetime


def database_now() -> datetime:
    """What time it is for the database."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')")
            found = parse_datetime(cursor.fetchone()[0])
        else:
            cursor.execute("SELECT clock_timestamp()")
            found = cursor.fetchone()[0]
    assert isinstance(found, datetime)
    return found
