"""docs/methods.md and CONTRIBUTING.md keep up with the code."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from peerage.models.registry import METHODS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "methods.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_examples_of_the_page_run():
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")

    assert result.attempted >= 6
    assert result.failed == 0


@pytest.mark.parametrize("code", METHODS)
def test_the_page_explains_every_method_and_its_parameters(code):
    known = METHODS[code]
    parameters = known.kind().get_params()

    assert f"`{code}`" in TEXT
    assert f"`{known.estimator}" in TEXT
    for name in set(parameters) - {"reliability", "ties"}:
        assert re.search(rf"`{name}\b", TEXT), name


def test_files_that_contributors_are_sent_to_exist():
    named = re.findall(r"`([\w/]+\.(?:py|md))`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    folders = [ROOT / folder for folder in ("src", "tests", "docs")]
    there = {path.name for folder in folders for path in folder.rglob("*.*")}

    assert {Path(name).name for name in named} - there == {"your_model.py"}
