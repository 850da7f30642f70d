"""The page about uncertainty."""

from __future__ import annotations

import doctest
from pathlib import Path

from peerage import uncertainty

INNER = ("log_evidence", "mean_displacement")  # for other packages of the library
PAGE = Path(__file__).parents[2] / "docs" / "uncertainty.md"


def test_examples_of_the_page_run():
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")

    assert result.attempted > 0
    assert result.failed == 0


def test_the_page_names_every_function():
    text = PAGE.read_text(encoding="utf-8")
    functions = [name for name in uncertainty.__all__ if name[0].islower() and name not in INNER]

    assert [name for name in functions if name not in text] == []
