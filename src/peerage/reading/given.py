"""Feedback, or whatever it can be read from."""

from __future__ import annotations

from typing import Any

from peerage.feedback.container import Feedback
from peerage.reading.reader import read


def feedback_of(given: Any) -> Feedback:
    """Feedback as it is; a file or a table is read, as :func:`peerage.read` does without being told more."""
    return given if isinstance(given, Feedback) else read(given)
