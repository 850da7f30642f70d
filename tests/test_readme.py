"""The README: its Python runs, and its links lead somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    links = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text("utf-8"))

    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]

    assert missing == []


def test_readme_names_every_target_it_uses():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    used = re.findall(r"^make ([a-z]+)", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)

    assert used
    assert set(used) <= set(targets)
