"""Packing: feedback larger than memory, read once and kept in parts that can be read on their own."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._files import draft_folder, move_drafts, naming_file, write_atomically
from peerage._version import __version__
from peerage.errors import DataError, OpenQuestion, Problem
from peerage.feedback.partition import partition_graders, split_feedback
from peerage.reading.batches import BATCH, BatchedFeedback, Cut, OnStep
from peerage.reading.content import Content, FileSet, content_of, file_set_of
from peerage.reading.file_sets import FileSetReader
from peerage.reading.formats import check_format
from peerage.reading.packed import (
    MANIFEST,
    Manifest,
    Packed,
    PackedFile,
    PackedPart,
    open_packed,
    packed_at,
    why_not_packed,
)
from peerage.reading.reader import read
from peerage.reading.reading import Reading, complete_reading
from peerage.roster.input import roster_of_reviews, tables_to_pack

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback

ROW_GROUP = 1 << 18  # rows of a Parquet file that other programs read on their own


def pack(files: Any, folder: str | os.PathLike[str], **options: Any) -> Packed:
    """Read files once, check and number them, and keep them in a folder of parts.

    Parameters
    ----------
    files : what :func:`peerage.read` takes: a file, or a pattern such as ``"reviews/*.parquet"``; or several
        paths. Files with a row per review are streamed: memory holds one of them, or one part, at a time.
    folder : where to; it is made, and must be empty if it is there.
    **options : those of :func:`peerage.read`.

    Parts are runs of graders, cut as a fit adds them up: by threads of one machine or on a cluster, the sums
    have the same bits. The folder can be read wherever a file can, as in
    ``peerage.fit("packed/")``, with the same result.
    Raises :class:`peerage.DataError` for what :func:`peerage.read` would refuse; nothing is left behind then.
    """
    known = Reading.table()
    columns = {name: value for name, value in options.items() if name not in known and value is not None}
    plain = {name: value for name, value in options.items() if name in known}
    reading = Reading(**{**plain, "columns": {**plain.get("columns", {}), **columns}})
    return pack_with(files, folder, reading)


def pack_with(
    files: Any,
    folder: str | os.PathLike[str],
    reading: Reading,
    *,
    cut: Cut = partition_graders,
    batch: int = BATCH,
    on_step: OnStep = lambda step: None,
) -> Packed:
    """What :func:`pack` does, with the options of reading in one object.

    Another ``cut`` makes other parts, of which a fit on a cluster has other last bits; ``batch`` is how many
    reviews, about, are worked on at a time.
    """
    reading.check()
    check_format(reading.format)
    target = Path(folder)
    _refuse_filled(target)
    if reading.criteria:
        fix = "pack the column of one of them, or grade the file itself"
        raise DataError(Problem("several criteria cannot be packed", fix=fix))
    source = _source(files)
    with draft_folder(target) as inside:
        (inside / "rows").mkdir()
        writer = _FolderWriter(inside / "packed", target)
        if isinstance(source, Content):
            feedback: Feedback | BatchedFeedback = read(source, reading=reading)
        else:
            feedback = _read(source, inside / "rows", reading, cut, batch, on_step)
        complete = _complete(feedback, reading)
        on_step("writing parts")
        writer.add_parts(_parts(feedback, cut))
        writer.add_labels(feedback)
        roster = roster_of_reviews(source, complete)
        for name, table in ({} if roster is None else tables_to_pack(roster)).items():
            writer.add_table(name, table)
        provenance = _provenance(source, complete)
        said = feedback.describe(complete) if isinstance(feedback, BatchedFeedback) else feedback.sentences
        facts = {"direction": feedback.direction, "notes": feedback.notes, "sentences": said}
        writer.finish({**provenance, **facts})
    return open_packed(target)


def _source(files: Any) -> FileSet | Content:
    """Files that can be read in batches, or the content of one that cannot."""
    if isinstance(files, list | tuple):
        paths = tuple(os.fspath(path) for path in files)
        for path in paths:
            Path(path).stat()  # one that is not there is told before the others are read
        return FileSet(", ".join(paths), paths)
    packed = packed_at(files)
    if packed is not None:
        raise DataError("this folder is packed already", source=str(packed.folder))
    file_set = file_set_of(files)
    if file_set is not None:
        return file_set
    if isinstance(files, str | os.PathLike) and os.fspath(files) != "-":
        path = os.fspath(files)
        return FileSet(path, (path,), is_single=True)
    return content_of(files)


def _read(
    files: FileSet, rows: Path, reading: Reading, cut: Cut, batch: int, on_step: OnStep
) -> Feedback | BatchedFeedback:
    try:
        return BatchedFeedback(FileSetReader(files, reading), rows, cut=cut, batch=batch, on_step=on_step)
    except DataError as error:
        if not files.is_single and not isinstance(error, OpenQuestion):
            raise
    # one file of another layout; or what reading at once refuses, or asks, in words for a single file
    on_step("reading at once")
    return read(files.paths[0] if files.is_single else files, reading=reading)


def _complete(feedback: Feedback | BatchedFeedback, reading: Reading) -> Reading:
    """How the files were read, with nothing left open."""
    if isinstance(feedback, BatchedFeedback):
        return complete_reading(reading, feedback.said, feedback.direction)
    return feedback.reading or reading


def _parts(feedback: Feedback | BatchedFeedback, cut: Cut) -> Iterable[tuple[int, Feedback]]:
    if isinstance(feedback, BatchedFeedback):
        return feedback.parts()
    edges = cut(feedback.grader_reviews)
    return zip(edges.tolist(), split_feedback(feedback, edges), strict=False)


def _provenance(source: FileSet | Content, reading: Reading) -> dict[str, Any]:
    name, digest = Path(source.name or "").name, source.sha256
    files = [(name, digest)]
    if isinstance(source, FileSet):
        files = [(path, source.digests[path]) for path in source.paths]
    return {
        "peerage": __version__,
        "reading": reading.to_dict(),
        "source": {**({"file": name} if name else {}), "sha256": digest},
        "files": tuple({"file": file, "sha256": its_digest} for file, its_digest in files),
    }


def _refuse_filled(folder: Path) -> None:
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


@dataclass(slots=True)
class _FolderWriter:
    """Writes what will be a packed folder as drafts, and puts them in place together, the manifest last."""

    drafts: Path
    folder: Path
    parts: list[PackedPart] = field(default_factory=list)
    tables: dict[str, PackedFile] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def add_parts(self, parts: Iterable[tuple[int, Feedback]]) -> None:
        """Runs of graders, each with the number of the first, as feedback whose graders count from 0."""
        facts: dict[str, Any] = dict.fromkeys(("scores", "weights", "list_labels"), False)
        for first_grader, part in parts:
            file = self._write(f"parts/part-{len(self.parts):05d}.parquet", part_frame(part, first_grader))
            counts = (part.n_graders, part.n_lists, part.n_entries)
            self.parts.append(PackedPart(file.file, file.sha256, file.bytes, first_grader, *counts))
            facts = {name: facts[name] or getattr(part, name) is not None for name in facts}
            self.facts["ordered_by"] = part.ordered_by
        lists, reviews = sum(part.lists for part in self.parts), sum(part.reviews for part in self.parts)
        self.facts |= {**facts, "lists": lists, "reviews": reviews}

    def add_labels(self, feedback: Feedback | BatchedFeedback) -> None:
        items = pl.DataFrame({"task": feedback.item_tasks, "item": feedback.item_labels})
        tables = {
            "items": items,
            "graders": pl.DataFrame({"grader": feedback.grader_labels}),
            "tasks": pl.DataFrame({"task": feedback.task_labels}),
        }
        for name, table in tables.items():
            self.add_table(name, table)
            self.facts[name] = len(table)

    def add_table(self, name: str, table: pl.DataFrame) -> None:
        self.tables[name] = self._write(f"tables/{name}.parquet", table)

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Put everything in place; until the manifest is there, nobody takes the folder for packed."""
        manifest = Manifest(**self.facts, **facts, tables=self.tables, parts=tuple(self.parts))
        with naming_file(self.folder):
            move_drafts(self.drafts, self.folder)
        write_atomically(self.folder / MANIFEST, manifest.to_bytes())

    def _write(self, name: str, frame: pl.DataFrame) -> PackedFile:
        buffer = io.BytesIO()
        frame.write_parquet(buffer, compression="zstd", statistics=False, row_group_size=ROW_GROUP)
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
