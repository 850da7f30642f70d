"""What a run leaves behind: everything or nothing, nothing stale, nothing of the user's overwritten."""

import errno
import json
import os
import resource
import subprocess
import sys

import polars as pl
import pytest
from typer.testing import CliRunner

from peerage import DataError, Feedback, grade
from peerage._files import write_atomically
from peerage.cli import app
from peerage.cli.grade import student_files
from peerage.grading.output.books import BOOKS
from peerage.grading.output.export import gradebook
from peerage.grading.output.files import round_columns, write_table
from peerage.results import RESULT_FILES, Run, result_files, write_files

ROWS = "grader,item,score\nada,x,8\nada,y,6\nbob,x,9\nbob,y,5\ncyd,y,7\ncyd,x,6\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "feedback.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def result(**options):
    return grade(
        Feedback.from_orders({"ann": ["p1", "p2"], "bob": ["p1", "p2"]}),
        scale=(0, 10),
        curve=(5, 2),
        **options,
    )


# -- all or nothing -----------------------------------------------------------------------------------


def broken(run, path):
    path.write_bytes(b"half")
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_nothing_and_names_the_file(tmp_path):
    out = tmp_path / "out"
    files = [*RESULT_FILES[1:3], type(RESULT_FILES[0])("report.html", "", "", "", broken)]

    with pytest.raises(OSError, match="No space left on device: nothing was written") as caught:
        write_files(Run(result=result()), out, files)

    assert caught.value.filename == str(out / "report.html")
    assert not out.exists()


def test_what_was_there_before_stays_when_a_run_fails(tmp_path):
    write_files(Run(result=result()), tmp_path, result_files("always"))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    files = [*result_files("always"), type(RESULT_FILES[0])("report.html", "", "", "", broken)]

    with pytest.raises(OSError, match="nothing was written"):
        write_files(Run(result=result(method="bt")), tmp_path, files)

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_real_limit_on_files_leaves_nothing(file, tmp_path):
    """The system itself refuses to write more than 20,000 bytes into a file, as a full disk would."""
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000));"
        "sys.argv = ['peerage', 'grade', *sys.argv[1:]]; from peerage.cli import main; main()"
    )
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    out = tmp_path / "out"
    done = subprocess.run(
        [sys.executable, "-c", script, str(file), "--out", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert f"{out / 'report.html'}: file too large: nothing was written" in done.stderr
    assert not out.exists()


def test_a_single_file_is_never_half_written(tmp_path, monkeypatch):
    path = tmp_path / "grades.csv"
    path.write_bytes(b"before")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "broken")))

    with pytest.raises(OSError, match="broken"):
        write_atomically(path, b"after")

    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["grades.csv"]


def test_a_link_is_followed_and_a_pipe_is_written_to(tmp_path):
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    write_atomically(tmp_path / "link", b"through")
    write_atomically("/dev/null", b"gone")

    assert (tmp_path / "real").read_bytes() == b"through"
    assert (tmp_path / "link").is_symlink()


# -- a folder used again ------------------------------------------------------------------------------


def test_pages_of_an_earlier_run_go(file, tmp_path):
    out = tmp_path / "out"
    run("grade", file, "--out", out, "--student", "ada", "--figures")
    assert "student-ada.html" in names(out)
    assert "figures/class.svg" in names(out)
    (out / "notes.txt").write_text("mine", encoding="utf-8")

    run("grade", file, "--out", out, "--student", "bob", "--no-report")

    assert names(out) == [
        "graders.csv",
        "grades.csv",
        "notes.txt",
        "reading.toml",
        "results.json",
        "run.json",
        "student-bob.html",
    ]


def test_a_list_of_files_cannot_lead_out_of_the_folder(tmp_path):
    out, mine = tmp_path / "out", tmp_path / "mine.txt"
    out.mkdir()
    mine.write_text("mine", encoding="utf-8")
    for listed in (["../mine.txt"], [str(mine), 3, None, ""], "../mine.txt", None):
        (out / "run.json").write_text(json.dumps({"files": listed}), encoding="utf-8")

        write_files(Run(result=result()), out, result_files("always"))

        assert mine.exists(), listed


def test_run_json_lists_the_files(file, tmp_path):
    run("grade", file, "--out", tmp_path / "out", "--figures")

    written = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))["files"]

    assert sorted(written) == names(tmp_path / "out")


def test_what_is_graded_is_not_written_over(tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(ROWS, encoding="utf-8")

    done = run("grade", path, "--out", tmp_path)

    assert done.exit_code == 2
    assert "would be written over" in done.output
    assert path.read_text("utf-8") == ROWS


@pytest.mark.parametrize("out", ["feedback.csv", "./feedback.csv", "link.csv"])
def test_a_file_is_not_converted_onto_itself(file, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to(file)

    done = run("convert", "feedback.csv", out)

    assert done.exit_code == 2
    assert "feedback.csv itself" in done.output
    assert file.read_text("utf-8") == ROWS


# -- every student ------------------------------------------------------------------------------------


def test_everybody_gets_a_page_and_a_list_says_which(file, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("student,item\nada,y\nbob,x\neve,\n", encoding="utf-8")

    run("grade", file, "--out", tmp_path / "out", "--student", "all", "--roster", roster)

    pages = pl.read_csv(tmp_path / "out" / "students.csv")
    assert pages.rows() == [(name, f"student-{name}.html") for name in ("ada", "bob", "eve")]
    assert set(pages["file"]) <= set(names(tmp_path / "out"))


def test_without_a_roster_everybody_is_who_graded_and_every_item(file, tmp_path):
    run("grade", file, "--out", tmp_path / "out", "--student", "all")

    assert pl.read_csv(tmp_path / "out" / "students.csv")["student"].to_list() == [
        "ada",
        "bob",
        "cyd",
        "x",
        "y",
    ]


def test_files_of_students_differ_on_every_file_system():
    found = student_files(["a b", "a/b", "A/B", "Żaneta", "李", "x" * 400])

    assert list(found.values())[:5] == [
        "student-a_b.html",
        "student-a_b-2.html",
        "student-A_B-3.html",
        "student-Żaneta.html",
        "student-李.html",
    ]
    assert all(len(name.encode()) < 255 for name in found.values())


# -- figures ------------------------------------------------------------------------------------------


def test_tables_are_rounded_and_the_record_is_not(file, tmp_path):
    run("grade", file, "--out", tmp_path / "out", "--scale", "0:10")
    table = pl.read_csv(tmp_path / "out" / "grades.csv")
    record = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))["items"]

    assert table["se"].median() > 0.1
    for name in ("score", "se", "points", "percentile", "mean_score"):
        texts = [str(value).partition(".")[2] for value in table[name]]
        assert max(map(len, texts)) <= 3
        assert [row[name] for row in record] == pytest.approx(table[name].to_list(), abs=0.06)
    assert any(len(str(row["score"])) > 10 for row in record)


@pytest.mark.parametrize(
    ("error", "expected"), [(0.2, 1.235), (0.02, 1.2346), (30.0, 1.2), (900.0, 1.0), (0.0, 1.235)]
)
def test_scores_keep_a_hundredth_of_their_error(error, expected):
    columns = {name: [1.23456] for name in ("score", "score_low", "score_high")}

    assert round_columns(pl.DataFrame({**columns, "se": [error]}))["score"].item() == expected


# -- grade books --------------------------------------------------------------------------------------


def test_a_workbook_holds_the_plain_table(tmp_path):
    made, people = result(letters="A>=5,B"), {"student": ["=s1", "s2"], "item": ["p1", "p2"]}

    write_table(gradebook(made, people, "xlsx"), tmp_path / "book.xlsx")

    book = pl.read_excel(tmp_path / "book.xlsx")
    assert book["student"].to_list() == ["=s1", "s2"]
    assert book["letter"].to_list() == ["A", "B"]
    assert book.columns == gradebook(made, people, "csv").columns


def test_the_same_run_writes_the_same_workbook(tmp_path):
    files = result_files(books=[BOOKS["xlsx"]])

    for folder in ("one", "other"):
        write_files(Run(result=result()), tmp_path / folder, files)

    assert (tmp_path / "one" / "gradebook-xlsx.xlsx").read_bytes() == (
        tmp_path / "other" / "gradebook-xlsx.xlsx"
    ).read_bytes()


@pytest.mark.parametrize("book", ["canvas", "moodle"])
def test_grade_books_may_hold_letters(book):
    made, people = result(letters="A>=5,B"), {"student": ["s1", "s2"], "item": ["p1", "p2"]}

    table = gradebook(made, people, book, grade_as="letter")

    assert table["Peer grade"].to_list()[-2:] == ["A", "B"]


def test_letters_in_a_grade_book_need_letters():
    with pytest.raises(DataError, match="grade_as='letter' needs letters"):
        gradebook(result(), {"student": ["s1"], "item": ["p1"]}, "canvas", grade_as="letter")
