import polars as pl
import pytest
from tests.cli.commands import run

FILES = ["feedback.csv", "graders.csv", "roster.csv", "staff.csv", "truth.csv"]


def test_five_files_are_written_and_named(tmp_path):
    result = run("simulate", "--items", 8, "--graders", 6, "--per-grader", 3, "--out", tmp_path / "class")

    assert sorted(path.name for path in (tmp_path / "class").iterdir()) == FILES
    assert sorted(line.rpartition("/")[2] for line in result.stdout.split()) == FILES
    assert len(pl.read_csv(tmp_path / "class" / "feedback.csv")) == 18


def test_a_dash_prints_the_feedback_only():
    result = run("simulate", "--items", 8, "--graders", 2, "--per-grader", 3, "--out", "-")

    assert result.stdout.startswith("grader,item,score\nstudent1,item")
    assert result.stdout.count("\n") == 7


def test_options_change_a_preset(tmp_path):
    options = ("--graders", 20, "--staff", 2, "--staff-noise", 0)

    run("simulate", "--preset", "reports", *options, "--out", tmp_path)

    assert len(pl.read_csv(tmp_path / "roster.csv")) == 20
    staff = pl.read_csv(tmp_path / "staff.csv")
    assert staff["source"].unique().sort().to_list() == ["TA1", "TA2"]
    assert staff["item"].n_unique() == 44


@pytest.mark.parametrize("args", [["--preset", "essays", "--out", "-"], ["--lazy", "2", "--out", "-"], []])
def test_wrong_options_are_exit_code_2(args):
    assert run("simulate", *args).exit_code == 2
