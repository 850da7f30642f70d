"""What packing and reading at once make of the same files, side by side."""

from __future__ import annotations

import numpy as np

import peerage
from peerage import DataError

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


def assert_same(files, folder, *, reviews_per_part=3, **options):
    """Packing gives what reading gives, or refuses it in the same words; then nothing is left behind."""
    whole = told(lambda: peerage.read(files, **options))
    packed = told(lambda: peerage.pack(files, folder, reviews_per_part=reviews_per_part, **options))
    if isinstance(whole, tuple):
        assert packed == whole
        assert not folder.exists()
        return None
    assert not isinstance(packed, tuple), packed
    assert differences(packed.feedback(), whole) == []
    _assert_parts(packed, whole)
    return packed


def _assert_parts(packed, whole):
    """Each part is the lists of its graders; together they are all lists."""
    assert packed.parts[0].first_grader == 0
    assert sum(part.lists for part in packed.parts) == whole.n_lists
    for which, part in enumerate(packed.parts):
        read = packed.read(which)
        wanted = np.arange(part.first_grader, part.first_grader + part.graders)
        same = whole.for_graders(wanted)
        assert read.grader_labels.to_list() == whole.grader_labels[wanted].to_list()
        assert read.item_labels.to_list() == whole.item_labels.to_list()
        assert (read.list_graders + part.first_grader).tolist() == same.list_graders.tolist()
        for name in ("items", "opens", "list_starts", "list_tasks", "item_tasks", "scores", "weights"):
            assert _same_array(getattr(read, name), getattr(same, name)), name
