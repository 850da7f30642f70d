"""The page about uncertainty."""

from __future__ import annotations

from pathlib import Path

import peerage

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "uncertainty.md"


def test_the_page_names_every_function():
    text = PAGE.read_text(encoding="utf-8")
    ours = [
        name for name in peerage.__all__ if "uncertainty" in getattr(getattr(peerage, name), "__module__", "")
    ]

    assert {"Posterior", "learn_priors", "posterior"} <= set(ours)
    assert [name for name in ours if name not in text] == []
