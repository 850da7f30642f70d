"""`peerage convert` on the shipped classes and through pipes."""

from pathlib import Path

from tests.cli.commands import run

from peerage import Feedback, read, write

SOURCE = Path(__file__).parents[2] / "examples" / "posters" / "feedback.csv"


def test_what_preflib_cannot_hold_is_refused_unless_lossy(tmp_path):
    out = tmp_path / "votes.toi"

    refused = run("convert", SOURCE, out)

    assert refused.exit_code == 2
    assert "preflib cannot hold scores" in refused.stderr
    assert not out.exists()
    assert "lost: scores" in run("convert", SOURCE, out, "--lossy").stderr
    assert read(out).n_entries == read(SOURCE).n_entries


def test_pipes():
    result = run("convert", "-", "-", "--to", "pgf", input="grader,item,score\nada,x,9\nada,y,8\n")

    assert (result.exit_code, result.stdout) == (0, "1 ada x (9.0) > y (8.0)\n")


def test_columns_and_notes(put):
    source = put("in.csv", "by,what,points,remark\nada,x,2,ok\n")

    result = run("convert", source, "-", "--column", "grader=by", "--column", "item=what")

    assert result.stdout == "grader,item,score\nada,x,2.0\n"
    assert result.stderr == (
        "Note: larger numbers are read as better: 'points' is the name of scores\n"
        "Note: column ignored: 'remark'\n"
    )


def test_one_task(tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.soc"
    write(Feedback.from_columns(["v1", "v2"], ["x", "y"], rank=[1, 1], task=["1", "2"]), source)

    assert run("convert", source, out, "--task", "1").exit_code == 0

    assert list(read(out).orders()) == [("v1", [["x"]])]


def test_from_says_how_to_read(put):
    result = run("convert", put("in.csv", "x,y\n1,2\n"), "-", "--from", "matrix", "--direction", "ranks")

    assert result.stdout == "grader,item,rank\n1,x,1\n1,y,2\n"
