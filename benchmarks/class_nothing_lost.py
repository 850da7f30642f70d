"""Nothing is lost in a class, whatever dies: what is typed while ranking, and every step of a whole class.

`python -m benchmarks.class_nothing_lost [MOMENTS] [--postgres]`: kill -9 of the web worker, of the database's
connections, of the network, of the session, and work in a second tab, each at twenty random moments, in real
Chromium against a real `peerage serve`. Ends with an error if anything is lost.

`… --story [KILLS]`: kill -9 of every process at random moments of a scripted class (submit, rank, grade,
release, look, appeal), over and over until so many were killed; at the end all of it is there, once.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright
from tests.on_postgres import postgres
from tests.web.browser.chromium import OPTIONS, chromium, missing
from tests.web.browser.interruptions import KINDS, Interruption
from tests.web.service import Service


def main() -> int:
    """How many moments lost something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("moments", nargs="?", type=int, default=20, help="for each kind")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL instead of SQLite")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--story", action="store_true", help="a whole class; MOMENTS is the number of kills")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of a story")
    given = parser.parse_args()
    if given.story:
        from benchmarks.story.kills import stories

        with _service(given.postgres) as service:
            return stories(service, given.moments, given.seed)
    path = chromium()
    if path is None:
        sys.exit(missing())
    with _service(given.postgres) as service, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        return sum(_kind(kind, given.moments, browser, service) for kind in given.kinds)


@contextmanager
def _service(on_postgres: bool) -> Iterator[Service]:
    if on_postgres:
        with postgres() as url:
            os.environ["DATABASE_URL"] = url
            with _service(False) as service:
                yield service
        return
    service = Service(Path(tempfile.mkdtemp()) / "service")
    service.start()
    try:
        yield service
    finally:
        service.stop()


def _kind(kind: str, moments: int, browser, service: Service) -> int:  # type: ignore[no-untyped-def]
    began, bad = time.monotonic(), 0
    for seed, room in enumerate(service.put_rankings(str(moments))):
        lost = Interruption(kind, seed, browser, service, room).run()
        bad += bool(lost)
        for one in lost:
            print(f"{kind}, moment {seed}: {one}", flush=True)
    took = time.monotonic() - began
    print(f"{kind}: {moments - bad} of {moments} moments lost nothing ({took:.0f} s)", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
