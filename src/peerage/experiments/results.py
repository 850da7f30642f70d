"""Result tables on disk: one row per replicate and method, and a note of how they were made."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from peerage._naming import named
from peerage._version import __version__
from peerage.errors import DataError

DECIMALS = 6
KEYS = ("data", "replicate", "method")


@dataclass(slots=True)
class Note:
    """How a result table was made; kept beside it."""

    experiment: str
    seed: int
    version: str = __version__
    python: str = platform.python_version()
    cpu_seconds: float = 0.0


class Results:
    """The table of one experiment in a folder: what it has already, and what is added."""

    def __init__(self, folder: Path, experiment: str, seed: int, *, fresh: bool = False) -> None:
        self.csv, self.json = folder / f"{experiment}.csv", folder / f"{experiment}.json"
        self.note = Note(experiment, seed)
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
        self.note = Note(**json.loads(self.json.read_text()))
        if self.note.seed != seed:
            raise DataError(
                f"{self.csv} was made with seed {self.note.seed}, not {seed}: use that seed to continue it,"
                f" another {named('out')}, or {named('fresh', True)} to start again"
            )
        self._frames = [read(self.csv)]

    def finished(self) -> set[tuple[str, int, str]]:
        """(data, replicate, method) of all rows, and with an empty method for every replicate."""
        keys = {key for frame in self._frames for key in frame.select(KEYS).iter_rows()}
        return keys | {(data, replicate, "") for data, replicate, _ in keys}

    def add(self, rows: list[dict[str, Any]], seconds: float) -> None:
        """More rows, and the CPU time they took."""
        self._rows += rows
        self.note.cpu_seconds += seconds

    def frame(self) -> pl.DataFrame:
        """Everything, in an order that does not depend on what came first."""
        new = [pl.DataFrame(self._rows, infer_schema_length=None)] if self._rows else []
        whole = pl.concat([*self._frames, *new], how="diagonal_relaxed")
        floats = [name for name, kind in whole.schema.items() if kind == pl.Float64]
        return whole.with_columns(pl.col(floats).round(DECIMALS)).sort(KEYS, maintain_order=True)

    def save(self) -> None:
        """Write table and note; each appears whole or not at all."""
        if self._frames or self._rows:
            _replace(self.csv, self.frame().write_csv(line_terminator="\n"))
            note = asdict(self.note) | {"cpu_seconds": round(self.note.cpu_seconds, 1)}
            _replace(self.json, json.dumps(note, indent=2) + "\n")


def read(path: Path) -> pl.DataFrame:
    """A result table."""
    return pl.read_csv(path, infer_schema_length=None)


def _replace(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    os.replace(part, path)
