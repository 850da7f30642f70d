"""The pages about data name what the code has; tests/test_docs.py runs their examples."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.terminals import in_terminal

from peerage import Reading
from peerage.cli._terminal import CommandLineFlags
from peerage.reading.formats import FORMATS
from peerage.reading.vocabulary import SYNONYMS
from peerage.roster.reader import COLUMNS, WORDS
from peerage.writing.writer import OUTPUT_FORMATS

DOCS = Path(__file__).parents[1] / "docs"
TEXT = (DOCS / "reference" / "data.md").read_text(encoding="utf-8")
ROSTERS = (DOCS / "reference" / "rosters.md").read_text(encoding="utf-8")
GUIDE = (DOCS / "how-to" / "get-a-file-read.md").read_text(encoding="utf-8")
FILES = re.findall(r"\*\*`([\w.]+)`\*\*\n\n```text\n(.*?)```", GUIDE, flags=re.DOTALL)


def test_the_session_on_the_page_is_what_a_terminal_shows(tmp_path):
    for name, content in FILES:
        (tmp_path / name).write_text(content, encoding="utf-8")
    (session,) = re.findall(r"```console\n\$ peerage (.*?)\n(.*?)```", GUIDE, flags=re.DOTALL)

    code, shown = in_terminal(*session[0].split(), answers=["1\n"], cwd=tmp_path)

    assert code == 0
    assert shown.rstrip() == session[1].rstrip()


def test_every_option_is_on_the_page():
    flags = [CommandLineFlags().option(name) for name in Reading.table()]

    assert [flag for flag in (*flags, "--reading") if f"| `{flag}" not in TEXT] == []


def test_the_page_names_every_format():
    assert [name for name in (*FORMATS, *OUTPUT_FORMATS) if f"`{name}`" not in TEXT] == []


def test_the_page_names_real_synonyms():
    rows = re.findall(r"^\| `(\w+)` \| ([\w, …]+) \|$", TEXT, flags=re.MULTILINE)

    assert len(rows) == 9
    for role, words in rows:
        assert set(words.replace("…", "").replace(" ", "").split(",")) <= set(SYNONYMS[role])


def test_the_page_names_every_column_of_a_roster():
    rows = re.findall(r"^\| `(\w+)` \|([\w, …]*)\| .+ \|$", ROSTERS, flags=re.MULTILINE)

    assert [role for role, _ in rows] == list(COLUMNS)
    for role, words in rows:
        told = {"".join(word.split()).lower() for word in words.replace("…", "").split(",")} - {""}
        assert told <= set(WORDS.words[role])
