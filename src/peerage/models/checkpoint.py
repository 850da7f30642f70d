"""Searches that can be interrupted: a file says how far a fit is, and it is resumed to the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from peerage._files import write_atomically
from peerage.errors import DataError, Problem
from peerage.models.solver.newton import Outcome, minimise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.solver.profile import Profile

    Floats = NDArray[np.float64]

AGAIN = "name another file, or remove this one to start from the beginning"


class Checkpoint(Protocol):
    """Where a long fit, which may have several phases, notes how far it is."""

    def result(self, phase: str) -> dict[str, Any] | None:
        """Of a phase that has ended."""

    def save_result(self, phase: str, result: dict[str, Any]) -> None:
        """The phase has ended."""

    def state(self, phase: str) -> dict[str, Any] | None:
        """How far the search of a phase is."""

    def save_state(self, phase: str, state: dict[str, Any]) -> None:
        """After every step."""


class NoCheckpoint:
    """Implements `Checkpoint`: notes nothing."""

    def result(self, phase: str) -> dict[str, Any] | None:
        return None

    def save_result(self, phase: str, result: dict[str, Any]) -> None:
        pass

    def state(self, phase: str) -> dict[str, Any] | None:
        return None

    def save_state(self, phase: str, state: dict[str, Any]) -> None:
        pass


class SearchResult(NamedTuple):
    """Where a search ended, and what was found out about every grader, the scales first."""

    outcome: Outcome
    by_grader: tuple[Floats, ...]


def search(
    checkpoint: Checkpoint,
    phase: str,
    profile: Callable[[], Profile],
    start: Callable[[], Floats],
    *,
    tol: float,
    max_iter: int,
    with_graders: bool = False,
) -> SearchResult:
    """Minimise; or resume where the checkpoint says, or take the result that it has."""
    if isinstance(checkpoint, NoCheckpoint):
        function = profile()
        outcome = minimise(function, start(), tol=tol, max_iter=max_iter)
        return SearchResult(outcome, function.by_grader() if with_graders else ())
    result = checkpoint.result(phase)
    if result is None:
        function, state = profile(), checkpoint.state(phase)
        outcome = minimise(
            function,
            start() if state is None else state["scores"],
            tol=tol,
            max_iter=max_iter,
            state=state,
            keep=lambda now: checkpoint.save_state(phase, now),
        )
        result = {"scores": outcome.scores, "value": outcome.value, "converged": outcome.converged}
        columns = function.by_grader() if with_graders else ()
        result |= {"n_iter": outcome.n_iter} | {f"graders{k}": column for k, column in enumerate(columns)}
        checkpoint.save_result(phase, result)
    outcome = Outcome(
        result["scores"], float(result["value"]), bool(result["converged"]), int(result["n_iter"])
    )
    names = sorted(name for name in result if name.startswith("graders"))
    return SearchResult(outcome, tuple(result[name] for name in names))


class FileCheckpoint:
    """Implements `Checkpoint` in one file, written whole at every step.

    `job` says what is fitted: a file of another fit is refused, whatever the name of the file.
    """

    def __init__(self, path: str | os.PathLike[str], job: dict[str, Any]) -> None:
        self.path = Path(path)
        text = json.dumps(job, sort_keys=True, default=repr)
        self.job = hashlib.sha256(text.encode()).hexdigest()
        self.kept: dict[str, Any] = self._read() if self.path.exists() else {}

    def _read(self) -> dict[str, Any]:
        try:
            with np.load(self.path, allow_pickle=False) as arrays:
                kept = dict(arrays)
        except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
            raise DataError(
                Problem(f"is no checkpoint that can be read ({error})", fix=AGAIN), source=str(self.path)
            ) from error
        if str(kept.pop("job", "")) != self.job:
            rule = "is the checkpoint of another fit: other feedback, method, parameters or versions"
            raise DataError(Problem(rule, fix=AGAIN), source=str(self.path))
        return kept

    def result(self, phase: str) -> dict[str, Any] | None:
        return self._load(f"done/{phase}/")

    def save_result(self, phase: str, result: dict[str, Any]) -> None:
        """How the search came to that is no longer needed."""
        self._save(f"done/{phase}/", result)

    def state(self, phase: str) -> dict[str, Any] | None:
        return self._load(f"state/{phase}/")

    def save_state(self, phase: str, state: dict[str, Any]) -> None:
        self._save(f"state/{phase}/", state)

    def _load(self, prefix: str) -> dict[str, Any] | None:
        values = {
            name.removeprefix(prefix): value for name, value in self.kept.items() if name.startswith(prefix)
        }
        return values or None

    def _save(self, prefix: str, values: dict[str, Any]) -> None:
        self.kept = {name: value for name, value in self.kept.items() if not name.startswith("state/")}
        self.kept |= {prefix + name: value for name, value in values.items()}
        buffer = io.BytesIO()
        np.savez(buffer, job=np.array(self.job), **self.kept)
        write_atomically(self.path, buffer.getvalue())
