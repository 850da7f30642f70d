"""Two instances on one PostgreSQL and one folder: many visitors at once, then bad days with jobs at work."""

from __future__ import annotations

import asyncio
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.hostile.attacks import class_of
from benchmarks.hostile.instance import Instance
from benchmarks.hostile.postgres import Postgres, locked, postgres
from benchmarks.hostile.visitor import Visitor

CLASS = class_of(500, 500)
JOBS = 6  # under way on a bad day
AHEAD = 300  # seconds
CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>
int clock_gettime(clockid_t which, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *)) dlsym(RTLD_NEXT, "clock_gettime");
    int said = real(which, now);
    if (which == CLOCK_REALTIME) now->tv_sec += AHEAD;
    return said;
}
time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}
"""


def machines(visitors: int, seconds: float) -> int:
    """Print what was seen; how much of it was bad."""
    with tempfile.TemporaryDirectory() as folder, _room(Path(folder)) as room, postgres(100) as server:
        data, small = room
        url = server.new_database("machines")
        both = _both(data, url, _clock_ahead(Path(folder)))
        for instance in both:
            instance.start()
        try:
            bad = _crowd(both, url, visitors, seconds)
            return bad + _bad_days(both, server, url, data if small else None)
        finally:
            for instance in both:
                instance.stop()


def _both(data: Path, url: str, ahead: dict[str, str]) -> list[Instance]:
    """The second one's clock is wrong where this machine has a C compiler."""
    settings = {
        "DATABASE_URL": url,
        "PEERAGE_SECRET_KEY": "for two machines " * 4,
        "PEERAGE_MIN_FREE_MEGABYTES": "100",
        "PEERAGE_JOBS_PER_VISITOR": "20",
    }
    return [Instance(data, **settings), Instance(data, **settings, **ahead)]


# -- a crowd --------------------------------------------------------------------------------------


def _crowd(both: list[Instance], url: str, visitors: int, seconds: float) -> int:
    maker = Visitor(both[0].port)
    page = maker.example()
    maker.grade(page)
    maker.wait(page)
    most, stop = [0], threading.Event()
    counting = threading.Thread(target=_count_connections, args=(url, most, stop), daemon=True)
    counting.start()
    answers = asyncio.run(_visit([instance.port for instance in both], ["/", page], visitors, seconds))
    stop.set()
    counting.join(30)
    times = [took for status, took in answers if status == 200]
    errors = len(answers) - len(times)
    p50, p95 = (1000 * np.quantile(times, q) for q in (0.5, 0.95))
    print(
        f"{visitors} visitors for {seconds:g} s at two instances: {len(answers):,} answers, {errors} errors,"
        f" p50 {p50:,.0f} ms, p95 {p95:,.0f} ms, at most {most[0]} connections to PostgreSQL",
        flush=True,
    )
    return errors


def _count_connections(url: str, most: list[int], stop: threading.Event) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        while not stop.wait(0.2):
            asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            [found] = connection.execute(asked).fetchone()
            most[0] = max(most[0], found - 1)


async def _visit(
    ports: list[int], paths: list[str], visitors: int, seconds: float
) -> list[tuple[int, float]]:
    """Status (0 where the connection broke) and seconds of every answer."""
    answers: list[tuple[int, float]] = []
    until = time.monotonic() + seconds

    async def visitor(number: int) -> None:
        address, asked = (f"127.1.{number // 200}.{1 + number % 200}", 0), 0
        while time.monotonic() < until:
            started = time.perf_counter()
            try:
                status = await _ask(ports[number % len(ports)], paths[asked % len(paths)], address)
            except (OSError, asyncio.IncompleteReadError):
                status = 0
            answers.append((status, time.perf_counter() - started))
            asked += 1

    await asyncio.gather(*(visitor(number) for number in range(visitors)))
    return answers


async def _ask(port: int, path: str, address: tuple[str, int]) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=address)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(re.search(rb"(?i)\r\ncontent-length: (\d+)", head)[1]))
    writer.close()
    return int(head.split(b" ", 2)[1])


# -- bad days -------------------------------------------------------------------------------------


def _bad_days(both: list[Instance], server: Postgres, url: str, disk: Path | None) -> int:
    def away() -> None:
        server.kill()
        time.sleep(10)
        server.start()

    def lock() -> None:
        with locked(url):
            time.sleep(60)

    def full() -> None:
        assert disk is not None
        filler = disk / "filler"
        with filler.open("wb") as file:
            try:
                while True:
                    file.write(bytes(1 << 20))
                    file.flush()
            except OSError:
                pass
        time.sleep(30)
        filler.unlink()

    days: dict[str, Callable[[], None]] = {
        "PostgreSQL killed for 10 s": away,
        "the jobs' table locked for 60 s": lock,
    }
    if disk is not None:
        days["disk full for 30 s"] = full
    return sum(_day(day, name, what, both, url) for day, (name, what) in enumerate(days.items()))


def _day(day: int, name: str, what: Callable[[], None], both: list[Instance], url: str) -> int:
    """Jobs are started by people who had none before, it happens, and each job must be done, once."""
    visitors = [Visitor(both[number % 2].port, f"127.2.{day}.{number + 1}") for number in range(JOBS)]
    pages = [visitor.upload(CLASS) for visitor in visitors]
    for visitor, page in zip(visitors, pages, strict=True):
        visitor.grade(page)
    time.sleep(1)
    what()
    states = [_state(url, page) for page in pages]
    wrong = [state for state in states if state[:2] != ("done", 1)]
    print(
        f"{name}, {JOBS} jobs under way: {JOBS - len(wrong)} done at the first try {wrong or ''}", flush=True
    )
    return len(wrong)


def _state(url: str, page: str) -> tuple[str, int, object]:
    import psycopg

    deadline = time.monotonic() + 600
    while True:
        asked = "SELECT state, attempt, problem FROM peerage_web_job WHERE key = %s"
        with psycopg.connect(url) as connection:
            found = connection.execute(asked, [page.split("/")[2]]).fetchone()
        if found is None or found[0] not in ("queued", "running") or time.monotonic() > deadline:
            return found or ("lost", 0, None)
        time.sleep(0.5)


# -- what a bad day needs -------------------------------------------------------------------------


@contextmanager
def _room(folder: Path) -> Iterator[tuple[Path, bool]]:
    """A data folder on a small disk of its own, where we may make one."""
    place = folder / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=600m", "tmpfs", str(place)], capture_output=True, check=False
    )
    try:
        yield place / "data", made.returncode == 0
    finally:
        if made.returncode == 0:
            subprocess.run(["umount", "--lazy", str(place)], check=False)
        else:
            print("no disk could be filled: only root may mount one")


def _clock_ahead(folder: Path) -> dict[str, str]:
    """The environment of processes whose clock is wrong."""
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text(CLOCK.replace("AHEAD", str(AHEAD)))
    compiler = ["cc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    try:
        subprocess.run(compiler, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        print("both clocks are right: there is no C compiler to make a wrong one")
        return {}
    print(f"the second instance's clock is {AHEAD} s ahead")
    return {"LD_PRELOAD": str(library)}
