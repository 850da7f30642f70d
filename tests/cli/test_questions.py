"""Files that do not say what they mean: asked about in a terminal, elsewhere one command per reading."""

import json
import signal

import pytest
from tests.cli.commands import offered, run
from tests.cli.terminals import in_terminal

from peerage import AmbiguousReadingError, Reading, read

MATRIX = "Name,P1,P2,P3\nada,3,2,1\nbob,1,3,2\ncyd,1,2,3\n"
LINE_2 = ("Line 2: ada ranks P1 first (3), then P2 (2), then P3 (1).", "Line 2: ada ranks P3 first, then P2")


@pytest.fixture
def matrix(put):
    return put("my class.csv", MATRIX)


def readings(path):
    with pytest.raises(AmbiguousReadingError) as caught:
        read(path)
    return caught.value.readings


# -- without a terminal ---------------------------------------------------------------------------------


def test_without_a_terminal_it_is_refused_with_a_command_that_works_for_every_reading(matrix):
    refused, expected = run("check", matrix, "--json"), readings(matrix)

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "nothing says whether" in refused.stderr
    assert all(sentence in refused.stderr for sentence in LINE_2)
    assert "r the other way round:" in refused.stderr
    assert len(expected) == 2
    for words, proposal in zip(offered(refused), expected, strict=True):
        report = json.loads(run(*words).stdout)
        assert report["sentences"] == list(proposal.sentences)
        assert Reading.from_dict(report["reading"]) == proposal.reading


def test_lines_that_are_open_are_named(put):
    path = put("holes.csv", "grader,item,score\nada,x,\nada,y,7\nada,z,8\nbob,x,\nbob,y,9\nbob,z,5\n")

    result = run("check", path)

    assert "Line 2, column 'score': the score is empty." in result.stderr
    assert "Line 5, column 'score': the score is empty." in result.stderr
    assert run(*offered(result)[0]).exit_code == 0


def test_what_else_was_said_is_kept_and_what_is_said_again_stands_once(matrix, put, tmp_path):
    out, reading = tmp_path / "the results", put("reading.toml", 'ignore = ["none"]\n')
    more = ["--out", out, "--column=grader=Name", "--scale", "0:10", "--curve", "6:2", "--reading", reading]

    first = offered(run("grade", matrix, *more, "--title", "--column"))[0]

    assert first[:2] == ["grade", str(matrix)]
    kept = [first[first.index(flag) + 1] for flag in ("--out", "--scale", "--title")]
    assert kept == [str(out), "0:10", "--column"]
    assert "--reading" not in first
    assert sum(word.startswith("grader=") for word in first) == 1
    assert run(*first).exit_code == 0
    assert (out / "reading.toml").exists()


def test_what_comes_after_two_dashes_stays_last(put, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put("-odd.csv", MATRIX)

    first = offered(run("check", "--", "-odd.csv"))[0]

    assert first[-2:] == ["--", "-odd.csv"]
    assert run(*first).exit_code == 0


def test_commands_for_standard_input_say_that_it_is_needed_again(matrix):
    result = run("check", "-", input=MATRIX)

    assert "Run the one that is right with the same input:" in result.stderr
    for words in offered(result):
        assert run(*words, input=MATRIX).exit_code == 0


@pytest.mark.parametrize("command", ["grade", "explain", "compare", "convert", "pack"])
def test_every_command_that_reads_feedback_offers_them(matrix, tmp_path, command):
    more = {"explain": ["P1"], "convert": [tmp_path / "new.csv"], "pack": ["--out", tmp_path / "packed"]}

    result = run(command, matrix, *more.get(command, []))

    assert result.exit_code == 2
    assert len(offered(result)) == 2
    assert run(*offered(result)[0]).exit_code == 0


# -- in a terminal --------------------------------------------------------------------------------------


def test_the_reading_that_was_chosen_is_graded_and_kept(matrix, tmp_path):
    """What stands on the screen is on the pages that tests/test_docs.py follows."""
    best = set()
    for number, proposal in enumerate(readings(matrix), start=1):
        out = tmp_path / str(number)
        code, shown = in_terminal("grade", matrix, "--out", out, answers=["7\n", "yes\n", f"{number}\n"])

        assert code == 0, shown
        assert shown.count("Type a number from 1 to 2") == 2
        assert Reading.from_toml((out / "reading.toml").read_text("utf-8")) == proposal.reading
        best.add((out / "grades.csv").read_text("utf-8").splitlines()[1])

    assert len(best) == 2


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [("0\n", 2, "Nothing was read."), ("\x04", 2, "Nothing was read."), (signal.SIGINT, 130, "Stopped.")],
    ids=["0", "end of input", "an interrupt"],
)
def test_whoever_wants_none_of_them_stops(matrix, tmp_path, answer, code, words):
    ended, shown = in_terminal("grade", matrix, "--out", tmp_path / "out", answers=[answer])

    assert ended == code
    assert words in shown
    assert not (tmp_path / "out").exists()


def test_what_was_typed_into_standard_input_is_kept(tmp_path):
    code, shown = in_terminal("check", "-", typed=MATRIX.encode() + b"\x04", answers=["1\n"])

    assert code == 0
    assert "9 in 3 lists" in shown


# -- readings in files ----------------------------------------------------------------------------------


def test_the_reading_of_last_week_reads_this_week_s_file(matrix, put, tmp_path):
    words = offered(run("check", matrix))[0]
    assert run("grade", *words[1:], "--out", tmp_path / "out").exit_code == 0
    this_week = put("next.csv", MATRIX.replace("ada", "eve"))

    result = run("check", this_week, "--reading", tmp_path / "out" / "reading.toml")

    assert result.exit_code == 0, result.stderr
    assert "eve ranks P3 first, then P2, then P1." in result.stdout


def test_flags_beside_a_reading_win(matrix, put):
    """Even where they say what nobody had to say."""
    first, other = readings(matrix)
    kept = put("reading.toml", first.reading.to_toml())

    result = run("check", matrix, "--reading", kept, "--direction", other.reading.direction, "--json")

    assert json.loads(result.stdout)["sentences"] == list(other.sentences)
    assert run("check", matrix, "--reading", kept, "--direction", "auto").exit_code == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"direction = ", "this is no reading"),
        (b'directoin = "ranks"\n', "did you mean 'direction'?"),
        (b"\xff\xfe", "is not UTF-8"),
        (None, "no such file"),
    ],
)
def test_a_reading_that_is_none_is_refused(matrix, tmp_path, content, words):
    if content is not None:
        (tmp_path / "reading.toml").write_bytes(content)

    result = run("check", matrix, "--reading", tmp_path / "reading.toml")

    assert result.exit_code == 2
    assert "reading.toml" in result.stderr
    assert words in result.stderr


def test_options_that_are_lists_may_be_repeated(put):
    path = put("beside.csv", "Name,Section,Hours,P1,P2,P3\nada,1,4,3,2,1\nbob,2,2,1,3,2\n")
    options = ["--ignore", "Section", "--ignore", "Hours", "--items", "P*", "--direction", "ranks"]

    report = json.loads(run("check", path, "--format", "matrix", *options, "--json").stdout)

    assert report["counts"]["items"] == 3
    assert report["reading"]["ignore"] == ["Section", "Hours"]


# -- columns of rosters ---------------------------------------------------------------------------------

NAMED = "grader,item,rank\nada,P1,1\nada,P2,2\nbob,P2,1\nbob,P1,2\n"
COLUMNS = ["--roster-column", "student=Matrikel", "--roster-column", "item=Thema"]


@pytest.mark.parametrize("command", ["check", "grade", "explain"])
def test_columns_of_a_roster_can_be_named(put, command):
    people = put("people.csv", "Matrikel,Thema\nada,P1\nbob,P2\n")
    words = [command, put("named.csv", NAMED), *(["P1"] if command == "explain" else []), "--roster", people]

    refused = run(*words)
    done = run(*words, *COLUMNS, "--json")

    assert refused.exit_code == 2
    assert "--roster-column student=" in refused.stderr
    assert done.exit_code == 0, done.stderr
    if command != "explain":
        report = json.loads(done.stdout)
        findings = report.get("preflight", report)["findings"]
        assert "own-work" in [finding["code"] for finding in findings]


def test_who_reviews_what_takes_them_too(put, tmp_path):
    people, lists = put("people.csv", "Matrikel\nada\nbob\ncyd\n"), tmp_path / "lists.csv"

    made = run("allocate", people, "-k", 1, *COLUMNS[:2], "--out", lists)
    mended = run("repair", lists, people, "-k", 1, *COLUMNS[:2])

    assert (made.exit_code, mended.exit_code) == (0, 0), (made.output, mended.output)
    without = run("check", put("named.csv", NAMED), *COLUMNS)
    assert without.exit_code == 2
    assert "needs --roster FILE" in without.output
