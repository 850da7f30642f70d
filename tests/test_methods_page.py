"""docs/explanation/methods.md and CONTRIBUTING.md keep up with the code."""

from __future__ import annotations

import re
from pathlib import Path

from peerage.models.registry import METHODS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "methods.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_explains_every_method_and_its_parameters():
    parameters = {name for known in METHODS.values() for name in known.kind().get_params()}
    parameters -= {"reliability", "ties"}
    wanted = {f"`{code}`" for code in METHODS} | {f"`{known.estimator}" for known in METHODS.values()}

    assert [text for text in sorted(wanted) if text not in TEXT] == []
    assert [
        name for name in sorted(parameters - {"reliability", "ties"}) if not re.search(rf"`{name}\b", TEXT)
    ] == []


def test_files_that_contributors_are_sent_to_exist():
    pages = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "how-to" / "add-a-model.md"]
    pages += [
        ROOT / "docs" / "explanation" / f"{name}.md" for name in ("architecture", "how-a-fit-is-put-together")
    ]
    named = re.findall(r"`([\w/]+\.(?:py|md))`", "".join(page.read_text("utf-8") for page in pages))
    folders = [ROOT / folder for folder in ("src", "tests", "docs")]
    there = {path.name for folder in folders for path in folder.rglob("*.*")}

    assert {Path(name).name for name in named} - there == {"your_model.py"}
