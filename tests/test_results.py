"""The one list of result files."""

import json
import subprocess
import sys

import polars as pl
import pytest

from peerage import DataError, Feedback, Reading, grade, read, results
from peerage.grading.output.books import BOOKS, BookOptions, grade_book
from peerage.grading.output.results_json import record
from peerage.results import RESULT_FILES, Run, result_files, write_files

RESULT = grade(
    Feedback.from_orders([("ann", ["p1", "p2"]), ("bob", ["p1", "p2"]), ("cat", ["p2", "p1"])]),
    scale="0:10",
    curve="6:2",
)


def test_every_file_is_written_under_its_name(tmp_path):
    paths = write_files(Run(result=RESULT), tmp_path / "out", RESULT_FILES)

    assert [path.name for path in paths] == [file.name for file in RESULT_FILES]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(f.name for f in RESULT_FILES)


def test_records_hold_the_result_and_the_times(tmp_path):
    write_files(Run(result=RESULT, times=lambda: {"elapsed": 1.5}), tmp_path, result_files("always"))

    assert json.loads((tmp_path / "results.json").read_text("utf-8")) == json.loads(
        json.dumps(record(RESULT))
    )
    assert json.loads((tmp_path / "run.json").read_text("utf-8"))["elapsed"] == 1.5


def test_every_grade_book_has_a_file():
    assert {file.name for file in result_files("book")} == {book.file for book in BOOKS.values()}
    assert [file.name for file in result_files(books=[BOOKS["moodle"]])] == ["gradebook-moodle.csv"]


def test_without_a_roster_a_grade_book_has_a_row_per_item(tmp_path):
    run = Run(result=RESULT, book=BookOptions(title="Poster"))

    write_files(run, tmp_path, result_files(books=[BOOKS["moodle"]]))

    table = pl.read_csv(tmp_path / "gradebook-moodle.csv")
    assert table["ID number"].to_list() == ["p1", "p2"]
    assert "Poster" in table.columns


def test_a_grade_book_nobody_knows_is_refused():
    with pytest.raises(DataError, match="there is no grade book format 'blackboard'; known: canvas, moodle"):
        grade_book("blackboard")


def test_the_list_is_read_without_loading_anything_heavy():
    script = "import peerage.results, sys; print({'polars', 'numpy'} & set(sys.modules))"

    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "set()"


def test_tables_beside_the_record_are_the_tables_in_it(tmp_path):
    files = result_files("always", "tables")

    write_files(Run(result=RESULT, beside=True), tmp_path / "beside", files)
    write_files(Run(result=RESULT), tmp_path / "inside", result_files("always"))

    beside, inside = (
        json.loads((tmp_path / name / "results.json").read_text(encoding="utf-8"))
        for name in ("beside", "inside")
    )
    assert inside["tables"] is None
    assert [beside["items"], beside["graders"], beside["comparison"]["ranks"]] == [None, None, None]
    for key, name in beside["tables"].items():
        whole = inside["comparison"]["ranks"] if key == "ranks" else inside[key]
        assert pl.read_parquet(tmp_path / "beside" / name).to_dicts() == whole


def test_large_classes_have_their_tables_beside(monkeypatch):
    assert not results.are_large(RESULT)
    monkeypatch.setattr(results, "ROWS_IN_JSON", 3)
    assert results.are_large(RESULT)


def test_very_long_tables_are_folders_of_slices(tmp_path, monkeypatch):
    files = result_files("always", "tables")
    run = Run(result=RESULT, beside=True)
    write_files(run, tmp_path, files)
    whole = pl.read_parquet(tmp_path / "graders.parquet")
    monkeypatch.setattr("peerage.grading.output.files.SLICE", 2)

    paths = write_files(run, tmp_path, files)  # where files were, there are folders now

    assert pl.read_parquet(tmp_path / "graders.parquet").equals(whole)
    slices = [path.name for path in paths if path.parent.name == "graders.parquet"]
    assert slices == ["part-00000.parquet", "part-00001.parquet"]
    monkeypatch.undo()
    write_files(run, tmp_path, files)  # and back
    assert (tmp_path / "graders.parquet").is_file()


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


def test_what_came_from_no_file_was_read_in_no_way(tmp_path):
    write_files(Run(result=RESULT), tmp_path, result_files("always"))

    assert Reading.from_toml((tmp_path / "reading.toml").read_text("utf-8")) == Reading()
