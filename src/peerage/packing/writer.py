"""The files of a packed folder, written as drafts and put in place together, the manifest last."""

from __future__ import annotations

import io
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._files import move_drafts, naming_file, write_atomically
from peerage.errors import DataError, Problem
from peerage.reading.manifest import MANIFEST, Manifest, PackedFile, PackedPart, why_not_packed

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback

ROWS = 1 << 18  # of a group of rows, which other programs read on its own


@dataclass(slots=True)
class Writer:
    """Writes to a folder of drafts what will be a packed folder."""

    drafts: Path
    folder: Path
    parts: list[PackedPart] = field(default_factory=list)
    tables: dict[str, PackedFile] = field(default_factory=dict)

    def add_part(self, feedback: Feedback, first_grader: int) -> None:
        """The next run of graders, lists by grader: items by their numbers in the whole, graders from 0."""
        name = f"parts/part-{len(self.parts):05d}.parquet"
        file = self._write(name, part_frame(feedback, first_grader))
        counts = (feedback.n_graders, feedback.n_lists, feedback.n_entries)
        self.parts.append(PackedPart(file.file, file.sha256, file.bytes, first_grader, *counts))

    def add_table(self, name: str, frame: pl.DataFrame) -> None:
        """Labels by their numbers, or who made what."""
        self.tables[name] = self._write(f"tables/{name}.parquet", frame)

    def forget(self) -> None:
        """Begin anew."""
        self.parts.clear()
        self.tables.clear()
        shutil.rmtree(self.drafts, ignore_errors=True)

    def finish(self, facts: Mapping[str, Any]) -> Manifest:
        """Put everything in place; until the manifest is there, nobody takes the folder for packed."""
        manifest = Manifest(**facts, tables=self.tables, parts=tuple(self.parts))
        with naming_file(self.folder):
            move_drafts(self.drafts, self.folder)
        write_atomically(self.folder / MANIFEST, manifest.to_bytes())
        return manifest

    def _write(self, name: str, frame: pl.DataFrame) -> PackedFile:
        buffer = io.BytesIO()
        frame.write_parquet(buffer, compression="zstd", statistics=False, row_group_size=ROWS)
        data = buffer.getbuffer()
        path = self.drafts / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with naming_file(self.folder / name, "nothing was packed"):
            path.write_bytes(data)
        return PackedFile(name, sha256(data).hexdigest(), len(data))


def part_frame(feedback: Feedback, first_grader: int) -> pl.DataFrame:
    """A row per review, by grader, list and place in it, with numbers for labels."""
    lists, lengths = feedback.entry_lists, feedback.list_lengths
    opened = np.cumsum(feedback.bucket_starts, dtype=np.int64)
    before = np.append(0, opened)[feedback.list_starts[:-1]]
    columns: dict[str, Any] = {
        "task": np.repeat(feedback.list_tasks, lengths),
        "grader": np.repeat(feedback.list_graders + np.int32(first_grader), lengths),
        "list": lists.astype(np.int32),
        "item": feedback.items,
        "rank": (opened - before[lists]).astype(np.int32),
    }
    if feedback.scores is not None:
        columns["score"] = feedback.scores
    if feedback.weights is not None:
        columns["weight"] = feedback.weights[lists]
    if feedback.list_labels is not None:
        columns["list_label"] = feedback.list_labels.gather(lists)
    return pl.DataFrame(columns)


def refuse_filled(folder: Path) -> None:
    """Refuse a place that is taken: nothing is written over, and nothing else belongs there."""
    if folder.exists() and not folder.is_dir():
        raise DataError(Problem("this is a file", fix="name a new folder"), source=str(folder))
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    fix = "name a new folder, or empty this one"
    if (folder / MANIFEST).is_file():
        raise DataError(Problem("there is a packed folder already", fix=fix), source=str(folder))
    interrupted = "interrupted" in why_not_packed(folder).rule
    rule = "packing was interrupted here" if interrupted else "the folder is not empty"
    raise DataError(Problem(rule, fix=fix), source=str(folder))
