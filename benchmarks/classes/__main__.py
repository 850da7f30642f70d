"""A class of 2,000 students and 20,000 reviews: python -m benchmarks.classes [pages|saving] [--postgres]

pages    every page of the URL configuration, as staff and as a student: median and 95 % of the answers,
         and whether any page takes 300 ms or more
saving   500 students save their rankings at once, again and again, at a real `peerage serve --workers 2`

Without a word, both. On SQLite, or with --postgres on a PostgreSQL of its own. The exit code says whether
pages were quick enough and every save was taken.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.hostile.postgres import Postgres


def main(given: list[str] | None = None) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.classes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", nargs="?", choices=["pages", "saving", "all"], default="all")
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL instead of SQLite")
    parser.add_argument("--students", type=int, default=2000)
    parser.add_argument("--reviews", type=int, default=10, help="per student")
    parser.add_argument("--repeats", type=int, default=20, help="looks at every page")
    parser.add_argument("--savers", type=int, default=500, help="students who save at once")
    parser.add_argument("--saves", type=int, default=5, help="of each of them")
    wanted = parser.parse_args(given)
    with database(postgres=wanted.postgres), tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "PEERAGE_DATA": f"{folder}/data",
            "DJANGO_SETTINGS_MODULE": "peerage_web.settings",
            "PEERAGE_TRACE_DAYS": "0",
        }
        return _run(wanted, Path(folder) / "data")


@contextmanager
def database(*, postgres: bool) -> Iterator[Postgres | None]:
    """PostgreSQL, or the SQLite that the service has by itself."""
    if not postgres:
        os.environ.pop("DATABASE_URL", None)
        yield None
        return
    server = Postgres()
    server.start()
    try:
        os.environ["DATABASE_URL"] = server.new_database("classes")
        yield server
    finally:
        server.stop()


def _run(wanted: argparse.Namespace, data: Path) -> int:
    import django

    from peerage_web.configuration.secrets import make_secret_key

    make_secret_key(data)  # before settings look for it: the service is to know our sessions
    django.setup()
    logging.disable(logging.INFO)  # a line per request
    from peerage_web.operations.startup import prepare

    prepare()
    from benchmarks.classes.filling import fill
    from benchmarks.classes.pages import time_pages
    from benchmarks.classes.saving import time_saving

    room = fill(students=wanted.students, reviews=wanted.reviews)
    good = True
    if wanted.what in ("pages", "all"):
        good &= time_pages(room, wanted.repeats)
    if wanted.what in ("saving", "all"):
        good &= time_saving(room, data, savers=wanted.savers, saves=wanted.saves)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
