"""A PostgreSQL that was away: the first who comes after its return is served."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import OperationalError, connection

pytestmark = pytest.mark.django_db(transaction=True)
CONNECTIONS = 8  # more than the four on which psycopg's pool itself spends its five seconds


@pytest.fixture
def pooled(tmp_path):
    """A pool of its own on the test's database, whose socket can be taken away and given back."""
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL has connections that die")
    where = tmp_path / "socket"
    own = connection.copy("pooled")
    own.settings_dict["HOST"], real = str(where), own.settings_dict["HOST"]
    own.settings_dict["OPTIONS"]["pool"]["max_size"] = CONNECTIONS
    where.symlink_to(real)
    yield own, where, Path(real)
    own.close()
    own.close_pool()


def ask(own):
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT 1")
            return cursor.fetchone()
    finally:
        own.close()


def fill(own):
    """As a crowd does: all connections are in use at once, and idle afterwards."""
    together = threading.Barrier(CONNECTIONS)

    def use(_):
        mine = own.copy("pooled")
        with mine.cursor() as cursor:
            together.wait(60)
            cursor.execute("SELECT pg_backend_pid()")
            [found] = cursor.fetchone()
        mine.close()
        return found

    with ThreadPoolExecutor(CONNECTIONS) as threads:
        return set(threads.map(use, range(CONNECTIONS)))


def test_dead_connections_of_a_crowd_do_not_cost_the_next_visitor_anything(pooled):
    own, _, _ = pooled
    pids = fill(own)
    assert len(pids) == CONNECTIONS
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid, 60000) FROM unnest(%s) AS pid", [sorted(pids)])

    assert ask(own) == (1,)


def test_server_that_ends_every_connection_at_once_is_away(pooled, monkeypatch):
    own, _, _ = pooled
    own.settings_dict["OPTIONS"]["pool"]["timeout"] = 1
    monkeypatch.setattr("peerage_web.shared.postgresql.base._lives", lambda found: found.close())

    with pytest.raises(OperationalError, match="ends every connection"):
        ask(own)


@pytest.mark.full
def test_who_comes_after_a_long_absence_does_not_wait_for_the_next_try(pooled):
    """Tries to connect 0, 1, 3, 7 and 15 seconds after the first would let nobody in from 8 to 13."""
    own, where, real = pooled
    where.unlink()
    gone = time.monotonic()
    with pytest.raises(OperationalError):
        ask(own)

    time.sleep(max(0.0, gone + 8.3 - time.monotonic()))
    where.symlink_to(real)

    assert ask(own) == (1,)
