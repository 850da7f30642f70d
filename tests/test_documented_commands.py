"""Every command in the README, the docs and the help exists, with the options it is shown with."""

import re
import shlex
from pathlib import Path

import click
from typer.main import get_command

from peerage.cli import COMMANDS, app

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").glob("*.md")),
    *sorted((ROOT / "experiments").rglob("*.md")),
]
START = re.compile(r"(?:^|[\s`$|(])(?:\.venv/bin/|\$\(BIN\)/)?peerage +([a-z][^`\n]*)")
CLI = get_command(app)


def joined(text):
    """Lines that a backslash continues."""
    return re.sub(r"\\\n\s*", " ", text)


def shown(text):
    """Commands as they would be typed: up to a pipe, a remark or the end of the line."""
    for found in START.findall(joined(text)):
        line = re.split(r"\s\||\s#|\s&&|[;)]\s|\)$", found)[0].rstrip(".,:")
        if line.split()[0] in CLI.list_commands(None):
            yield line


def helped(name):
    command = CLI.get_command(click.Context(CLI), name)
    text = re.sub(r"\n {8,}(?=--)", " ", command.callback.__doc__ or "")
    return list(shown(text))


def unknown_options(line):
    """Options of a command line that its command does not have."""
    words = shlex.split(line, comments=True)
    command = CLI.get_command(click.Context(CLI), words[0])
    for word in words[1:2]:  # of a group, such as `token add`
        command = getattr(command, "commands", {}).get(word, command)
    known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {
        "--help",
        "-h",
    }
    return [
        word
        for word in words
        if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word) and word.partition("=")[0] not in known
    ]


def test_commands_of_all_pages_have_their_options():
    lines = [(page.name, line) for page in PAGES for line in shown(page.read_text(encoding="utf-8"))]

    assert {(page, line): odd for page, line in lines if (odd := unknown_options(line))} == {}


def test_every_command_has_an_example_that_is_right():
    lines = {name: helped(name) for name in COMMANDS}

    assert [name for name, found in lines.items() if not found] == []
    assert {line: odd for found in lines.values() for line in found if (odd := unknown_options(line))} == {}


def test_commands_are_found_where_they_are():
    assert "grade feedback.csv --out results" in list(shown((ROOT / "README.md").read_text(encoding="utf-8")))
    assert unknown_options("grade f.csv --scael 0:10") == ["--scael"]
