import hashlib
import io
import itertools
import json
import re

import polars as pl
import pytest
from tests.cli.commands import offered, ranks, run

from peerage import __version__, fit, posterior, read

RANKS = ranks({"ada": "xyz", "bob": "xzy", "cyd": "yxz", "=dan": "xyz"})


@pytest.fixture
def feedback(put):
    return put("feedback.csv", RANKS)


def grade(*words, **options):
    return run("grade", *words, **options)


def test_scores_and_reliabilities_are_recorded_to_the_last_digit(feedback, tmp_path):
    grade(feedback, "-m", "pl+g", "--no-report", "--out", tmp_path / "out")

    fitted = posterior(fit(read(feedback), "pl+g", identified=True), draws=1000).at_mean()
    written = json.loads((tmp_path / "out/results.json").read_text("utf-8"))
    assert [row["score"] for row in written["items"]] == fitted.grades()["score"].to_list()
    assert [row["reliability"] for row in written["graders"]] == fitted.reliabilities_.tolist()


def test_the_run_can_be_known_again(feedback, tmp_path):
    grade(feedback, "-m", "bt", "--seed", 7, "--set", "score_variance=4", "--no-report", "--out", tmp_path)

    run = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert run["version"] == __version__
    assert run["input"] == {"file": "feedback.csv", "sha256": hashlib.sha256(RANKS.encode()).hexdigest()}
    assert (run["method"], run["seed"], run["parameters"]["score_variance"]) == ("BT", 7, 4)
    assert run["converged"] is True
    assert {"objective", "date", "elapsed"} <= set(run)
    assert "'=dan" in pl.read_csv(tmp_path / "graders.csv")["grader"].to_list()  # a formula is neutralised


def test_hash_owners_and_grade_book_are_of_the_bytes_that_were_graded(feedback, put, tmp_path, monkeypatch):
    """The files are others each time they are opened: a form may still be writing to them."""
    roster = put("roster.csv", "student,item\nada,x\n")
    rewrite_when_opened(monkeypatch, feedback, lambda opened: RANKS.replace("x", f"other{opened}"))
    rewrite_when_opened(monkeypatch, roster, lambda opened: f"student,item\nsomebody{opened},x\n")
    out = tmp_path / "out"

    grade(feedback, "--roster", roster, "--export", "csv", "--no-report", "--out", out)

    run = json.loads((out / "run.json").read_text("utf-8"))
    results = json.loads((out / "results.json").read_text("utf-8"))
    own = next(found for found in results["preflight"]["findings"] if found["code"] == "own-work")
    assert run["input"]["sha256"] == hashlib.sha256(RANKS.encode()).hexdigest()
    assert sorted(pl.read_csv(out / "grades.csv")["item"]) == ["x", "y", "z"]
    assert own["cases"] == [{"task": "1", "grader": "ada", "item": "x"}]
    assert pl.read_csv(out / "gradebook-csv.csv")["student"].to_list() == ["ada"]
    assert feedback.read_text("utf-8") != RANKS


def rewrite_when_opened(monkeypatch, path, content):
    """After each time that this file is opened, it holds something else."""
    opened = itertools.count(1)
    real = io.open

    def opens(file, *args, **named):
        stream = real(file, *args, **named)
        if str(file) == str(path) and named.get("mode", args[0] if args else "r") == "rb":
            data = stream.read()
            stream.close()
            path.unlink()
            with real(path, "w", encoding="utf-8") as again:
                again.write(content(next(opened)))
            return io.BytesIO(data)
        return stream

    monkeypatch.setattr(io, "open", opens)
    monkeypatch.setattr("builtins.open", opens)


def test_a_second_run_writes_the_same_bytes(feedback, tmp_path):
    asked = ("--letters", "A:40%,B:60%", "--scale", "0:100", "--curve", "70:9")

    for out in ("one", "two"):
        grade(feedback, *asked, "--out", tmp_path / out)

    for name in ("grades.csv", "graders.csv", "results.json", "report.html"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_words_say_what_was_chosen_and_what_it_means_and_nothing_is_written(feedback, tmp_path):
    text = " ".join(grade(feedback).output.split())

    assert "Peerage chose PL+G, because graders gave orders" in text
    assert "A score has no unit" in text
    assert "how far peers are from staff is unknown" in text
    assert "Of 4 graders:" in text
    assert "wrote" not in text
    assert [path.name for path in tmp_path.iterdir()] == ["feedback.csv"]


def test_letters_and_points_are_shown_and_those_at_the_end_of_their_interval_marked(feedback):
    output = grade(feedback, "--scale", "0:100", "--curve", "90:15", "--letters", "A:34%,B:66%").output

    assert re.search(r"x .* A \d\d%", output)
    assert re.search(r"x +\S+ +100\.00?\* ", output)
    words = " ".join(output.split())
    assert "By the peers' own judgement about" in words
    assert "* Points at the end of their interval: x (cut off at the top of the scale)" in words


def test_standard_input_is_read(tmp_path):
    grade("-", "-m", "malbc", "--bootstrap", 10, "--no-report", "--out", tmp_path, input=RANKS)

    made = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert (made["input"]["file"], made["uncertainty"]) == ("standard input", "bootstrap")


def test_anchors_and_exports(feedback, roster, put, tmp_path):
    staff = put("staff.csv", "item,score\nx,90\ny,70\nz,50\n")
    args = ("--anchors", staff, "--roster", roster, "--export", "canvas,moodle", "--no-report")

    result = grade(feedback, *args, "--out", tmp_path / "out")

    assert "Staff graded 3 items" in result.output
    assert (tmp_path / "out/gradebook-canvas.csv").read_text("utf-8").startswith("Student,ID,SIS User ID")
    assert pl.read_csv(tmp_path / "out/gradebook-moodle.csv")["Peer grade"].to_list()[0] > 70


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--method", "plg"), "there is no method 'plg'"),
        (("--letters", "A>=5,B"), "who stands above whom, not how many points for A>=5,B"),
        (("--curve", "70:9"), "the curve 70:9 needs the scale that it is on: add --scale 0:100"),
        (("--curve", "70", "--scale", "0:100"), "--curve '70' is not MEAN:SD"),
        (("--complete", "--scale", "0:100"), "--complete gives no points and no letters: leave out --scale"),
        (("--scale", "100"), "is not LOW:HIGH"),
        (("--anchors", "nowhere.csv"), "nowhere.csv"),
        (("--column", "item"), "NAME=HEADER"),
        (("--column", "=x"), "NAME=HEADER"),
        (("--set", "score_variance"), "NAME=VALUE"),
        (("--set", "colour=red"), "PlackettLuce has no parameter 'colour'"),
        (("--set", "score_variance=wide"), "score_variance must be a number, not 'wide'"),
        (("--export", "canvas"), "--roster"),
    ],
)
def test_mistakes_are_exit_code_2_and_one_message(feedback, args, message):
    result = grade(feedback, *args)

    assert result.exit_code == 2
    assert re.search(message, " ".join(result.output.split()))


def test_complete_is_shown_and_exported(feedback, put, tmp_path):
    roster = put("roster.csv", "student,item\nada,x\nbob,y\neve,\n")
    args = ("--complete", "--roster", roster, "--export", "canvas", "--no-report", "--out", tmp_path / "out")

    shown = grade(feedback, *args).output

    assert shown.count(" complete ") >= 3
    book = pl.read_csv(tmp_path / "out/gradebook-canvas.csv")
    assert book["Peer grade"].to_list()[1:] == ["complete", "complete", "incomplete"]


@pytest.mark.parametrize("asked", [("--scale", "0:100"), ("--letters=A>=8.5,B", "--seed", "3")])
def test_points_of_orders_are_refused_with_four_commands_that_work(feedback, asked):
    refused = grade(feedback, *asked)

    commands = offered(refused)
    assert (refused.exit_code, len(commands)) == (2, 4)
    for command, flag in zip(commands, ("--staff-budget", "--curve", "--letters", "--complete"), strict=True):
        assert flag in command
        assert "--seed" not in asked or command[command.index("--seed") + 1] == "3"
        assert run(*command).exit_code == 0, command


@pytest.fixture
def roster(put):
    return put("roster.csv", "student,item\nada,x\nbob,y\n")


def test_a_standing_for_a_grade_book_is_refused_with_commands_too(feedback, roster, tmp_path):
    args = ("--roster", roster, "--export", "moodle", "--no-report", "--out", tmp_path / "out")

    refused = grade(feedback, *args)

    assert refused.exit_code == 2
    assert "there is no grade to import, and a rank is not one" in refused.stderr
    assert not (tmp_path / "out").exists()
    for command in offered(refused)[1:]:  # the first one says whom staff should grade
        assert run(*command).exit_code == 0, command
        assert pl.read_csv(tmp_path / "out/gradebook-moodle.csv")["Peer grade"].null_count() == 0


def test_many_tasks_are_cut_short(put):
    rows = [f"t{task},{grader},x,1\nt{task},{grader},y,2" for task in range(5) for grader in "ab"]
    many = put("many.csv", "\n".join(["task,grader,item,rank", *rows]))

    assert "and 2 more tasks" in grade(many).output


def test_sentences_and_notes_say_how_it_was_read(put):
    path = put("feedback.csv", RANKS.replace("\n", ",why\n").replace("rank,why", "rank,comment", 1))

    lines = [line.strip() for line in grade(path, env={"COLUMNS": "120"}).output.splitlines()[1:6]]

    assert lines[0] == "Lines 2 to 4: ada ranks x first, then y, then z."
    assert lines[2] == "Items (3): x, y, z. Graders (4): =dan, ada, bob, … Ignored: comment."
    assert "Note: column ignored: 'comment'" in lines


def test_own_work_is_left_out_listed_and_can_be_kept(put, tmp_path):
    feedback = put("feedback.csv", RANKS.replace("x", "ada"))

    out = grade(feedback, "--no-report", "--out", tmp_path / "out")
    kept = grade(feedback, "--self", "keep", "--no-report", "--out", tmp_path / "kept")

    results = [json.loads((tmp_path / name / "results.json").read_text("utf-8")) for name in ("out", "kept")]
    assert [row["item"] for row in results[0]["left_out"]] == ["ada"]
    assert results[1]["left_out"] == []
    assert "They are ada on ada; --self keep counts them." in " ".join(out.output.split())
    assert "left out" not in kept.output


@pytest.mark.parametrize(
    ("direction", "best", "sentence"),
    [
        ("ranks", "x", "1 is read as best: you said so"),
        ("scores", "z", "larger numbers are read as better: you said so"),
        ("lower-is-better", "x", "lower numbers are read as better: you said so"),
        ("worst-first", "z", "1 is read as worst: you said so"),
    ],
)
def test_the_direction_is_printed_and_kept(feedback, tmp_path, direction, best, sentence):
    out = tmp_path / "out"

    said = grade(feedback, "--direction", direction, "--out", out, env={"COLUMNS": "300"}).output

    made = json.loads((out / "run.json").read_text())["direction"]
    result = json.loads((out / "results.json").read_text())
    assert sentence[1:] in said
    assert sentence[1:] in (out / "report.html").read_text()
    assert f"{made['sentence']}: {made['why']}" == sentence
    assert result["provenance"]["direction"] == result["preflight"]["direction"] == made
    assert result["items"][0]["item"] == best
