"""Running experiments: what is missing, over processes, saved as it goes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from peerage._processes import QuietPool
from peerage.errors import DataError
from peerage.experiments.base import Experiment
from peerage.experiments.contenders import use_contenders
from peerage.experiments.data import sources
from peerage.experiments.jobs import NAMES, Done, Job, experiment, plan_jobs, run_job
from peerage.experiments.methods import spell
from peerage.experiments.results import Results

SAVE_EVERY = 30.0  # seconds: what an interruption can cost at most
SMALL_METHODS = ("MAL", "MAL+G", "MALBC", "BT", "BT+G", "PL", "PL+G", "SCAVG", "NCS+G", "default")
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
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
    cluster: Any = None,
    seed: int = 0,
    out: str | Path = "results",
    small: bool = False,
    fresh: bool = False,
    contenders: str | Path | None = None,
    on_progress: Progress = lambda done, total: None,
) -> Outcome:
    """Run one experiment, or what is missing of it in `out`, and write `NAME.csv` there.

    Parameters
    ----------
    data, methods : names, or groups such as "real" and "paper"; empty means the experiment's own.
    repeats : replicates; an existing table is continued up to that number.
    jobs : processes. The table does not depend on it.
    cluster : a cluster to run on instead, as in :func:`peerage.fit`; its machines must see the data sets.
    small : few replicates and methods, for a quick look.
    fresh : start again instead of continuing.
    contenders : a Python file with methods of other libraries; see `experiments/contenders.py`.
    on_progress : called with replicates done and in all.
    """
    if name not in NAMES:
        raise DataError(f"there is no experiment {name!r}; there are {', '.join(NAMES)}")
    what = experiment(name)
    file = None if contenders is None else str(contenders)
    use_contenders(file)
    usable, notes = _usable(what, list(data) or what.data)
    wanted = what.suitable(spell(list(methods) or (SMALL_METHODS if small else what.methods)))
    wanted = wanted if what.methods else []
    count = repeats if repeats is not None else (what.small if small else what.repeats)
    results = Results(Path(out), name, seed, fresh=fresh)
    todo = plan_jobs(what, usable, wanted, count, seed, results.finished(), file)
    work = _finished(todo, jobs) if cluster is None else _on_cluster(todo, cluster)
    _work(work, todo, results, on_progress)
    frame = results.frame()
    return Outcome(what, results.csv, frame, results.note.cpu_seconds, tuple(notes))


def _usable(what: Experiment, names: Sequence[str]) -> tuple[list[str], list[str]]:
    usable, notes = [], []
    for source in sources(names):
        trouble = what.trouble(source.load(np.random.default_rng(0)))
        if trouble is None:
            usable.append(source.name)
        else:
            notes.append(f"{source.name} is left out of {what.name}: {trouble}")
    if not usable:
        raise DataError(f"nothing to run {what.name} on: {'; '.join(notes)}")
    return usable, notes


def _on_cluster(todo: list[Job], cluster: Any) -> Iterator[tuple[Job, Done]]:
    from peerage.cluster.cluster import open_cluster

    with open_cluster(cluster) as workers:
        yield from zip(todo, workers.map(run_job, todo), strict=True)


def _work(work: Iterator[tuple[Job, Done]], todo: list[Job], results: Results, on_progress: Progress) -> None:
    total, done = sum(len(job.replicates) for job in todo), 0
    saved = time.monotonic()
    on_progress(0, total)
    try:
        for job, finished in work:
            results.add(finished.rows, finished.seconds)
            done += len(job.replicates)
            on_progress(done, total)
            if time.monotonic() - saved > SAVE_EVERY:
                results.save()
                saved = time.monotonic()
    finally:
        results.save()  # an interrupted run continues from here


def _finished(todo: list[Job], jobs: int) -> Iterator[tuple[Job, Done]]:
    """Every job with its result, as they come."""
    if jobs == 1 or len(todo) < 2:
        for job in todo:
            yield job, run_job(job)
        return
    with _one_thread_each(), QuietPool(jobs) as pool:
        for number, done in pool.as_they_come(run_job, todo):
            yield todo[number], done


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
