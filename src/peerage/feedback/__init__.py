"""The one container of peer feedback, and how it is built from rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.feedback.arrays import FOLDED as FOLDED
    from peerage.feedback.arrays import LONGEST as LONGEST
    from peerage.feedback.arrays import ONLY_TASK as ONLY_TASK
    from peerage.feedback.arrays import TOO_LONG as TOO_LONG
    from peerage.feedback.builder import build as build
    from peerage.feedback.cells import EMPTY_NUMBERS as EMPTY_NUMBERS
    from peerage.feedback.cells import NUMBERS as NUMBERS
    from peerage.feedback.cells import Complaints as Complaints
    from peerage.feedback.cells import Origin as Origin
    from peerage.feedback.cells import parsed_numbers as parsed_numbers
    from peerage.feedback.cells import series_of as series_of
    from peerage.feedback.cells import whole_numbers as whole_numbers
    from peerage.feedback.choices import Duplicates as Duplicates
    from peerage.feedback.choices import Ids as Ids
    from peerage.feedback.choices import Missing as Missing
    from peerage.feedback.comparisons import Compared as Compared
    from peerage.feedback.comparisons import from_comparisons as from_comparisons
    from peerage.feedback.container import Feedback as Feedback
    from peerage.feedback.container import Kind as Kind
    from peerage.feedback.criteria import Criterion as Criterion
    from peerage.feedback.criteria import together as together
    from peerage.feedback.cut import grader_runs as grader_runs
    from peerage.feedback.cut import parts_of_feedback as parts_of_feedback
    from peerage.feedback.direction import DecidedBy as DecidedBy
    from peerage.feedback.direction import Decision as Decision
    from peerage.feedback.direction import Direction as Direction
    from peerage.feedback.direction import Numbers as Numbers
    from peerage.feedback.direction import Orient as Orient
    from peerage.feedback.folding import alike as alike
    from peerage.feedback.folding import fold_key as fold_key
    from peerage.feedback.folding import spellings as spellings
    from peerage.feedback.notes import joined_note as joined_note
    from peerage.feedback.notes import missing_note as missing_note
    from peerage.feedback.notes import repeated_note as repeated_note
    from peerage.feedback.numbering import Coded as Coded
    from peerage.feedback.numbering import coded_labels as coded_labels
    from peerage.feedback.numbering import codes_of as codes_of
    from peerage.feedback.numbering import used_only as used_only

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Coded": "numbering",
        "Compared": "comparisons",
        "Complaints": "cells",
        "NUMBERS": "cells",
        "parsed_numbers": "cells",
        "Criterion": "criteria",
        "DecidedBy": "direction",
        "Decision": "direction",
        "Direction": "direction",
        "Duplicates": "choices",
        "EMPTY_NUMBERS": "cells",
        "FOLDED": "arrays",
        "Feedback": "container",
        "Ids": "choices",
        "Kind": "container",
        "LONGEST": "arrays",
        "Missing": "choices",
        "Numbers": "direction",
        "ONLY_TASK": "arrays",
        "Orient": "direction",
        "Origin": "cells",
        "TOO_LONG": "arrays",
        "alike": "folding",
        "build": "builder",
        "fold_key": "folding",
        "coded_labels": "numbering",
        "codes_of": "numbering",
        "from_comparisons": "comparisons",
        "joined_note": "notes",
        "missing_note": "notes",
        "repeated_note": "notes",
        "series_of": "cells",
        "spellings": "folding",
        "grader_runs": "cut",
        "parts_of_feedback": "cut",
        "together": "criteria",
        "used_only": "numbering",
        "whole_numbers": "cells",
    },
)
