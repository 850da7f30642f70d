"""How a file is to be read and graded: what the form, the API and the database pass around."""

from __future__ import annotations

from dataclasses import dataclass

from peerage.grading import BookOptions, GradingOptions
from peerage.reading import ReadingOptions


@dataclass(frozen=True, kw_only=True)
class Options(ReadingOptions, GradingOptions, BookOptions):
    """The options of `peerage grade`, under the same names; each is stated in the library."""
