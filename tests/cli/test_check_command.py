import json

import pytest
from tests.cli.commands import ranks, run


@pytest.fixture
def feedback(put):
    return put("feedback.csv", ranks({"ada": "xyz", "bob": "yzx", "cyd": "zxy"}))


def test_a_clean_class_is_ready(feedback):
    result = run("check", feedback, "--strict")

    assert result.exit_code == 0
    assert "9 in 3 lists" in result.output
    assert "100% of the 3 possible (3)" in result.output
    assert result.output.endswith("No warnings: ready to be graded.\n")
    assert "\x1b[" not in result.output


def test_warnings_are_shown_and_with_strict_exit_code_1(feedback):
    result = run("check", feedback, "--min-reviews", 4)

    assert result.exit_code == 0
    assert "3 items have fewer than 4 reviews." in result.output
    assert "x (3), y (3), z (3)" in result.output
    assert result.output.endswith("1 warning: look into it first.\n")
    strict = run("check", feedback, "--min-reviews", 4, "--strict", "--examples", 1)
    assert strict.exit_code == 1
    assert "x (3) and 2 more" in strict.output


def test_json_has_everything(feedback):
    result = run("check", feedback, "--min-reviews", 4, "--json", "--examples", 1)

    report = json.loads(result.stdout)
    assert report["counts"]["reviews"] == 9
    assert report["tasks"][0]["pairs_share"] == 1.0
    assert [(f["code"], f["count"], len(f["cases"])) for f in report["findings"]] == [("few-reviews", 3, 3)]


def test_standard_input_is_read_once_for_reviews_and_owners():
    text = "grader,item,score,owner\nada,x,8,ada\nada,y,9,bob\n"

    report = json.loads(run("check", "-", "--json", input=text).stdout)

    own = next(f for f in report["findings"] if f["code"] == "own-work")
    assert own["cases"] == [{"task": "1", "grader": "ada", "item": "x"}]


def test_reading_options_reach_the_reader(tmp_path):
    path = tmp_path / "odd.txt"
    path.write_bytes("wer;was;score\nada;Ä;1\nada;Ä;3\nada;y;\nbob;y;2\n".encode("latin-1"))
    options = ["-c", "grader=wer", "--column", "item=was", "--duplicates", "mean", "--missing", "drop"]

    result = run("check", path, *options, "--delimiter", ";", "--encoding", "latin-1", "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["counts"]["reviews"] == 2


@pytest.mark.parametrize("name", ["missing.csv", "."])
def test_what_is_no_file_is_exit_code_2(tmp_path, name):
    result = run("check", tmp_path / name)

    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


def test_several_tasks_have_a_table(put):
    rows = ("hw1,ada,x,1", "hw1,ada,y,2", "hw2,ada,x,1", "hw2,ada,y,2")
    path = put("feedback.csv", "\n".join(["task,grader,item,rank", *rows]))

    output = run("check", path).output

    assert "4 in 2 tasks" in output
    table = [line.split() for line in output.splitlines() if line.startswith("  hw")]
    assert table == [["hw1", "2", "1", "2", "100%", "1", "2"], ["hw2", "2", "1", "2", "100%", "1", "2"]]
