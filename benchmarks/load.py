"""Visitors of result pages, all at once, at a real `peerage serve --workers 2`: python -m benchmarks.load

Every visitor has a connection of its own and asks for the page again as soon as it has it. The visitors run
on the same machine and take their share of it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

EXAMPLE = Path(__file__).parents[1] / "examples" / "posters" / "feedback.csv"
PATIENCE = 300.0  # seconds for the set-up


@dataclass(frozen=True, slots=True)
class Load:
    """What a number of visitors saw."""

    seconds: list[float]  # of every answer
    errors: int
    size: int  # bytes of one answer
    elapsed: float

    def row(self, name: str, visitors: int) -> str:
        """A line of the table."""
        count = len(self.seconds)
        times = [f"{1000 * np.quantile(self.seconds, q):,.0f} ms" for q in (0.5, 0.95, 1.0)]
        cells = [name, f"{self.size / 1024:,.0f} kB", visitors, f"{count:,}", self.errors, *times]
        return f"| {' | '.join(map(str, cells))} | {count / self.elapsed:,.0f} pages/s |"


HEAD = """| page | size | visitors at once | pages | errors | p50 | p95 | longest | throughput |
|---|---|---|---|---|---|---|---|---|"""


@contextmanager
def serving(data: Path, workers: int) -> Iterator[int]:
    """A service; its port."""
    command = [sys.executable, "-m", "peerage", "serve", "--port", "0", "--workers", str(workers)]
    environment = {**os.environ, "PEERAGE_DATA": str(data)}
    with (data.parent / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        yield int(re.search(r":(\d+)/", process.stdout.readline())[1])
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def graded(data: Path, files: dict[str, Path]) -> dict[str, str]:
    """Every file graded by the running service; the paths of the result pages."""
    import django

    os.environ |= {"PEERAGE_DATA": str(data), "DJANGO_SETTINGS_MODULE": "peerage_web.settings"}
    django.setup()
    from django.core.files.uploadedfile import SimpleUploadedFile

    from peerage_web.files.services.drafts import create_job
    from peerage_web.files.services.jobs import start_job
    from peerage_web.sandbox.contract.jobs import JobOptions

    jobs = {}
    for name, path in files.items():
        job = create_job(upload=SimpleUploadedFile("feedback.csv", path.read_bytes()), visitor="load")
        start_job(job=job, options=JobOptions(scale="0:10"))
        jobs[name] = job
    deadline = time.monotonic() + PATIENCE
    while any(job.is_active for job in jobs.values()) and time.monotonic() < deadline:
        time.sleep(0.2)
        for job in jobs.values():
            job.refresh_from_db()
    assert {job.state for job in jobs.values()} == {"done"}, {name: job.state for name, job in jobs.items()}
    return {name: job.get_absolute_url() for name, job in jobs.items()}


async def visit(port: int, path: str, visitors: int, pages: int) -> Load:
    """So many visitors, each asking for so many pages."""
    seconds: list[float] = []
    sizes: set[int] = set()
    errors = 0

    async def visitor() -> None:
        nonlocal errors
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(pages):
            started = time.perf_counter()
            status, size = await _ask(reader, writer, path)
            seconds.append(time.perf_counter() - started)
            errors += status != 200
            sizes.add(size)
        writer.close()

    started = time.perf_counter()
    outcomes = await asyncio.gather(*(visitor() for _ in range(visitors)), return_exceptions=True)
    broken = sum(isinstance(outcome, BaseException) for outcome in outcomes)
    return Load(seconds, errors + broken, max(sizes, default=0), time.perf_counter() - started)


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> tuple[int, int]:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(re.search(rb"(?i)\r\ncontent-length: (\d+)", head)[1])
    await reader.readexactly(size)
    return int(head.split(b" ", 2)[1]), size


def large_class(folder: Path, students: int) -> Path:
    """A simulated class."""
    from peerage.simulation.classes import simulate

    simulate(items=students, graders=students, seed=1).write(folder)
    return folder / "feedback.csv"


def main(given: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visitors", type=int, default=100)
    parser.add_argument("--pages", type=int, default=20, help="per visitor")
    parser.add_argument("--students", type=int, default=2000, help="of the large class")
    parser.add_argument("--workers", type=int, default=2)
    wanted = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "data", wanted.workers) as port:
        large = large_class(Path(folder), wanted.students)
        files = {"posters, 42 items": EXAMPLE, f"a class of {wanted.students:,}": large}
        print(HEAD)
        for name, path in graded(Path(folder) / "data", files).items():
            asyncio.run(visit(port, path, 4, 2))  # every worker has seen the template once
            load = asyncio.run(visit(port, path, wanted.visitors, wanted.pages))
            print(load.row(name, wanted.visitors), flush=True)


if __name__ == "__main__":
    main()
