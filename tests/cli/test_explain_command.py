import json

import pytest
from tests.cli.commands import offered, run

ROWS = "grader,item,rank,task\nada,x,1,t1\nada,y,2,t1\nbob,y,1,t1\nbob,x,2,t1\n"


@pytest.fixture
def feedback(put):
    return put("feedback.csv", ROWS)


def test_an_item_is_explained_in_words(feedback):
    result = run("explain", feedback, "x", "--method", "bt")

    assert result.exit_code == 0
    assert "ada (reliability 1.00), put it above y: raised its score by" in " ".join(result.output.split())
    assert "Estimated with BT." in result.output


def test_names_of_graders_can_be_left_out(feedback):
    output = run("explain", feedback, "x", "--anonymous").output
    record = json.loads(run("explain", feedback, "x", "--anonymous", "--json").stdout)

    assert "ada" not in output
    assert "ada" not in json.dumps(record)
    assert record["wins"] == record["losses"] == 1


def test_the_task_must_be_named_where_there_are_several(feedback):
    feedback.write_text(ROWS + "ada,x,1,t2\nada,y,2,t2\n", encoding="utf-8")

    assert "say which one" in run("explain", feedback, "x").output
    assert run("explain", feedback, "x", "--task", "t2").exit_code == 0


def test_own_work_is_left_out_as_it_is_in_grades(feedback, put):
    roster = put("roster.csv", "student,item\nada,x\n")

    without = json.loads(run("explain", feedback, "x", "--roster", roster, "--json").stdout)
    kept = json.loads(run("explain", feedback, "x", "--roster", roster, "--self", "keep", "--json").stdout)

    assert [row["grader"] for row in without["lists"]] == ["bob"]
    assert sorted(row["grader"] for row in kept["lists"]) == ["ada", "bob"]


def test_points_of_orders_are_refused_with_commands_that_work(feedback):
    feedback.write_text(ROWS + "cyd,x,1,t1\ncyd,y,2,t1\ncyd,z,3,t1\n", encoding="utf-8")

    refused = run("explain", feedback, "x", "--scale", "0:100")

    assert refused.exit_code == 2
    assert "  staff grades of three or more items (recommended): add --anchors FILE\n" in refused.stderr
    assert [run(*command).exit_code for command in offered(refused)] == [0] * 3
