"""Django's backend for PostgreSQL; after a restart of the server nobody pays for connections that died.

Named as ENGINE in the settings; Django asks for a module of this name.
"""

import time
from typing import Any

import psycopg
from django.db.backends.postgresql.base import DatabaseWrapper as PostgreSQL
from psycopg_pool import ConnectionPool, PoolTimeout


class DatabaseWrapper(PostgreSQL):
    """A connection that the pool gives is tried first, and a dead one replaced without a pause.

    The pool could do so itself (CONN_HEALTH_CHECKS), but it rests between dead connections: 0, 1, 2 seconds.
    A server that is restarted leaves as many of them as the last crowd had, in every process, for many
    minutes if nobody comes; a visitor would go through four of them and then be refused.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A living one, within the time for which the pool lets us wait for any."""
        connection = super().get_new_connection(conn_params)
        if self.pool is None:
            return connection
        deadline = time.monotonic() + self.pool.timeout
        while not _lives(connection):
            self.pool.putconn(connection)  # which sees that it is dead, and makes another instead
            if time.monotonic() >= deadline:
                raise PoolTimeout("the server ends every connection at once")
            connection = super().get_new_connection(conn_params)
        return connection


def _lives(connection: psycopg.Connection[Any]) -> bool:
    try:
        ConnectionPool.check_connection(connection)
    except psycopg.Error:
        return False
    return True
