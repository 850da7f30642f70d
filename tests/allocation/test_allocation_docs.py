from pathlib import Path

from peerage.cli import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "allocate-reviews.md"


def test_the_commands_on_the_page_exist():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    shown = {line.split()[1] for line in lines if line.startswith("    peerage ")}

    assert shown == {"allocate", "repair"}
    assert shown <= set(COMMANDS)
