"""Many files as one feedback in memory, which holds little more than its arrays on the way."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from peerage.feedback.container import Feedback
from peerage.reading.streamed.engine import AT_A_TIME, stream_parts

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from peerage.reading.parts import PartStream


@dataclass(slots=True)
class _Gathered:
    """Parts and labels, kept."""

    parts: list[Feedback] = field(default_factory=list)
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)

    def add_part(self, feedback: Feedback, first_grader: int) -> None:
        """The next run of graders."""
        self.parts.append(feedback)

    def add_table(self, name: str, frame: pl.DataFrame) -> None:
        """Labels by their numbers."""
        self.tables[name] = frame


def read_streamed(stream: PartStream, at_a_time: int = AT_A_TIME) -> Feedback:
    """The feedback of all parts: what building it from all rows at once gives.

    Rows wait in a folder for temporary files, where ``TMPDIR`` says, which needs room for 40 bytes a review.
    """
    found = _Gathered()
    with _aside() as folder:
        facts = stream_parts(stream, found, folder, cut=_whole, at_a_time=at_a_time)
    whole = found.parts.pop()
    if len(found.tables["tasks"]) > 1:  # lists are sorted by task first
        whole = whole.take_lists(np.argsort(whole.list_tasks, kind="stable"))
    return replace(
        whole,
        item_tasks=found.tables["items"]["task"].to_numpy(writable=True),
        item_labels=found.tables["items"]["item"].alias(""),
        grader_labels=found.tables["graders"]["grader"].alias(""),
        task_labels=found.tables["tasks"]["task"].alias(""),
        direction=facts["direction"],
        notes=facts["notes"],
    )


@contextmanager
def _aside() -> Iterator[Path]:
    """A folder for rows that wait, gone afterwards; where it is full, how to have it elsewhere."""
    with tempfile.TemporaryDirectory(prefix="peerage-") as folder:
        try:
            yield Path(folder)
        except OSError as error:
            if not str(error.filename).startswith(folder):
                raise
            told = f"{error.strerror}; the variable TMPDIR names another place"
            raise OSError(error.errno, told, error.filename) from error


def _whole(reviews: NDArray[np.int64]) -> NDArray[np.int64]:
    """All graders in one part."""
    return np.array([0, len(reviews)])
