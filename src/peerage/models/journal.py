"""A checkpoint: a file that says how far a fit is, from which another process goes on to the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from peerage._files import write_atomically
from peerage.errors import DataError, Problem

AGAIN = "name another file, or remove this one to start from the beginning"


class FileJournal:
    """Implements `Journal` in one file, written whole at every step.

    `job` says what is fitted: a file of another fit is refused, whatever the name of the file.
    """

    def __init__(self, path: str | os.PathLike[str], job: dict[str, Any]) -> None:
        self.path = Path(path)
        text = json.dumps(job, sort_keys=True, default=repr)
        self.job = hashlib.sha256(text.encode()).hexdigest()
        self.kept: dict[str, Any] = self._read() if self.path.exists() else {}

    def _read(self) -> dict[str, Any]:
        try:
            with np.load(self.path, allow_pickle=False) as found:
                kept = dict(found)
        except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
            raise DataError(
                Problem(f"is no checkpoint that can be read ({error})", fix=AGAIN), source=str(self.path)
            ) from error
        if str(kept.pop("job", "")) != self.job:
            rule = "is the checkpoint of another fit: other feedback, method, parameters or versions"
            raise DataError(Problem(rule, fix=AGAIN), source=str(self.path))
        return kept

    def finished(self, phase: str) -> dict[str, Any] | None:
        """What came of a phase of the fit, where it has ended."""
        return self._part(f"done/{phase}/")

    def finish(self, phase: str, found: dict[str, Any]) -> None:
        """Note what came of it; how it came to that is no longer needed."""
        self.kept = {name: value for name, value in self.kept.items() if not name.startswith("state/")}
        self._keep(f"done/{phase}/", found)

    def state(self, phase: str) -> dict[str, Any] | None:
        """How far the search of a phase is."""
        return self._part(f"state/{phase}/")

    def keep(self, phase: str, state: dict[str, Any]) -> None:
        """Note that."""
        self.kept = {name: value for name, value in self.kept.items() if not name.startswith("state/")}
        self._keep(f"state/{phase}/", state)

    def _part(self, prefix: str) -> dict[str, Any] | None:
        found = {
            name.removeprefix(prefix): value for name, value in self.kept.items() if name.startswith(prefix)
        }
        return found or None

    def _keep(self, prefix: str, values: dict[str, Any]) -> None:
        self.kept |= {prefix + name: value for name, value in values.items()}
        room = io.BytesIO()
        np.savez(room, job=np.array(self.job), **self.kept)
        write_atomically(self.path, room.getvalue())
