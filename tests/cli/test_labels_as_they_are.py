"""Labels and scales are shown as they are: Rich would make a picture of `:star:` and a colour of `[red]`."""

import pytest
from tests.cli.commands import run
from tests.cli.terminals import in_terminal

from peerage.cli import COMMANDS

LABELS = (":star:", "[red]x[/]", ":100:")


@pytest.fixture
def file(put):
    orders = {":ok:": LABELS, "bob": LABELS[::-1], "cyd": LABELS}
    rows = [
        f"{task},{grader},{item},{rank}"
        for task in ("[b]one", ":sun:")
        for grader, order in orders.items()
        for rank, item in enumerate(order, 1)
    ]
    return put(":smile:.csv", "\n".join(["task,grader,item,rank", *rows]))


def shown_by(*words):
    result = run(*words, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def odd(text):
    """Pictures, which are far beyond the letters and signs of our texts."""
    return [sign for sign in text if ord(sign) > 0xFFFF]


def test_labels_of_every_kind(file):
    for command in ("check", "grade", "compare"):
        shown = shown_by(command, file)

        assert odd(shown) == []
        assert [label for label in LABELS if label not in shown and command != "check"] == []
        assert command == "compare" or all(task in shown for task in ("[b]one", ":sun:"))
    shown = shown_by("explain", file, ":100:", "--task", ":sun:", "--scale", "0:100", "--curve", "70:9")
    assert odd(shown) == []
    assert "0:100" in shown
    assert ":100:" in shown


def test_the_bar_on_a_terminal(file):
    code, shown = in_terminal("grade", file)

    assert code == 0
    assert odd(shown) == []


def test_help_has_no_pictures():
    assert [command for command in COMMANDS if odd(shown_by(command, "--help"))] == []
