"""Every colour stands once."""

from __future__ import annotations

import re
from pathlib import Path

import peerage
from peerage.palette import DARK, LIGHT, SHEET, custom_properties
from peerage.report.page import COLOURS

ROOT = Path(__file__).parents[1]
FILES = [
    *sorted(Path(peerage.__file__).parent.rglob("*.py")),
    *sorted(Path(peerage.__file__).parent.rglob("*.css")),
    *sorted(Path(peerage.__file__).parent.rglob("*.js")),
    *sorted(ROOT.glob("benchmarks/*.py")),
    *sorted(ROOT.glob("experiments/**/*.py")),
]
REPORT = (SHEET.parent / "report.css").read_text(encoding="utf-8")


def test_no_other_file_writes_a_colour():
    colour = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}\b")
    found = {
        file.relative_to(ROOT).as_posix(): colour.findall(file.read_text(encoding="utf-8"))
        for file in FILES
        if file.name not in ("palette.py", SHEET.name)
    }

    assert {name: colours for name, colours in found.items() if colours} == {}


def test_the_sheet_that_pages_link_is_that_of_the_palette():
    assert SHEET.read_text(encoding="utf-8") == custom_properties()  # else: python -m peerage.palette


def test_light_and_dark_have_the_same_names():
    assert list(LIGHT) == list(DARK)


def test_the_report_has_the_colours_that_its_style_uses():
    assert set(re.findall(r"var\(--([\w-]+)\)", REPORT)) == set(COLOURS)
