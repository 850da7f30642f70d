"""The examples of docs/data.md run, on the files the page shows."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from peerage.reading.columns import SYNONYMS
from peerage.reading.formats import FORMATS
from peerage.roster.reader import COLUMNS, WORDS
from peerage.writing.writer import OUTPUT_FORMATS

PAGE = Path(__file__).parents[1] / "docs" / "data.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_examples_of_the_page_run(tmp_path, monkeypatch):
    files = re.findall(r"\*\*`([\w.]+)`\*\*\n\n```text\n(.*?)```", TEXT, flags=re.DOTALL)
    for name, content in files:
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")

    assert len(files) >= 7
    assert result.attempted > 20
    assert result.failed == 0


def test_the_page_names_every_format():
    assert [name for name in (*FORMATS, *OUTPUT_FORMATS) if f"`{name}`" not in TEXT] == []


def test_the_page_names_real_synonyms():
    rows = re.findall(r"^\| `(\w+)` \| ([\w, …]+) \|$", TEXT, flags=re.MULTILINE)

    assert len(rows) == 8
    for role, words in rows:
        assert set(words.replace("…", "").replace(" ", "").split(",")) <= set(SYNONYMS[role])


def test_the_page_names_every_column_of_a_roster():
    rows = re.findall(r"^\| `(\w+)` \|([\w, …]*)\| .+ \|$", TEXT, flags=re.MULTILINE)

    assert [role for role, _ in rows] == list(COLUMNS)
    for role, words in rows:
        told = {"".join(word.split()).lower() for word in words.replace("…", "").split(",")} - {""}
        assert told <= set(WORDS.words[role])
