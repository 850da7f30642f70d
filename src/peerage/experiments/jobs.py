"""One unit of work of an experiment, and its seed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from zlib import crc32

import numpy as np

from peerage.experiments.base import Experiment, Row
from peerage.experiments.contenders import use_contenders
from peerage.experiments.data import parse

NAMES = (
    "accuracy",
    "ta-agreement",
    "ta-baseline",
    "self-consistency",
    "scale",
    "lazy",
    "robustness",
    "runtime",
)


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
class Done:
    """What came of a job: its rows, and the CPU time they took."""

    rows: list[dict[str, Any]]
    seconds: float


def experiment(name: str) -> Experiment:
    """An experiment by its name."""
    module = import_module(f"peerage.experiments.{name.replace('-', '_')}")
    found: Experiment = module.EXPERIMENT
    return found


def generator(name: str, data: str, replicate: int, seed: int) -> np.random.Generator:
    """Random numbers that depend on what is computed, never on who computes it or when."""
    entropy = [seed, crc32(name.encode()), crc32(data.encode()), replicate]
    return np.random.default_rng(np.random.SeedSequence(entropy))


def run_job(job: Job) -> Done:
    """Do it, in whichever process."""
    use_contenders(job.contenders)
    started = time.process_time()
    what, source = experiment(job.experiment), parse(job.data)
    rows = [
        {"data": job.data, "replicate": number, **row}
        for number in job.replicates
        for row in _replicate(what, source, number, job)
    ]
    return Done(rows, time.process_time() - started)


def _replicate(what: Experiment, source: Any, number: int, job: Job) -> list[Row]:
    rng = generator(what.name, job.data, number, job.seed)
    return list(what.replicate(source, number, job.methods, rng))


def plan_jobs(
    what: Experiment,
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
                Job(what.name, name, tuple(numbers[low : low + together]), lacking, seed, contenders)
                for low in range(0, len(numbers), together)
            ]
    return jobs
