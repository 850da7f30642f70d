"""Encodings, delimiters, line ends, quotes and labels of text files."""

from __future__ import annotations

import io

import numpy as np
import pytest

from peerage import DataError, Feedback, read
from peerage.reading.records import records

PLAIN = Feedback.from_columns(["ada", "ada", "bö"], ["x", "y", "x"], score=[1, 2, 3])
TEXT = "grader,item,score\nada,x,1\nada,y,2\nbö,x,3\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_encodings_are_found_out(encoding):
    assert read(TEXT.encode(encoding)).equals(PLAIN)


def test_western_text_is_noted():
    assert read(TEXT.encode("latin-1")).notes == (
        "not UTF-8 (first in line 4): read as Windows-1252; if names look wrong, export it again as UTF-8,"
        " or set encoding",
    )


def test_encoding_can_be_given():
    assert "bц" in read(TEXT.replace("ö", "ц").encode("cp1251"), encoding="cp1251").grader_labels


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end):
    assert read(TEXT.replace("\n", end).encode()).equals(PLAIN)


@pytest.mark.parametrize("mark", [",", "\t", ";", "|", " ", ":"])
def test_delimiters_are_found_out(mark):
    assert read(TEXT.replace(",", mark).encode()).equals(PLAIN)


@pytest.mark.parametrize("told", ["~", "tab", "\\t"])
def test_delimiter_can_be_given(told):
    mark = {"tab": "\t", "\\t": "\t"}.get(told, told)

    assert read(TEXT.replace(",", mark).encode(), delimiter=told).equals(PLAIN)


def test_a_declared_separator_line_is_obeyed():
    text = "sep=;\n" + TEXT.replace(",", ";")

    assert read(text.encode()).equals(PLAIN)


def test_quoted_delimiters_and_line_breaks_are_text():
    feedback = read(b'grader,item,score\n"Doe, Jo","x\ny",7\n"Doe, Jo","say ""z""",8\n')

    assert feedback.grader_labels.to_list() == ["Doe, Jo"]
    assert feedback.item_labels.to_list() == ['say "z"', "x\ny"]


def test_numbers_as_labels_stay_as_written():
    feedback = read(b"grader,item,score\n1,1,6\n1,01,7\n1,1.0,8\n1,1e0,9\n")

    assert feedback.item_labels.to_list() == ["01", "1", "1.0", "1e0"]


def test_blanks_around_labels_do_not_count():
    assert read(b"grader,item,score\n ada ,x,7\nada,y , 8 \n").n_graders == 1


def test_empty_rows_inside_are_noted_and_those_at_the_end_are_not():
    feedback = read(b"grader,item,score\nada,x,7\n\n,,\nada,y,8\n\n,,\n")

    assert feedback.notes == ("2 empty rows left out: lines 3, 4",)


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))

    assert read("-").equals(PLAIN)


def test_paths_and_open_files(tmp_path):
    path = tmp_path / "feedback.csv"
    path.write_text(TEXT, encoding="utf-8")

    with path.open("rb") as file:
        assert read(file).equals(PLAIN)
    assert read(path).equals(read(str(path)))


def test_other_things_are_a_type_error():
    with pytest.raises(TypeError, match="cannot read from int"):
        read(3)


def test_many_blocks_give_the_same_records():
    rows = [f'"g{n}\n",x,{n % 5}\ng{n},"a ""q"", b",1\n' for n in range(200)]
    text = ("grader,item,score\n" + "".join(rows)).encode()
    whole = list(records(text, ","))

    parts = list(records(text, ",", block=64))

    assert len(whole) == 1
    assert len(parts) > 100
    for name in ("starts", "ends", "lines", "fields"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert joined.tolist() == getattr(whole[0], name).tolist()


def test_missing_rows_can_be_left_out():
    feedback = read(b"grader,item,score\nada,x,NA\nada,y,2\nada,z,\n", missing="drop")

    assert feedback.item_labels.to_list() == ["y"]
    assert feedback.notes == ("2 reviews without a score left out: lines 2, 4",)


@pytest.mark.parametrize(("choice", "score"), [("first", 1.0), ("last", 4.0), ("mean", 2.5)])
def test_repeated_reviews_can_be_merged(choice, score):
    feedback = read(b"grader,item,score\nada,x,1\nada,x,4\n", duplicates=choice)

    assert feedback.scores.tolist() == [score]
    assert feedback.notes == (f"1 repeated review merged ({choice} kept): line 3",)


def test_unknown_choices_are_refused():
    with pytest.raises(DataError, match="duplicates='all' is not known; use one of error, first, last, mean"):
        read(TEXT.encode(), duplicates="all")
    with pytest.raises(DataError, match="format 'word' is not known"):
        read(TEXT.encode(), "word")


def test_a_first_label_may_begin_with_what_looks_like_a_mark():
    """U+FEFF at the very beginning says that the file is Unicode; anywhere else it belongs to a label."""
    mark = chr(0xFEFF)

    assert read(f"grader,item,rank\n{mark}a,x,1\n{mark}a,y,2\n".encode()).grader_labels.to_list() == [
        f"{mark}a"
    ]
