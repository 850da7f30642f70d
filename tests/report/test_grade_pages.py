"""`peerage grade`: the pages it writes."""

import re
from pathlib import Path

import pytest
import report_cases as cases
from typer.main import get_command
from typer.testing import CliRunner

from peerage import write
from peerage.cli import app


@pytest.fixture
def feedback(tmp_path):
    write(cases.orders(8, 12), tmp_path / "feedback.csv")
    return tmp_path / "feedback.csv"


def run(*arguments):
    return CliRunner().invoke(app, ["grade", *map(str, arguments)])


def test_anonymous_students_and_figures(feedback, tmp_path):
    out = tmp_path / "out"
    done = run(
        feedback, "--out", out, "--anonymous", "--student", "peer001", "--student", "work002", "--figures"
    )

    assert done.exit_code == 0
    assert "peer0" not in (out / "report.html").read_text("utf-8")
    assert "You reviewed 4 pieces of work." in (out / "student-peer001.html").read_text("utf-8")
    assert "Your work: work002" in (out / "student-work002.html").read_text("utf-8")
    assert (out / "figures" / "class.svg").exists()


@pytest.mark.parametrize("option", [["--student", "peer001"], ["--figures"], ["--anonymous"]])
def test_pages_need_a_folder(feedback, option):
    done = run(feedback, *option)

    assert done.exit_code == 2
    assert "--out DIR" in done.output


def test_the_options_in_the_docs_exist():
    text = (Path(__file__).parents[2] / "docs" / "how-to" / "read-the-report.md").read_text("utf-8")
    options = set(re.findall(r"--[a-z][a-z-]+", text))

    grade = get_command(app).get_command(None, "grade")
    known = {option for parameter in grade.params for option in parameter.opts}

    assert {"--anonymous", "--student", "--figures"} <= options <= known
