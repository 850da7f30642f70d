"""The page for those who compare models: its examples, run."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "comparing-models.md"


def test_the_examples_are_true():
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")

    assert found.attempted > 10
    assert found.failed == 0
