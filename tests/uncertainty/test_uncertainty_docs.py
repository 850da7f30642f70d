"""The page about uncertainty."""

from __future__ import annotations

import doctest
from pathlib import Path

import peerage

PAGE = Path(__file__).parents[2] / "docs" / "uncertainty.md"


def test_examples_of_the_page_run():
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")

    assert result.attempted > 0
    assert result.failed == 0


def test_the_page_names_every_function():
    text = PAGE.read_text(encoding="utf-8")
    ours = [
        name for name in peerage.__all__ if "uncertainty" in getattr(getattr(peerage, name), "__module__", "")
    ]

    assert {"Posterior", "learn_priors", "posterior"} <= set(ours)
    assert [name for name in ours if name not in text] == []
