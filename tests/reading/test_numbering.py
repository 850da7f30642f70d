"""Labels of many rows numbered as those of few; and large files read as small ones."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerage import DataError, Feedback, read
from peerage.feedback import labels as labels_module
from peerage.feedback.labels import encode_labels
from peerage.reading.pairs import Comparisons
from peerage.reading.text import iterate_records

LABELS = st.text(st.characters(codec="utf-8", exclude_characters='"\n,'), max_size=6) | st.sampled_from(
    ["", " ", "ada", "ada ", "\u2003ada", "Ada", "a" * 300, "1", "10", "9", "07", "7"]
)


@st.composite
def tables(draw):
    """Rows of labels, some of them empty, as text and as cells."""
    width = draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(LABELS, min_size=width, max_size=width) | st.none(), min_size=1))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    last = draw(st.sampled_from(["", end]))
    written = end.join("" if row is None else ",".join(row) for row in rows) + last
    cells = [[""] * width if row is None else row for row in rows]
    if rows[-1] is None and not last:
        cells.pop()  # what comes after the last line break, and is nothing, is no line
    return written.encode(), width, cells


@given(tables())
def test_records_are_counted(table):
    written, width, cells = table
    assert sum(len(block.fields) for block in iterate_records(written, ",")) == len(cells)
    assert {int(count) for block in iterate_records(written, ",") for count in block.fields} <= {0, width}


def test_a_record_of_another_width_is_found():
    for line, place, end in product(["a", "a,b,c", " ", ",,"], [0, 1, 2], ["\n", "\r\n", ""]):
        lines = ["x,y", "x,y"]
        lines.insert(place, line)
        written = ("\r\n" if end == "\r\n" else "\n").join(lines) + end
        (block,) = iterate_records(written.encode(), ",")
        assert np.flatnonzero(block.fields != 2).tolist() == [place], (line, place, end)


@given(tables())
def test_numbers_are_those_of_the_sorted_texts(table):
    """The query for many rows beside plain Python for few."""
    _, width, cells = table
    for column in range(width):
        texts = pl.Series([row[column] or None for row in cells], dtype=pl.String)
        expected, names = encode_labels(texts)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(labels_module, "SMALL", -1)
            codes, labels = encode_labels(texts)
        assert labels.to_list() == names.to_list()
        assert codes.tolist() == expected.tolist()


# -- files ------------------------------------------------------------------------------------------------

PAIRS = "judge,left,right,winner\n"
FILES = {
    "comparisons": PAIRS + "j,a,b,left\nk,b,c,tie\n j ,c,a,c\n",
    "comparisons without graders": "left,right,winner\nb,a,left\na,c,right\n",
    "tasks and weights": "task,judge,left,right,winner,weight\nu,j,a,b,a,2\nt,j,a,b,b,\nt,k,b,a,tie,1\n",
    "better and worse": "judge,better,worse\nj,a,b\nj,c,b\n",
    "empty lines": PAIRS + "j,a,b,left\n\n,,,\nk,b,c,right\n\n",
    "no winner": PAIRS + "j,a,b,left\nk,b,c,\n",
    "no grader": PAIRS + "j,a,b,left\n,b,c,right\n",
    "odd winner": PAIRS + "j,a,b,left\nk,b,c,x\n",
    "with itself": PAIRS + "j,a,b,left\nk,b,b,b\n",
    "label too long": PAIRS + f"j,a,b,left\n{'k' * 600},b,c,b\n",
    "bad weight": "judge,left,right,winner,weight\nj,a,b,a,2\nk,a,b,b,-1\n,a,b,b,1\n",
    "ranks": "grader,item,rank\nada,x,1\nada,y,2\n\nbob,y,1\nbob, x,2\n",
    "scores": "task,grader,item,score\nt,ada,x,9\nt,ada,y,n/a\nu,bob,y,5.5\n",
    "lists": "grader,list,item,rank\nada,1,x,1\nada,1,y,1\nada,2,x,2\nada,2,y,1\n",
    "too few fields": "grader,item,rank\nada,x,1\nada,y\n",
    "no item": "grader,item,rank\nada,x,1\nada, ,2\n",
    "twice": "grader,item,rank\nada,x,1\nada,x,2\n",
}


def outcome(written: str, **how) -> tuple:
    """All that reading gives, or what it says."""
    try:
        found = read(written.encode(), **how)
    except DataError as error:
        return (str(error),)
    values = [getattr(found, name) for name in Feedback.__dataclass_fields__]
    plain = [one.to_list() if isinstance(one, pl.Series) else one for one in values]
    return tuple((one.dtype.str, one.tolist()) if isinstance(one, np.ndarray) else one for one in plain)


@pytest.mark.parametrize("name", FILES)
def test_large_files_and_comparisons_are_read_as_small_ones_and_rows(name, monkeypatch):
    ways = [{"ids": ids, "missing": missing} for ids in ("exact", "fold") for missing in ("error", "drop")]

    def outcomes():
        return [outcome(FILES[name], **how) for how in ways]

    expected = outcomes()
    with monkeypatch.context() as patch:
        patch.setattr(labels_module, "SMALL", -1)
        assert outcomes() == expected
    monkeypatch.setattr(Comparisons, "is_plain", lambda self: False)
    assert outcomes() == expected


@given(st.data())
def test_any_comparisons_are_what_their_rows_would_be(data):
    won, weight = st.sampled_from(["left", "right", "tie"]), st.sampled_from(["1", "2.5", ""])
    items = st.sampled_from(["abcd", ("1", "2", "10", "9"), ("1", "2", "10", "x")])  # numbers in order?
    pair = st.permutations(data.draw(items))
    row = st.tuples(st.sampled_from("tu"), st.sampled_from("jkl"), pair, won, weight)
    rows = data.draw(st.lists(row, min_size=1, max_size=12))
    lines = [f"{task},{who},{a},{b},{won},{weight}" for task, who, (a, b, *_), won, weight in rows]
    written = "\n".join(["task,judge,left,right,winner,weight", *lines])
    found = outcome(written)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Comparisons, "is_plain", lambda self: False)
        assert outcome(written) == found
