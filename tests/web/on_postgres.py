"""Run the tests of the web service on PostgreSQL: `python tests/web/on_postgres.py [pytest options]`.

The server comes from the `pgserver` wheel, lives in a temporary folder and needs no root.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

FOLDER = Path(__file__).parent


def main(options: list[str]) -> int:
    """The exit code of pytest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pgserver, about folders that it falls back to
        import pgserver

        server = pgserver.get_server(tempfile.mkdtemp(prefix="peerage-postgres-"), cleanup_mode="delete")
    try:
        environment = {**os.environ, "DATABASE_URL": server.get_uri()}
        command = [sys.executable, "-m", "pytest", str(FOLDER), "-m", "not browser", *options]
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        server.cleanup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
