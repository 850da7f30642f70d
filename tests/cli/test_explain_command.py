import json
import shlex

import pytest
from typer.testing import CliRunner

from peerage.cli import app

ROWS = "grader,item,rank,task\nada,x,1,t1\nada,y,2,t1\nbob,y,1,t1\nbob,x,2,t1\n"


@pytest.fixture
def feedback(tmp_path):
    path = tmp_path / "feedback.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def explain(*args):
    return CliRunner().invoke(app, ["explain", *map(str, args)])


def test_an_item_is_explained_in_words(feedback):
    result = explain(feedback, "x", "--method", "bt")

    assert result.exit_code == 0
    assert "ada (reliability 1.00), put it above y: raised its score by" in " ".join(result.output.split())
    assert "Estimated with BT." in result.output


def test_names_of_graders_can_be_left_out(feedback):
    output = explain(feedback, "x", "--anonymous").output
    record = json.loads(explain(feedback, "x", "--anonymous", "--json").stdout)

    assert "ada" not in output
    assert "ada" not in json.dumps(record)
    assert record["wins"] == record["losses"] == 1


def test_the_task_must_be_named_where_there_are_several(feedback):
    feedback.write_text(ROWS + "ada,x,1,t2\nada,y,2,t2\n", encoding="utf-8")

    assert "say which one" in explain(feedback, "x").output
    assert explain(feedback, "x", "--task", "t2").exit_code == 0


def test_own_work_is_left_out_as_it_is_in_grades(feedback, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("student,item\nada,x\n", encoding="utf-8")

    without = json.loads(explain(feedback, "x", "--roster", roster, "--json").stdout)
    kept = json.loads(explain(feedback, "x", "--roster", roster, "--self", "keep", "--json").stdout)

    assert [row["grader"] for row in without["lists"]] == ["bob"]
    assert sorted(row["grader"] for row in kept["lists"]) == ["ada", "bob"]


def test_points_of_orders_are_refused_with_commands_that_work(feedback):
    feedback.write_text(ROWS + "cyd,x,1,t1\ncyd,y,2,t1\ncyd,z,3,t1\n", encoding="utf-8")

    refused = explain(feedback, "x", "--scale", "0:100")

    commands = [shlex.split(line)[1:] for line in refused.stderr.splitlines() if line.startswith("peerage ")]
    assert refused.exit_code == 2
    assert "  staff grades of three or more items (recommended): add --anchors FILE\n" in refused.stderr
    assert len(commands) == 3
    for command in commands:
        assert CliRunner().invoke(app, command).exit_code == 0, command
