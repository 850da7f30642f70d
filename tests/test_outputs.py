"""The files of a run: everything or nothing, nothing stale, nothing of the user overwritten, all in place."""

import errno
import json
import os
import subprocess
import sys
from functools import cache

import polars as pl
import pytest
from tests.cli.commands import run
from tests.unreachable import inside_unreachable

from peerage import DataError, Feedback, Reading, grade, read, results
from peerage._files import write_atomically
from peerage.cli.grade import student_files
from peerage.grading.output.books import BOOKS, BookOptions, grade_book
from peerage.grading.output.export import gradebook
from peerage.grading.output.files import round_columns, write_table
from peerage.grading.output.results_json import record
from peerage.results import RESULT_FILES, Run, result_files, write_files

ROWS = "grader,item,score\nada,x,8\nada,y,6\nbob,x,9\nbob,y,5\ncyd,y,7\ncyd,x,6\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "feedback.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@cache
def result(**options):
    feedback = Feedback.from_orders({"ann": ["p1", "p2"], "bob": ["p1", "p2"]})
    return grade(feedback, scale=(0, 10), curve=(5, 2), **options)


# -- all or nothing -----------------------------------------------------------------------------------


def broken(run, path):
    path.write_bytes(b"half")
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_was_there_before_stays_when_a_run_fails(tmp_path):
    write_files(Run(result=result()), tmp_path, result_files("always"))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    files = [*result_files("always"), type(RESULT_FILES[0])("report.html", "", "", "", broken)]

    with pytest.raises(OSError, match="nothing was written"):
        write_files(Run(result=result(method="bt")), tmp_path, files)

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_full_disk_leaves_nothing_and_names_the_file(file, tmp_path):
    """The system itself refuses to write more than 20,000 bytes into a file, as a full disk would."""
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000));"
        "sys.argv = ['peerage', 'grade', *sys.argv[1:]]; from peerage.cli import main; main()"
    )
    out = tmp_path / "out"

    command = [sys.executable, "-c", script, str(file), "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

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


def test_a_file_is_written_where_no_absolute_path_leads(tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()

    with inside_unreachable(folder):
        write_atomically("grades.csv", b"whole")

    assert (folder / "grades.csv").read_bytes() == b"whole"


# -- a folder used again ------------------------------------------------------------------------------


def test_pages_of_an_earlier_run_go(file, tmp_path):
    out = tmp_path / "out"
    run("grade", file, "--out", out, "--student", "ada", "--figures")
    assert "student-ada.html" in names(out)
    assert "figures/class.svg" in names(out)
    (out / "notes.txt").write_text("mine", encoding="utf-8")

    run("grade", file, "--out", out, "--student", "bob", "--no-report")

    written = json.loads((out / "run.json").read_text("utf-8"))["files"]
    assert sorted([*written, "notes.txt"]) == names(out)
    assert {"grades.csv", "student-bob.html"} <= set(written)
    assert {"student-ada.html", "figures/class.svg", "report.html"} & set(written) == set()


def test_a_list_of_files_cannot_lead_out_of_the_folder(tmp_path):
    out, mine = tmp_path / "out", tmp_path / "mine.txt"
    out.mkdir()
    mine.write_text("mine", encoding="utf-8")
    for listed in (["../mine.txt"], [str(mine), 3, None, ""], "../mine.txt", None):
        (out / "run.json").write_text(json.dumps({"files": listed}), encoding="utf-8")

        write_files(Run(result=result()), out, result_files("always"))

        assert mine.exists(), listed


def test_what_is_graded_is_not_written_over(tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(ROWS, encoding="utf-8")

    done = run("grade", path, "--out", tmp_path)

    assert done.exit_code == 2
    assert "would be written over" in done.output
    assert path.read_text("utf-8") == ROWS


@pytest.mark.parametrize("out", ["./feedback.csv", "link.csv"])
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
    run("grade", file, "--out", tmp_path / "whoever", "--student", "all")

    pages = pl.read_csv(tmp_path / "out" / "students.csv")
    assert pages.rows() == [(name, f"student-{name}.html") for name in ("ada", "bob", "eve")]
    assert set(pages["file"]) <= set(names(tmp_path / "out"))
    everybody = pl.read_csv(tmp_path / "whoever" / "students.csv")["student"].to_list()
    assert everybody == ["ada", "bob", "cyd", "x", "y"]


def test_files_of_students_differ_on_every_file_system():
    found = list(student_files(["a b", "a/b", "A/B", "Żaneta", "李", "x" * 400]).values())

    names = ("a_b", "a_b-2", "A_B-3", "Żaneta", "李")
    assert found[:5] == [f"student-{name}.html" for name in names]
    assert len(found[5].encode()) < 255


# -- numbers ------------------------------------------------------------------------------------------


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

    one, other = ((tmp_path / folder / "gradebook-xlsx.xlsx").read_bytes() for folder in ("one", "other"))
    assert one == other


@pytest.mark.parametrize("book", ["canvas", "moodle"])
def test_grade_books_may_hold_letters_where_there_are_some(book):
    people = {"student": ["s1", "s2"], "item": ["p1", "p2"]}

    table = gradebook(result(letters="A>=5,B"), people, book, grade_as="letter")

    assert table["Peer grade"].to_list()[-2:] == ["A", "B"]
    with pytest.raises(DataError, match="grade_as='letter' needs letters"):
        gradebook(result(), people, book, grade_as="letter")


def test_every_grade_book_has_a_file_with_a_row_per_item_where_there_is_no_roster(tmp_path):
    made = Run(result=result(), book=BookOptions(title="Poster"))

    write_files(made, tmp_path, result_files(books=[BOOKS["moodle"]]))

    table = pl.read_csv(tmp_path / "gradebook-moodle.csv")
    assert table["ID number"].to_list() == ["p1", "p2"]
    assert "Poster" in table.columns
    assert {file.name for file in result_files("book")} == {book.file for book in BOOKS.values()}
    with pytest.raises(DataError, match="there is no grade book format 'blackboard'; known: canvas, moodle"):
        grade_book("blackboard")


# -- the list of files --------------------------------------------------------------------------------


def test_every_file_is_written_under_its_name(tmp_path):
    made, out = result(), tmp_path / "out"

    paths = write_files(Run(result=made, times=lambda: {"elapsed": 1.5}), out, RESULT_FILES)

    assert [path.name for path in paths] == [file.name for file in RESULT_FILES]
    assert names(out) == sorted(file.name for file in RESULT_FILES)
    assert json.loads((out / "results.json").read_text("utf-8")) == json.loads(json.dumps(record(made)))
    assert json.loads((out / "run.json").read_text("utf-8"))["elapsed"] == 1.5
    assert Reading.from_toml((out / "reading.toml").read_text("utf-8")) == Reading()  # it came from no file


def test_how_the_file_was_read_is_a_file_that_reads_it_again(tmp_path):
    file = tmp_path / "reviews.csv"
    file.write_text("Wer;Arbeit;Punkte;Datum\nada;x;7;1.2.\nada;y;5;1.2.\n", encoding="utf-8")
    told = read(file, grader="Wer", ignore=["Datum"])

    write_files(Run(result=grade(told)), tmp_path / "out", result_files("always"))

    again = read(file, reading=tmp_path / "out" / "reading.toml")
    run = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))
    assert again.equals(told)
    assert again.reading == told.reading == Reading.from_dict(run["reading"])
    assert run["sentences"] == list(told.sentences)


def test_tables_of_large_classes_are_beside_the_record_as_they_would_be_in_it(tmp_path, monkeypatch):
    made, files = result(), result_files("always", "tables")
    write_files(Run(result=made, beside=True), tmp_path / "beside", files)
    write_files(Run(result=made), tmp_path / "inside", result_files("always"))

    texts = ((tmp_path / name / "results.json").read_text("utf-8") for name in ("beside", "inside"))
    beside, inside = map(json.loads, texts)

    assert inside["tables"] is None
    assert [beside["items"], beside["graders"], beside["comparison"]["ranks"]] == [None, None, None]
    for key, name in beside["tables"].items():
        whole = inside["comparison"]["ranks"] if key == "ranks" else inside[key]
        assert pl.read_parquet(tmp_path / "beside" / name).to_dicts() == whole
    assert not results.are_large(made)
    monkeypatch.setattr(results, "ROWS_IN_JSON", 3)
    assert results.are_large(made)


def test_very_long_tables_are_folders_of_slices(tmp_path, monkeypatch):
    made, files = Run(result=result(), beside=True), result_files("always", "tables")
    write_files(made, tmp_path, files)
    whole = pl.read_parquet(tmp_path / "graders.parquet")
    monkeypatch.setattr("peerage.grading.output.files.SLICE", 1)

    paths = write_files(made, tmp_path, files)  # where files were, there are folders now

    assert pl.read_parquet(tmp_path / "graders.parquet").equals(whole)
    slices = [path.name for path in paths if path.parent.name == "graders.parquet"]
    assert slices == ["part-00000.parquet", "part-00001.parquet"]
    monkeypatch.undo()
    write_files(made, tmp_path, files)  # and back
    assert (tmp_path / "graders.parquet").is_file()
