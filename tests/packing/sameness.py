"""What packing and reading at once make of the same files, side by side."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl

import peerage
from peerage import DataError
from peerage.feedback.partition import partition_graders, split_feedback
from peerage.packing.packer import pack_with
from peerage.reading.content import parts_of
from peerage.reading.options import ReadingOptions
from peerage.reading.streamed.gathering import read_streamed

FIELDS = (
    "items", "bucket_starts", "list_starts", "list_graders", "list_tasks", "item_tasks", "scores", "weights",
    "item_labels", "grader_labels", "task_labels", "list_labels", "ordered_by", "notes", "direction", "kind",
)  # fmt: skip


def told(work):
    """What a call returns, or what it complains of."""
    try:
        return work()
    except DataError as error:
        return type(error), str(error), error.total


def differences(one, other):
    """The fields in which two feedbacks differ in any bit."""
    return [name for name in FIELDS if plain(getattr(one, name)) != plain(getattr(other, name))]


def plain(value):
    if isinstance(value, np.ndarray):
        return value.dtype, value.tobytes()
    return value.to_list() if isinstance(value, pl.Series) else value


def pack_small(files, folder, *, reviews_per_part=3, **options):
    """Packed into parts of so few reviews that small files have several; two ranges make a part."""
    cut = partial(partition_graders, small=0, parts=1, largest=reviews_per_part)
    return pack_with(files, folder, reading_of(options), cut=cut, at_a_time=(reviews_per_part + 1) // 2)


def reading_of(options):
    """Options as one object; what is none names a column."""
    known = ReadingOptions.table()
    columns = {name: told for name, told in options.items() if name not in known}
    return ReadingOptions(**{name: told for name, told in options.items() if name in known}, columns=columns)


def assert_same(files, folder, *, reviews_per_part=3, **options):
    """Packing gives what reading gives, or refuses it in the same words; then nothing is left behind."""
    whole = told(lambda: peerage.read(files, **options))
    parts = parts_of(files)
    if parts is not None:  # read range by range, too
        stream = reading_of(options).stream(parts)
        streamed = told(lambda: read_streamed(stream, (reviews_per_part + 1) // 2))
        assert isinstance(streamed, tuple) == isinstance(whole, tuple), streamed
        assert streamed == whole if isinstance(whole, tuple) else differences(streamed, whole) == []
    packed = told(lambda: pack_small(files, folder, reviews_per_part=reviews_per_part, **options))
    if isinstance(whole, tuple):
        assert packed == whole
        assert not folder.exists()
        return None
    assert not isinstance(packed, tuple), packed
    assert differences(packed.feedback(), whole) == []
    edges = np.append([part.first_grader for part in packed.parts], whole.n_graders)
    for which, part in enumerate(split_feedback(whole, edges)):  # those that a fit is cut into
        counts = packed.parts[which]
        found = (counts.graders, counts.lists, counts.reviews)
        assert found == (part.n_graders, part.n_lists, part.n_entries)
        assert [name for name in differences(packed.read(which), part) if name != "notes"] == []
    return packed
