"""What packing and reading at once make of the same files, side by side."""

from __future__ import annotations

from functools import partial

import numpy as np

import peerage
from peerage import DataError
from peerage.feedback import grader_runs, parts_of_feedback
from peerage.packing import pack_with
from peerage.reading import ReadingOptions, parts_of
from peerage.reading.streamed import read_streamed

ARRAYS = (
    "items", "opens", "list_starts", "list_graders", "list_tasks", "item_tasks", "scores", "weights",
)  # fmt: skip
LABELS = ("item_labels", "grader_labels", "task_labels", "list_labels")


def told(work):
    """What a call returns, or what it complains of."""
    try:
        return work()
    except DataError as error:
        return type(error), str(error), error.total


def differences(one, other):
    """The fields in which two feedbacks differ in any bit."""
    found = [name for name in ARRAYS if not _same_array(getattr(one, name), getattr(other, name))]
    for name in LABELS:
        left, right = getattr(one, name), getattr(other, name)
        if (None if left is None else left.to_list()) != (None if right is None else right.to_list()):
            found.append(name)
    return found + [
        name
        for name in ("ordered_by", "notes", "direction", "kind")
        if getattr(one, name) != getattr(other, name)
    ]


def _same_array(left, right):
    if left is None or right is None:
        return left is right
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


def pack_small(files, folder, *, reviews_per_part=3, **options):
    """Packed into parts of so few reviews that small files have several; two ranges make a part."""
    cut = partial(grader_runs, small=0, parts=1, largest=reviews_per_part)
    return pack_with(files, folder, reading_of(options), cut=cut, at_a_time=(reviews_per_part + 1) // 2)


def assert_streamed(files, whole, at_a_time, options):
    """Parts read range by range are what they are at once, too."""
    parts = parts_of(files)
    if parts is None:
        return
    stream = reading_of(options).stream(parts)
    streamed = told(lambda: read_streamed(stream, at_a_time))
    assert isinstance(streamed, tuple) == isinstance(whole, tuple), streamed
    assert streamed == whole if isinstance(whole, tuple) else differences(streamed, whole) == []


def reading_of(options):
    """Options as one object; what is none names a column."""
    known = ReadingOptions.table()
    columns = {name: told for name, told in options.items() if name not in known}
    return ReadingOptions(**{name: told for name, told in options.items() if name in known}, columns=columns)


def assert_same(files, folder, *, reviews_per_part=3, **options):
    """Packing gives what reading gives, or refuses it in the same words; then nothing is left behind."""
    whole = told(lambda: peerage.read(files, **options))
    assert_streamed(files, whole, (reviews_per_part + 1) // 2, options)
    packed = told(lambda: pack_small(files, folder, reviews_per_part=reviews_per_part, **options))
    if isinstance(whole, tuple):
        assert packed == whole
        assert not folder.exists()
        return None
    assert not isinstance(packed, tuple), packed
    assert differences(packed.feedback(), whole) == []
    _assert_parts(packed, whole)
    return packed


def _assert_parts(packed, whole):
    """The parts are those that a fit of the whole is cut into."""
    firsts = [part.first_grader for part in packed.parts]
    edges = np.append(firsts, whole.n_graders)
    for which, part in enumerate(parts_of_feedback(whole, edges)):
        read = packed.read(which)
        counts = packed.parts[which]
        assert (counts.graders, counts.lists, counts.reviews) == (
            part.n_graders, part.n_lists, part.n_entries,
        )  # fmt: skip
        assert [name for name in differences(read, part) if name != "notes"] == []
