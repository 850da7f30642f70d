"""What a file looks like before it is read."""

from __future__ import annotations

import polars as pl
import pytest
from exports import as_workbook

from peerage import inspect


def test_columns_are_guessed_and_rows_shown():
    found = inspect(b"reviewer;paper;mark\nada;x;8\nbob;y;7\n", rows=1)

    assert (found.kind, found.layout, found.delimiter, found.encoding) == ("csv", "long", ";", "utf-8")
    assert found.columns == {"grader": "reviewer", "item": "paper", "score": "mark"}
    assert found.rows == (("ada", "x", "8"),)
    assert found.problems == ()
    given = inspect(b"who,what,points\nada,x,8\n", grader="who", item="what")
    assert given.columns == {"grader": "who", "item": "what", "score": "points"}


def test_missing_and_ambiguous_columns_are_told_not_raised():
    found = inspect(b"who,paper,mark\nada,x,8\n")

    assert found.columns == {"item": "paper", "score": "mark"}
    assert [problem.rule for problem in found.problems] == ["no column for the grader found"]
    assert found.required == ("grader", "item")
    ambiguous = inspect(b"rater,judge,item,score\na,b,x,1\n")
    assert ambiguous.candidates == {"grader": ("rater", "judge")}
    assert ambiguous.columns == {"item": "item", "score": "score"}


@pytest.mark.parametrize(
    ("data", "layout", "required", "items"),
    [
        (b"left,right,winner\na,b,a\n", "pairs", ("left", "right", "winner"), None),
        (b"better,worse\na,b\n", "pairs", ("top", "bottom"), None),
        (b"rater,x,y,z\nA,1,2,3\nB,2,1,3\n", "matrix", (), 3),
        (b"t g a > b\n", "lists", (), None),
    ],
)
def test_layouts_are_told_apart(data, layout, required, items):
    found = inspect(data)

    assert (found.layout, found.required, found.items) == (layout, required, items)


def test_sheets_are_listed_even_if_the_first_is_empty():
    data = as_workbook({"Cover": [], "Reviews": [["grader", "item", "score"], ["ada", "x", 1]]})

    cover, reviews = inspect(data), inspect(data, sheet="Reviews")

    assert (cover.sheet, cover.sheets, cover.header) == ("Cover", ("Cover", "Reviews"), ())
    assert [problem.rule for problem in cover.problems] == ["sheet 'Cover' is empty"]
    assert (reviews.sheet, reviews.rows) == ("Reviews", (("ada", "x", "1"),))


def test_sheets_have_names_and_numbers():
    data = as_workbook({"A": [["x"]], "B": [["y"]]})

    found = {sheet: inspect(data, sheet=sheet).sheet for sheet in (2, "2", "A", "C", 9)}

    assert found == {2: "B", "2": "B", "A": "A", "C": None, 9: None}


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
