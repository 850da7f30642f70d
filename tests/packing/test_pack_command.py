"""`peerage pack`, and other commands on what it made."""

import json

import pytest
from typer.testing import CliRunner

import peerage
from peerage.cli import app

MADE = peerage.simulate(items=12, graders=20, per_grader=4, seed=1).rows


def run(*args):
    return CliRunner().invoke(app, [*map(str, args)])


@pytest.fixture
def files(tmp_path):
    MADE[:30].write_csv(tmp_path / "a.csv")
    MADE[30:].write_csv(tmp_path / "b.csv")
    return tmp_path / "?.csv"


def test_pack_says_what_it_packed_and_what_to_do_next(files, tmp_path):
    result = run("pack", tmp_path / "a.csv", tmp_path / "b.csv", "--out", tmp_path / "packed")

    assert result.exit_code == 0, result.output
    assert "80 reviews of 12 items in 20 lists by 20 graders, in 1 part of" in result.output
    assert "Note: larger numbers are read as better" in result.output
    assert f"peerage grade {tmp_path / 'packed'}" in result.output


def test_commands_on_the_folder_say_and_write_the_same(files, tmp_path):
    packed = tmp_path / "packed"
    made = run("pack", files, "--out", packed, "--json")
    assert json.loads(made.stdout)["reviews"] == 80
    for given, out in ((files, "one"), (packed, "two")):
        result = run("grade", given, "--out", tmp_path / out, "--tables", "parquet")
        assert result.exit_code == 0, result.output

    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir() if path.name != "run.json"}
        for name in ("one", "two")
    )
    assert one == two
    assert {"grades.csv", "grades.parquet", "report.html", "results.json"} <= set(one)
    for command in ("check", "compare"):
        said = [json.loads(run(command, given, "--json").stdout) | {"file": ""} for given in (files, packed)]
        assert said[0] == said[1], command
    over = run("grade", packed, "--method", "scavg", "--out", packed / "tables", "--tables", "parquet")
    assert over.exit_code == 2
    assert "graders.parquet was given to be read" in over.output


def test_options_are_those_of_reading(files, tmp_path):
    result = run("pack", files, "--out", tmp_path / "packed", "--column", "item=paper")

    assert result.exit_code == 2
    assert "paper" in result.output
    assert not (tmp_path / "packed").exists()
