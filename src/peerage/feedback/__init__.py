"""The one container of peer feedback, and how it is built from rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.feedback.arrays import EMPTY_NUMBERS as EMPTY_NUMBERS
    from peerage.feedback.arrays import LONGEST as LONGEST
    from peerage.feedback.arrays import ONLY_TASK as ONLY_TASK
    from peerage.feedback.arrays import TOO_LONG as TOO_LONG
    from peerage.feedback.arrays import Origin as Origin
    from peerage.feedback.arrays import whole_numbers as whole_numbers
    from peerage.feedback.builder import build as build
    from peerage.feedback.choices import Duplicates as Duplicates
    from peerage.feedback.choices import Missing as Missing
    from peerage.feedback.container import Feedback as Feedback
    from peerage.feedback.container import Kind as Kind
    from peerage.feedback.criteria import Criterion as Criterion
    from peerage.feedback.criteria import together as together

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Criterion": "criteria",
        "Duplicates": "choices",
        "EMPTY_NUMBERS": "arrays",
        "Feedback": "container",
        "Kind": "container",
        "LONGEST": "arrays",
        "Missing": "choices",
        "ONLY_TASK": "arrays",
        "Origin": "arrays",
        "TOO_LONG": "arrays",
        "build": "builder",
        "together": "criteria",
        "whole_numbers": "arrays",
    },
)
