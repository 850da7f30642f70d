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
from peerage.packing.cutting import runs_of_graders
from peerage.packing.writer import Writer, refuse_filled
from peerage.reading import Packed, ReadingOptions, content_of, open_packed, parts_of

if TYPE_CHECKING:
    from peerage.feedback import Feedback

PART = 1_000_000  # reviews of a part


def pack(
    files: Any, folder: str | os.PathLike[str], *, reviews_per_part: int = PART, **options: Any
) -> Packed:
    """Read files once, check and number them, and keep them in a folder of parts.

    Parameters
    ----------
    files : what :func:`peerage.read` takes: a file, or a pattern such as "reviews/*.parquet".
    folder : where to; it is made, and must be empty if it is there.
    reviews_per_part : about how many reviews a part holds. Parts are runs of graders.
    **options : those of :func:`peerage.read`.

    The folder can be read wherever a file can: ``peerage.fit("packed/")``.
    """
    columns = {name: options.pop(name) for name in [*options] if name not in ReadingOptions.table()}
    given = {**options, "columns": {**options.get("columns", {}), **columns}}
    return pack_with(files, folder, ReadingOptions(**given), reviews_per_part=reviews_per_part)


def pack_with(
    files: Any,
    folder: str | os.PathLike[str],
    reading: ReadingOptions,
    *,
    reviews_per_part: int = PART,
    on_step: Callable[[str], None] = lambda step: None,
) -> Packed:
    """What :func:`pack` does, with the options of reading in one object."""
    home = Path(folder)
    refuse_filled(home)
    source = parts_of(files) or content_of(files)
    feedback = reading.read(source)
    told = {"file": Path(source.name or "").name, "sha256": source.sha256}
    with drafts(home) as inside:
        writer = Writer(inside, home)
        starts = runs_of_graders(feedback.grader_reviews, reviews_per_part)
        for low, high in pairwise(starts.tolist()):
            writer.add_part(_run(feedback, low, high), low)
        items = {"task": feedback.item_tasks, "item": feedback.item_labels}
        writer.add_table("items", pl.DataFrame(items))
        writer.add_table("graders", pl.DataFrame({"grader": feedback.grader_labels}))
        writer.add_table("tasks", pl.DataFrame({"task": feedback.task_labels}))
        writer.finish({**_facts(feedback), "reading": reading.to_dict(), "source": told, "files": ()})
    return open_packed(home)


def _run(feedback: Feedback, low: int, high: int) -> Feedback:
    part = feedback.take_lists(
        np.flatnonzero((feedback.list_graders >= low) & (feedback.list_graders < high))
    )
    return replace(
        part,
        list_graders=part.list_graders - np.int32(low),
        grader_labels=feedback.grader_labels[low:high],
    )


def _facts(feedback: Feedback) -> dict[str, Any]:
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
        "peerage": __version__,
    }
