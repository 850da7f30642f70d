"""Files into a packed folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._version import __version__
from peerage._whole import drafts
from peerage.errors import DataError, DirectionError, Problem
from peerage.packing.cutting import runs_of_graders
from peerage.packing.streaming import pack_stream
from peerage.packing.writer import Writer, refuse_filled
from peerage.reading import Content, Packed, Parts, ReadingOptions, content_of, open_packed, parts_of

if TYPE_CHECKING:
    from peerage.feedback import Feedback

PART = 1_000_000  # reviews of a part
Step = Callable[[str], None]


def pack(
    files: Any, folder: str | os.PathLike[str], *, reviews_per_part: int = PART, **options: Any
) -> Packed:
    """Read files once, check and number them, and keep them in a folder of parts.

    Parameters
    ----------
    files : what :func:`peerage.read` takes: a file, or a pattern such as "reviews/*.parquet"; or several
        paths. Files with a row per review are streamed: memory holds one of them, or one part, at a time.
    folder : where to; it is made, and must be empty if it is there.
    reviews_per_part : about how many reviews a part holds. Parts are runs of graders.
    **options : those of :func:`peerage.read`.

    The folder can be read wherever a file can, as in ``peerage.fit("packed/")``, with the same result.
    Raises :class:`peerage.DataError` for what :func:`peerage.read` would refuse; nothing is left behind then.
    """
    known = ReadingOptions.table()
    columns = {name: told for name, told in options.items() if name not in known and told is not None}
    plain = {name: told for name, told in options.items() if name in known}
    reading = ReadingOptions(**{**plain, "columns": {**plain.get("columns", {}), **columns}})
    return pack_with(files, folder, reading, reviews_per_part=reviews_per_part)


def pack_with(
    files: Any,
    folder: str | os.PathLike[str],
    reading: ReadingOptions,
    *,
    reviews_per_part: int = PART,
    on_step: Step = lambda step: None,
) -> Packed:
    """What :func:`pack` does, with the options of reading in one object."""
    home = Path(folder)
    refuse_filled(home)
    if reviews_per_part < 1:
        raise DataError(f"a part holds 1 review or more, not {reviews_per_part}")
    if reading.criteria:
        fix = "pack the column of one of them, or grade the file itself"
        raise DataError(Problem("several criteria cannot be packed", fix=fix))
    source = _source(files)
    with drafts(home) as inside:
        (inside / "pieces").mkdir()
        writer = Writer(inside / "packed", home)
        facts = _packed(source, writer, inside / "pieces", reading, reviews_per_part, on_step)
        writer.finish({**facts, **_provenance(source, reading)})
    return open_packed(home)


def _source(files: Any) -> Parts | Content:
    """Files that can be streamed, or the content of one that cannot."""
    if isinstance(files, list | tuple):
        paths = tuple(os.fspath(path) for path in files)
        return Parts(", ".join(paths), paths)
    parts = parts_of(files)
    if parts is not None:
        return parts
    if isinstance(files, str | os.PathLike) and os.fspath(files) != "-":
        path = os.fspath(files)
        return Parts(path, (path,), alone=True)
    return content_of(files)


def _packed(
    source: Parts | Content,
    writer: Writer,
    pieces: Path,
    reading: ReadingOptions,
    reviews_per_part: int,
    on_step: Step,
) -> dict[str, Any]:
    if isinstance(source, Content):
        return _at_once(reading.read(source), writer, reviews_per_part)
    try:
        return pack_stream(reading.stream(source), writer, pieces, reviews_per_part, on_step)
    except DirectionError:
        raise
    except DataError:
        if not source.alone:
            raise
    # one file of another layout; or one that reading at once refuses, in words for a single file
    on_step("reading at once")
    writer.forget()
    return _at_once(reading.read(source.paths[0]), writer, reviews_per_part)


def _at_once(feedback: Feedback, writer: Writer, reviews_per_part: int) -> dict[str, Any]:
    starts = runs_of_graders(feedback.grader_reviews, reviews_per_part)
    for low, high in pairwise(starts.tolist()):
        writer.add_part(_run(feedback, low, high), low)
    writer.add_table("items", pl.DataFrame({"task": feedback.item_tasks, "item": feedback.item_labels}))
    writer.add_table("graders", pl.DataFrame({"grader": feedback.grader_labels}))
    writer.add_table("tasks", pl.DataFrame({"task": feedback.task_labels}))
    return {
        "items": feedback.n_items,
        "graders": feedback.n_graders,
        "tasks": feedback.n_tasks,
        "lists": feedback.n_lists,
        "reviews": feedback.n_entries,
        "ordered_by": feedback.ordered_by,
        "scores": feedback.scores is not None,
        "weights": feedback.weights is not None,
        "list_labels": feedback.list_labels is not None,
        "direction": feedback.direction,
        "notes": feedback.notes,
    }


def _run(feedback: Feedback, low: int, high: int) -> Feedback:
    inside = (feedback.list_graders >= low) & (feedback.list_graders < high)
    part = feedback.take_lists(np.flatnonzero(inside))
    return replace(
        part,
        list_graders=part.list_graders - np.int32(low),
        grader_labels=feedback.grader_labels[low:high],
    )


def _provenance(source: Parts | Content, reading: ReadingOptions) -> dict[str, Any]:
    name = Path(source.name or "").name
    paths = source.paths if isinstance(source, Parts) else ()
    digest = source.sha256
    return {
        "peerage": __version__,
        "reading": reading.to_dict(),
        "source": {**({"file": name} if name else {}), "sha256": digest},
        "files": tuple({"file": path, "sha256": source.digests[path]} for path in paths)  # type: ignore[union-attr]
        if paths
        else ({"file": name, "sha256": digest},),
    }
