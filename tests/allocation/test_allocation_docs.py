import doctest
from pathlib import Path

from peerage.cli import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "allocation.md"


def test_the_examples_on_the_page_run():
    results = doctest.testfile(str(PAGE), module_relative=False)

    assert results.attempted > 5
    assert results.failed == 0


def test_the_page_shows_commands_that_exist():
    shown = {
        line.split()[1]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("    peerage ")
    }

    assert shown == {"allocate", "repair"}
    assert shown <= set(COMMANDS)
