"""Several criteria: a column of scores for each, read one by one and put together by their weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from peerage.errors import DataError
from peerage.feedback.container import Feedback
from peerage.feedback.criteria import Criterion, together
from peerage.reading.content import content_of
from peerage.reading.frames import is_frame
from peerage.reading.weights import Weights, parse_criteria


def read_criteria(source: Any, criteria: Weights, how: Mapping[str, Any]) -> Feedback:
    """The feedback by all criteria together, with each on its own beside it."""
    from peerage.reading.reader import read

    weights = parse_criteria(criteria)
    told = {**how, "rank": "", "format": "long" if how.get("format", "auto") == "auto" else how["format"]}
    content = source if is_frame(source) else content_of(source)
    each = tuple(
        Criterion(name, weight, _only_scores(read(content, **{**told, "score": name}), name))
        for name, weight in weights.items()
    )
    whole, notes = together(each)
    feedback = Feedback.from_columns(**whole.to_dict())
    kept = [
        note for note in each[0].feedback.notes if not note.startswith(("column ignored", "columns ignored"))
    ]
    names = ", ".join(f"{name} ({weight:g})" for name, weight in weights.items())
    return replace(
        feedback,
        criteria=each,
        direction=each[0].feedback.direction,
        notes=(*kept, f"graded by the criteria {names}", *notes),
    )


def _only_scores(feedback: Feedback, name: str) -> Feedback:
    if feedback.scores is None or feedback.ordered_by != "score":
        raise DataError(
            f"the criterion {name!r} holds ranks, and only scores (larger is better) can be averaged over"
            " criteria"
        )
    return feedback
