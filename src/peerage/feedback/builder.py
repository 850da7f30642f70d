"""Feedback from the rows of a file, with what is known of where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from peerage.feedback.arrays import Origin, arrays_from
from peerage.feedback.choices import Duplicates, Missing
from peerage.feedback.container import Feedback


def build(
    columns: Mapping[str, Any],
    *,
    origin: Origin | None = None,
    duplicates: Duplicates = "error",
    missing: Missing = "error",
    notes: tuple[str, ...] = (),
) -> Feedback:
    """Build a Feedback from columns named task, grader, list, item, rank, score, weight."""
    fields = arrays_from(columns, origin=origin, duplicates=duplicates, missing=missing, notes=notes)
    return Feedback(**fields)
