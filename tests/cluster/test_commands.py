"""`--cluster` of the commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from peerage.cli import app

POSTERS = str(Path(__file__).parents[2] / "examples" / "posters" / "feedback.csv")
COMMANDS = [
    ["plan", "--students", "12", "--per-student", "3", "--json"],
    ["compare", POSTERS, "--methods", "bt", "--json"],
]


def answer(*args: str):
    return CliRunner().invoke(app, [str(one) for one in args])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one[0])
def test_a_command_says_the_same_on_a_cluster(command, two_workers, tmp_path, monkeypatch):
    monkeypatch.undo()  # parts as they are usually cut
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
    there = answer(*command, "--cluster", two_workers.client.client.scheduler.address)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "here"))
    here = answer(*command)

    assert there.exit_code == 0, there.output
    assert there.stdout == here.stdout
