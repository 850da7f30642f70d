"""Feedback from the rows of a file, with what is known of where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from peerage.feedback.arrays import arrays_from
from peerage.feedback.cells import Origin
from peerage.feedback.choices import Duplicates, Ids, Missing
from peerage.feedback.container import Feedback
from peerage.feedback.direction import Direction, Orient


def build(
    columns: Mapping[str, Any],
    *,
    origin: Origin | None = None,
    duplicates: Duplicates = "error",
    missing: Missing = "error",
    notes: tuple[str, ...] = (),
    orient: Orient | None = None,
    ids: Ids = "exact",
    direction: Direction | None = None,
) -> Feedback:
    """Build a Feedback from columns named task, grader, list, item, rank, score, weight.

    Numbers of which it is not known which way they run are a column `value`; ``orient`` says what they are.
    It may also have another opinion on a rank or a score. Without it, ``direction`` is what is known.
    """
    fields = arrays_from(
        columns, origin=origin, duplicates=duplicates, missing=missing, notes=notes, orient=orient, ids=ids
    )
    return Feedback(**{"direction": direction, **fields})
