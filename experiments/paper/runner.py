"""Running an experiment: jobs for what is missing, over processes, in a table that is saved as it goes."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl

from experiments.paper import accuracy, lazy
from experiments.paper.data import parse, sources
from experiments.paper.experiment import Experiment
from experiments.paper.methods import spell, use_contenders
from peerage._files import write_atomically
from peerage._options import named
from peerage._processes import QuietPool
from peerage._version import __version__
from peerage.errors import DataError

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        accuracy.ACCURACY,
        accuracy.TA_AGREEMENT,
        accuracy.TA_BASELINE,
        accuracy.SELF_CONSISTENCY,
        accuracy.SCALE,
        lazy.LAZY,
        lazy.ROBUSTNESS,
        accuracy.RUNTIME,
    )
}
SAVE_EVERY = 30.0  # seconds: what an interruption can cost at most
SMALL_METHODS = ("MAL", "MAL+G", "MALBC", "BT", "BT+G", "PL", "PL+G", "SCAVG", "NCS+G", "default")
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class ExperimentResult:
    """Where an experiment's table is, the table, and what was passed over, in words."""

    experiment: Experiment
    path: Path
    frame: pl.DataFrame
    cpu_seconds: float
    notes: tuple[str, ...]


def run(
    name: str,
    *,
    data: Iterable[str] = (),
    methods: Iterable[str] = (),
    repeats: int | None = None,
    jobs: int = 1,
    seed: int = 0,
    out: str | Path = "results",
    small: bool = False,
    fresh: bool = False,
    contenders: str | Path | None = None,
    on_progress: Progress = lambda done, total: None,
) -> ExperimentResult:
    """Run one experiment, or what is missing of it in `out`, and write `NAME.csv` there.

    Parameters
    ----------
    data, methods : names, or groups such as "real" and "paper"; empty means the experiment's own.
    repeats : replicates; an existing table is continued up to that number.
    jobs : processes. The table does not depend on it.
    small : few replicates and methods, for a quick look.
    fresh : start again instead of continuing.
    contenders : a Python file with methods of other libraries; see `methods.py`.
    on_progress : called with replicates done and in all.
    """
    if name not in EXPERIMENTS:
        raise DataError(f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    experiment = EXPERIMENTS[name]
    file = None if contenders is None else str(contenders)
    use_contenders(file)
    usable, notes = _usable_data(experiment, list(data) or experiment.data)
    wanted = experiment.suitable(spell(list(methods) or (SMALL_METHODS if small else experiment.methods)))
    wanted = wanted if experiment.methods else []
    count = repeats if repeats is not None else (experiment.small if small else experiment.repeats)
    table = ResultTable(Path(out), name, seed, fresh=fresh)
    todo = plan_jobs(experiment, usable, wanted, count, seed, table.finished(), file)
    _run_jobs(todo, jobs, table, on_progress)
    return ExperimentResult(experiment, table.csv, table.frame(), table.record.cpu_seconds, tuple(notes))


def _usable_data(experiment: Experiment, names: Sequence[str]) -> tuple[list[str], list[str]]:
    usable, notes = [], []
    for source in sources(names):
        trouble = experiment.trouble(source.load(np.random.default_rng(0)))
        if trouble is None:
            usable.append(source.name)
        else:
            notes.append(f"{source.name} is left out of {experiment.name}: {trouble}")
    if not usable:
        raise DataError(f"nothing to run {experiment.name} on: {'; '.join(notes)}")
    return usable, notes


# -- jobs -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Job:
    """Some replicates of an experiment on one data set, for the methods that have no result yet."""

    experiment: str
    data: str
    replicates: tuple[int, ...]
    methods: tuple[str, ...]
    seed: int
    contenders: str | None = None  # the file of methods that are not ours


@dataclass(frozen=True, slots=True)
class JobResult:
    """The rows of a job, and the CPU time they took."""

    rows: list[dict[str, Any]]
    seconds: float


def plan_jobs(
    experiment: Experiment,
    data: Sequence[str],
    methods: Sequence[str],
    repeats: int,
    seed: int,
    finished: set[tuple[str, int, str]],
    contenders: str | None = None,
) -> list[Job]:
    """The jobs that are still to do; replicates go together that lack the same methods and are quick."""
    together = max(1, repeats // 200)
    jobs: list[Job] = []
    for name in data:
        missing: dict[tuple[str, ...], list[int]] = {}
        for number in range(repeats):
            lacking = tuple(method for method in methods if (name, number, method) not in finished)
            if lacking or (not methods and (name, number, "") not in finished):
                missing.setdefault(lacking, []).append(number)
        for lacking, numbers in missing.items():
            jobs += [
                Job(experiment.name, name, tuple(numbers[low : low + together]), lacking, seed, contenders)
                for low in range(0, len(numbers), together)
            ]
    return jobs


def run_job(job: Job) -> JobResult:
    """Do it, in whichever process."""
    use_contenders(job.contenders)
    started = time.process_time()
    experiment, source = EXPERIMENTS[job.experiment], parse(job.data)
    rows: list[dict[str, Any]] = []
    for number in job.replicates:
        rng = generator(job.experiment, job.data, number, job.seed)
        replicate = experiment.replicate(source, number, job.methods, rng)
        rows += [{"data": job.data, "replicate": number, **row} for row in replicate]
    return JobResult(rows, time.process_time() - started)


def generator(name: str, data: str, replicate: int, seed: int) -> np.random.Generator:
    """Random numbers that depend on what is computed, never on who computes it or when."""
    entropy = [seed, crc32(name.encode()), crc32(data.encode()), replicate]
    return np.random.default_rng(np.random.SeedSequence(entropy))


def _run_jobs(todo: list[Job], jobs: int, table: ResultTable, on_progress: Progress) -> None:
    total, done = sum(len(job.replicates) for job in todo), 0
    saved = time.monotonic()
    on_progress(0, total)
    try:
        for job, result in _job_results(todo, jobs):
            table.add(result)
            done += len(job.replicates)
            on_progress(done, total)
            if time.monotonic() - saved > SAVE_EVERY:
                table.save()
                saved = time.monotonic()
    finally:
        table.save()  # an interrupted run continues from here


def _job_results(todo: list[Job], jobs: int) -> Iterator[tuple[Job, JobResult]]:
    """Every job with its result, as they come."""
    if jobs == 1 or len(todo) < 2:
        for job in todo:
            yield job, run_job(job)
        return
    with _one_thread_each(), QuietPool(jobs) as pool:
        for number, result in pool.as_they_come(run_job, todo):
            yield todo[number], result


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes share the cores; threads inside each would only be in the way."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


# -- the table on disk: one row per replicate and method, and a record of how they were made --------------

DECIMALS = 6
KEYS = ("data", "replicate", "method")


@dataclass(slots=True)
class RunRecord:
    """How a result table was made; kept beside it."""

    experiment: str
    seed: int
    version: str = __version__
    python: str = platform.python_version()
    cpu_seconds: float = 0.0


class ResultTable:
    """The table of one experiment in a folder: what it has already, and what is added."""

    def __init__(self, folder: Path, experiment: str, seed: int, *, fresh: bool = False) -> None:
        self.csv, self.json = folder / f"{experiment}.csv", folder / f"{experiment}.json"
        self.record = RunRecord(experiment, seed)
        self._frames: list[pl.DataFrame] = []
        self._rows: list[dict[str, Any]] = []
        folder.mkdir(parents=True, exist_ok=True)
        if self.csv.exists() and not fresh:
            self._continue(seed)

    def _continue(self, seed: int) -> None:
        if not self.json.exists():
            raise DataError(
                f"{self.csv} has no {self.json.name} beside it; move it away, or use {named('fresh', True)}"
            )
        self.record = RunRecord(**json.loads(self.json.read_text()))
        if self.record.seed != seed:
            raise DataError(
                f"{self.csv} was made with seed {self.record.seed}, not {seed}: use that seed to continue it,"
                f" another {named('out')}, or {named('fresh', True)} to start again"
            )
        self._frames = [read_results(self.csv)]

    def finished(self) -> set[tuple[str, int, str]]:
        """(data, replicate, method) of all rows, and with an empty method for every replicate."""
        keys = {key for frame in self._frames for key in frame.select(KEYS).iter_rows()}
        return keys | {(data, replicate, "") for data, replicate, _ in keys}

    def add(self, result: JobResult) -> None:
        self._rows += result.rows
        self.record.cpu_seconds += result.seconds

    def frame(self) -> pl.DataFrame:
        """Everything, in an order that does not depend on what came first."""
        new = [pl.DataFrame(self._rows, infer_schema_length=None)] if self._rows else []
        whole = pl.concat([*self._frames, *new], how="diagonal_relaxed")
        floats = [name for name, kind in whole.schema.items() if kind == pl.Float64]
        return whole.with_columns(pl.col(floats).round(DECIMALS)).sort(KEYS, maintain_order=True)

    def save(self) -> None:
        """Write table and record; each appears whole or not at all."""
        if self._frames or self._rows:
            write_atomically(self.csv, self.frame().write_csv(line_terminator="\n").encode())
            record = asdict(self.record) | {"cpu_seconds": round(self.record.cpu_seconds, 1)}
            write_atomically(self.json, (json.dumps(record, indent=2) + "\n").encode())


def read_results(path: Path) -> pl.DataFrame:
    """A result table."""
    return pl.read_csv(path, infer_schema_length=None)
