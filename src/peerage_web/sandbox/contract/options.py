"""How a file is to be read and graded: what the form, the API and the database pass around."""

from __future__ import annotations

from dataclasses import dataclass

from peerage.grading.options import GradingOptions
from peerage.grading.output.books import BookOptions
from peerage.reading.options import ReadingOptions


@dataclass(frozen=True, kw_only=True)
class Options(ReadingOptions, GradingOptions, BookOptions):
    """The options of `peerage grade`, under the same names; each is stated in the library."""
