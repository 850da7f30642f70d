import doctest
from pathlib import Path

from peerage.cli import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "allocation.md"


def test_the_examples_on_the_page_run_and_its_commands_exist():
    results = doctest.testfile(str(PAGE), module_relative=False)
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    shown = {line.split()[1] for line in lines if line.startswith("    peerage ")}

    assert results.attempted > 5
    assert results.failed == 0
    assert shown == {"allocate", "repair"}
    assert shown <= set(COMMANDS)
