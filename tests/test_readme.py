"""The README: its Python runs, and its sentences hold; tests/test_docs.py follows its links."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_readme_examples_run(monkeypatch):
    monkeypatch.chdir(ROOT)

    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)

    assert tried > 0
    assert failed == 0


def test_the_sentence_below_the_example_says_what_the_example_shows():
    text = (ROOT / "README.md").read_text("utf-8")

    low, high = re.search(r"\[\('\w+', 1, (\d+), (\d+)\)", text).groups()

    numbers = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    assert low == "1"
    assert f"The best poster is most likely (90 %) among the first {numbers[int(high) - 1]}," in text


def test_readme_names_every_target_it_uses():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    used = re.findall(r"^make ([a-z]+)", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)

    assert used
    assert set(used) <= set(targets)
