"""kill -9 of every kind of process at random moments of a job: it ends done, once, with the same bytes."""

from __future__ import annotations

import itertools
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import TypeVar

from benchmarks.hostile.attacks import class_of
from benchmarks.hostile.instance import Instance
from benchmarks.hostile.postgres import postgres
from benchmarks.hostile.visitor import PATIENCE, RefusedError, Visitor

KINDS = (
    "supervisor",
    "web",
    "web worker",
    "task_worker",
    "maintenance",
    "server of task_worker",
    "server of web worker",
    "child",
)
FILES = (
    "grades.csv",
    "graders.csv",
    "results.json",
    "report.html",
)  # the archive also tells how long it took
CLASS = class_of(300, 300)
Found = TypeVar("Found")


def kills(moments: int, *, postgres: bool, seed: int) -> int:
    """Print what became of the jobs; how many did not end well."""
    rng, told = random.Random(seed), Counter[str]()
    with _instance(on_postgres=postgres) as instance:
        instance.start()
        try:
            expected, length = _quiet(instance)
            for number, kind in zip(range(moments), itertools.cycle(KINDS), strict=False):
                visitor = Visitor(instance.port, f"127.9.{number // 200}.{1 + number % 200}")
                told[_one(instance, visitor, kind, rng.uniform(0, length), expected)] += 1
                if number % 10 == 9:
                    print(f"{number + 1} kills: {dict(told)}", flush=True)
        finally:
            instance.stop()
    print(f"a job takes {length:.1f} s; over {'PostgreSQL' if postgres else 'SQLite'}: {dict(told)}")
    return moments - told["done, once, the same bytes"]


@contextmanager
def _instance(*, on_postgres: bool) -> Iterator[Instance]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        lifted = {"PEERAGE_UPLOADS": "1000000", "PEERAGE_PREVIEWS": "1000000"}
        if not on_postgres:
            yield Instance(data, **lifted)
            return
        with postgres() as server:
            yield Instance(data, DATABASE_URL=server.new_database("kills"), **lifted)


def _quiet(instance: Instance) -> tuple[list[bytes], float]:
    """What the job gives, and the seconds it takes, when nobody is killed."""
    for number in range(2):  # the first one is slower
        visitor = Visitor(instance.port, f"127.8.0.{1 + number}")  # who had none before
        page = visitor.upload(CLASS)
        visitor.grade(page)
        started = time.monotonic()
        visitor.wait(page)
        length = time.monotonic() - started
    return _files(visitor, page), length


def _one(instance: Instance, visitor: Visitor, kind: str, moment: float, expected: list[bytes]) -> str:
    before = _folders(instance)
    page = _patiently(lambda: visitor.upload(CLASS))
    _patiently(lambda: visitor.grade(page))
    [folder] = _folders(instance) - before
    time.sleep(moment)
    victims = [pid for pid, what in instance.processes().items() if what == kind]
    for pid in victims[:1]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if kind == "supervisor":
        instance.process.wait(60)
        instance.process.stdout.close()
        instance.start()
    ended = _patiently(lambda: visitor.wait(page))
    if b"grades.csv" not in ended.body:
        return f"not done after a kill of {kind}"
    if _patiently(lambda: _files(visitor, page)) != expected:
        return f"other bytes after a kill of {kind}"
    made = sorted(path.name for path in folder.glob("attempt-*"))
    _patiently(lambda: visitor.post(f"{page}delete"))
    return "done, once, the same bytes" if len(made) == 1 else f"{made} after a kill of {kind}"


def _folders(instance: Instance) -> set[Path]:
    return set((instance.data / "jobs").iterdir()) if (instance.data / "jobs").is_dir() else set()


def _files(visitor: Visitor, page: str) -> list[bytes]:
    answers = [visitor.get(f"{page}files/{name}") for name in FILES]
    if {answer.status for answer in answers} != {200}:
        raise RefusedError("a file of the result is not there")
    return [answer.body for answer in answers]


def _patiently(ask: Callable[[], Found]) -> Found:
    """A visitor whose connection broke loads the page again."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return ask()
        except (OSError, HTTPException, RefusedError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
