"""The reference and the code name the same: commands, options, formats, methods, and what can be imported."""

import inspect
import re
import shlex
from pathlib import Path

import click
import pytest
from typer.main import get_command

import peerage
from peerage import Reading, metrics, report
from peerage.cli import COMMANDS, app
from peerage.cli._terminal import CommandLineFlags
from peerage.models.registry import METHODS
from peerage.reading.formats import FORMATS
from peerage.reading.vocabulary import SYNONYMS
from peerage.roster.reader import COLUMNS, WORDS
from peerage.writing.writer import OUTPUT_FORMATS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
DATA = (DOCS / "reference" / "data.md").read_text(encoding="utf-8")
ROSTERS = (DOCS / "reference" / "rosters.md").read_text(encoding="utf-8")
CLI = get_command(app)


# -- what can be imported ---------------------------------------------------------------------------------


def test_what_can_be_imported_is_in_the_reference_and_says_what_it_is():
    text = "".join(page.read_text("utf-8") for page in (DOCS / "reference" / "python").glob("*.md"))
    things = {name: getattr(peerage, name) for name in peerage.__all__ if name != "__version__"}

    assert set(re.findall(r":: peerage\.(\w+)$", text, re.MULTILINE)) - {"metrics"} == things.keys()
    assert [name for name in report.__all__ if f":: peerage.report.{name}\n" not in text] == []
    assert ":: peerage.metrics\n" in text
    assert dir(peerage) == sorted(peerage.__all__)
    assert [name for name, thing in things.items() if thing.__name__ != name] == []
    documented = [*things.values(), *(getattr(metrics, name) for name in metrics.__all__)]
    assert [thing for thing in documented if not inspect.getdoc(thing)] == []


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="module 'peerage' has no attribute 'nonsense'"):
        _ = peerage.nonsense


# -- commands ---------------------------------------------------------------------------------------------

START = re.compile(r"(?:^|[\s`$|(])(?:\.venv/bin/|\$\(BIN\)/)?peerage +([a-z][^`\n]*)")


def shown(text):
    """Commands as they would be typed: up to a pipe, a remark or the end of the line."""
    for found in START.findall(re.sub(r"\\\n\s*", " ", text)):  # a backslash continues a line
        line = re.split(r"\s\||\s#|\s&&|[;)]\s|\)$", found)[0].rstrip(".,:")
        if line.split()[0] in CLI.list_commands(None):
            yield line


def command_of(name):
    return CLI.get_command(click.Context(CLI), name)


def unknown_options(line):
    """Options of a command line that its command does not have."""
    words = shlex.split(line, comments=True)
    command = command_of(words[0])
    for word in words[1:2]:  # of a group, such as `token add`
        command = getattr(command, "commands", {}).get(word, command)
    known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    options = [word for word in words if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word)]
    return [option for option in options if option.partition("=")[0] not in {*known, "--help", "-h"}]


def test_commands_on_pages_and_in_the_help_have_their_options():
    folders = (("docs", "**/*.md"), ("examples", "*.md"), ("experiments", "**/*.md"))
    pages = [ROOT / "README.md", *(page for name, kind in folders for page in (ROOT / name).glob(kind))]
    texts = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in pages}
    docstrings = {name: command_of(name).callback.__doc__ or "" for name in COMMANDS}
    helps = {name: re.sub(r"\n {8,}(?=--)", " ", text) for name, text in docstrings.items()}
    lines = {(name, line) for name, text in (*texts.items(), *helps.items()) for line in shown(text)}

    assert ("README.md", "grade feedback.csv --out results") in lines
    assert {(name, line): odd for name, line in lines if (odd := unknown_options(line))} == {}
    assert set(COMMANDS) - {name for name, _ in lines} == set(), "a command whose help has no example"


# -- data and methods -------------------------------------------------------------------------------------


def test_the_page_of_data_names_every_option_and_format():
    flags = [*(CommandLineFlags().option(name) for name in Reading.table()), "--reading"]

    assert [flag for flag in flags if f"| `{flag}" not in DATA] == []
    assert [name for name in (*FORMATS, *OUTPUT_FORMATS) if f"`{name}`" not in DATA] == []


def test_pages_of_data_and_rosters_name_real_columns_and_synonyms():
    roles = dict(re.findall(r"^\| `(\w+)` \| ([\w, …]+) \|$", DATA, flags=re.MULTILINE))
    columns = dict(re.findall(r"^\| `(\w+)` \|([\w, …]*)\| .+ \|$", ROSTERS, flags=re.MULTILINE))

    assert len(roles) == 9
    assert list(columns) == list(COLUMNS)
    for told, known in ((roles, SYNONYMS), (columns, WORDS.words)):
        for role, words in told.items():
            plain = {"".join(word.split()).lower() for word in words.replace("…", "").split(",")} - {""}
            assert plain <= set(known[role]), role


def test_the_page_of_methods_explains_every_method_and_its_parameters():
    text = (DOCS / "explanation" / "methods.md").read_text(encoding="utf-8")
    parameters = {name for known in METHODS.values() for name in known.kind().get_params()}
    wanted = {f"`{code}`" for code in METHODS} | {f"`{known.estimator}" for known in METHODS.values()}

    assert [words for words in sorted(wanted) if words not in text] == []
    unexplained = [name for name in sorted(parameters) if not re.search(rf"`{name}\b", text)]
    assert [name for name in unexplained if name not in ("reliability", "ties")] == []
