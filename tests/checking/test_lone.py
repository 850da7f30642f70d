"""One list by one grader is an opinion, not groups that lie apart."""

import pytest
from typer.testing import CliRunner

from peerage import Feedback, check, grade
from peerage.cli import app

ALONE = Feedback.from_orders({"ada": [f"i{number}" for number in range(8)]})


def test_one_grader_is_named_and_no_tiers_are_seen_but_two_are_not_alone():
    both = check(Feedback.from_orders({"ada": ["x", "y", "z"], "bob": ["x", "y", "z"]}))

    assert check(ALONE).finding("one-grader").examples() == ["ada"]
    assert check(ALONE).finding("one-way") is None
    assert both.finding("one-grader") is None
    assert both.finding("one-way") is not None


@pytest.mark.parametrize(("length", "kind"), [(12, "rank"), (2, "score")])
def test_what_one_grader_says_tells_nothing_apart(length, kind):
    rows = {
        "grader": ["ada"] * length,
        "item": [f"i{k:02d}" for k in range(length)],
        kind: [k if kind == "rank" else 10 * k for k in range(1, length + 1)],
    }

    result = grade(rows)

    assert set(result.items["step"]) == {1}
    assert result.sentences["steps"].startswith("The data are nowhere 90 % certain of the order")


def test_only_the_task_of_one_grader_is_meant():
    rows = {
        "task": ["a", "a", "b", "b", "b", "b"],
        "grader": ["ada", "ada", "ada", "ada", "bob", "bob"],
        "item": ["x", "y"] * 3,
        "rank": [1, 2, 1, 2, 1, 2],
    }

    found = check(rows).finding("one-grader")

    assert found.found == "All reviews of 1 of 2 tasks are by one grader."
    assert found.examples() == ["ada in task a"]


def test_grading_warns_of_what_the_check_warns_of(tmp_path):
    file = tmp_path / "f.csv"
    file.write_text("grader,item,rank\nada,x,1\nada,y,2\nbob,z,1\nbob,w,2\n", encoding="utf-8")
    warnings = check(file).warnings

    shown = " ".join(CliRunner().invoke(app, ["grade", str(file)]).output.split())

    assert len(warnings) >= 2
    assert f"{len(warnings)} warnings before you use them" in shown
    for finding in warnings:
        assert finding.found.removesuffix(".") in shown
    nothing_wrong = CliRunner().invoke(app, ["grade", "examples/posters/feedback.csv", "--method", "scavg"])
    assert nothing_wrong.exit_code == 0
    assert "before you use them" not in nothing_wrong.output
