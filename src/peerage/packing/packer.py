"""Files into a packed folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from peerage._files import draft_folder
from peerage._version import __version__
from peerage.errors import DataError, DirectionError, Problem
from peerage.feedback.partition import partition_graders, split_feedback
from peerage.packing.writer import Writer, refuse_filled
from peerage.reading.content import Content, Parts, content_of, parts_of
from peerage.reading.options import ReadingOptions
from peerage.reading.packed import Packed, open_packed, packed_at
from peerage.reading.streamed.engine import AT_A_TIME, Cut, stream_parts
from peerage.roster.input import roster_of_reviews, tables_to_pack

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback

Step = Callable[[str], None]


def pack(files: Any, folder: str | os.PathLike[str], **options: Any) -> Packed:
    """Read files once, check and number them, and keep them in a folder of parts.

    Parameters
    ----------
    files : what :func:`peerage.read` takes: a file, or a pattern such as "reviews/*.parquet"; or several
        paths. Files with a row per review are streamed: memory holds one of them, or one part, at a time.
    folder : where to; it is made, and must be empty if it is there.
    **options : those of :func:`peerage.read`.

    Parts are runs of graders, cut as a fit adds them up: by threads of one machine or on a cluster, the sums
    have the same bits. The folder can be read wherever a file can, as in
    ``peerage.fit("packed/")``, with the same result.
    Raises :class:`peerage.DataError` for what :func:`peerage.read` would refuse; nothing is left behind then.
    """
    known = ReadingOptions.table()
    columns = {name: told for name, told in options.items() if name not in known and told is not None}
    plain = {name: told for name, told in options.items() if name in known}
    reading = ReadingOptions(**{**plain, "columns": {**plain.get("columns", {}), **columns}})
    return pack_with(files, folder, reading)


def pack_with(
    files: Any,
    folder: str | os.PathLike[str],
    reading: ReadingOptions,
    *,
    cut: Cut = partition_graders,
    at_a_time: int = AT_A_TIME,
    on_step: Step = lambda step: None,
) -> Packed:
    """What :func:`pack` does, with the options of reading in one object.

    Another ``cut`` makes other parts, of which a fit on a cluster has other last bits; ``at_a_time`` is how
    many reviews, about, are in memory at a time.
    """
    home = Path(folder)
    refuse_filled(home)
    if reading.criteria:
        fix = "pack the column of one of them, or grade the file itself"
        raise DataError(Problem("several criteria cannot be packed", fix=fix))
    source = _source(files)
    with draft_folder(home) as inside:
        (inside / "pieces").mkdir()
        writer = Writer(inside / "packed", home)
        facts = _packed(source, writer, inside / "pieces", reading, cut, at_a_time, on_step)
        people = roster_of_reviews(source, reading.columns, **reading.opening)
        for name, table in ({} if people is None else tables_to_pack(people)).items():
            writer.add_table(name, table)
        writer.finish({**facts, **_provenance(source, reading)})
    return open_packed(home)


def _source(files: Any) -> Parts | Content:
    """Files that can be streamed, or the content of one that cannot."""
    if isinstance(files, list | tuple):
        paths = tuple(os.fspath(path) for path in files)
        for path in paths:
            Path(path).stat()  # one that is not there is told before the others are read
        return Parts(", ".join(paths), paths)
    packed = packed_at(files)
    if packed is not None:
        raise DataError("this folder is packed already", source=str(packed.folder))
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
    cut: Cut,
    at_a_time: int,
    on_step: Step,
) -> dict[str, Any]:
    if isinstance(source, Content):
        return _at_once(reading.read(source), writer, cut)
    try:
        return stream_parts(
            reading.stream(source), writer, pieces, cut=cut, at_a_time=at_a_time, on_step=on_step
        )
    except DirectionError:
        raise
    except DataError:
        if not source.alone:
            raise
    # one file of another layout; or one that reading at once refuses, in words for a single file
    on_step("reading at once")
    writer.forget()
    return _at_once(reading.read(source.paths[0]), writer, cut)


def _at_once(feedback: Feedback, writer: Writer, cut: Cut) -> dict[str, Any]:
    edges = cut(feedback.grader_reviews)
    for first, part in zip(edges.tolist(), split_feedback(feedback, edges), strict=False):
        writer.add_part(part, first)
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
