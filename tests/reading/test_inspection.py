"""What a file looks like before it is read."""

import polars as pl
from tests.reading.battery.case import as_workbook

from peerage import inspect


def test_the_kind_of_file_and_its_first_rows_are_shown():
    found = inspect(b"reviewer;paper;mark\nada;x;8\nbob;y;7\n", rows=1)

    assert (found.kind, found.layout, found.delimiter, found.encoding) == ("csv", "long", ";", "utf-8")
    assert (found.header, found.rows) == (("reviewer", "paper", "mark"), (("ada", "x", "8"),))
    assert (found.required, found.optional[0], found.problems) == (("grader", "item"), "rank", ())
    headless = inspect(b"ada,x,8\nbob,y,7\n", header="none", rows=1)
    assert (headless.header, headless.rows) == (("column 1", "column 2", "column 3"), (("ada", "x", "8"),))


def test_layouts_are_told_apart():
    layouts = {
        b"left,right,winner\na,b,a\n": "pairs",
        b"better,worse\na,b\n": "pairs",
        b"rater,x,y,z\nA,1,2,3\nB,2,1,3\n": "matrix",
        b"t g a > b\n": "lists",
    }

    assert {data: inspect(data).layout for data in layouts} == layouts


def test_exports_of_systems_are_shown_without_what_the_system_added():
    form = inspect(b"Timestamp,Email Address,Rank [x],Rank [y]\n2026-03-01,ada@uni.edu,1,2\n")
    grade_book = inspect(b"Student,ID,SIS Login ID,Section,Poster\nAda,1,a,1,9\n")

    assert (form.layout, form.header) == ("matrix", ("Email Address", "Rank [x]", "Rank [y]"))
    assert form.notes == ("read as an export of Google Forms",)
    assert ["a Canvas grade book" in problem.rule for problem in grade_book.problems] == [True]


def test_sheets_have_names_and_numbers_and_are_listed_even_if_the_first_is_empty():
    data = as_workbook({"Cover": [], "Reviews": [["grader", "item", "score"], ["ada", "x", 1]]})

    cover, reviews = inspect(data), inspect(data, sheet="Reviews")

    assert (cover.sheet, cover.sheets, cover.header) == ("Cover", ("Cover", "Reviews"), ())
    assert [problem.rule for problem in cover.problems] == ["sheet 'Cover' is empty"]
    assert (reviews.sheet, reviews.rows) == ("Reviews", (("ada", "x", "1"),))
    found = {sheet: inspect(data, sheet=sheet).sheet for sheet in (2, "2", "Cover", "C", 9)}
    assert found == {2: "Reviews", "2": "Reviews", "Cover": "Cover", "C": None, 9: None}


def test_rows_that_do_not_fit_are_shown():
    found = inspect(b"a;b\n1;2;3\n")

    assert found.rows == (("1", "2", "3"),)
    assert [str(problem) for problem in found.problems] == [
        "line 2: '1;2;3' has 3 fields, the header has 2; put quotes around a field that contains a semicolon"
    ]


def test_tables_in_memory_are_shown_as_text():
    found = inspect(pl.DataFrame({"grader": ["ada"], "item": [7], "score": [None], "seen": [["x"]]}))

    assert found.rows == (("ada", "7", "", "['x']"),)


def test_endless_rows_are_cut():
    found = inspect(b"grader,item,rank\n" + b"," * 3_000_000, rows=1)

    assert 3 < len(found.rows[0]) <= 100_001


def test_millions_of_empty_lines_are_passed_over_at_once():
    found = inspect(b"\n \r\n" * 1_000_000 + b"grader,item,rank\n" + b"\r\n" * 1_000_000 + b"ada,x,1\n")

    assert found.header == ("grader", "item", "rank")
    assert found.rows == (("ada", "x", "1"),)
