"""Encodings, delimiters, line ends, quotes and labels of text files."""

import io

import numpy as np
import pytest

from peerage import Feedback, read
from peerage.reading.text import iterate_records

PLAIN = Feedback.from_columns(["ada", "ada", "bö"], ["x", "y", "x"], score=[1, 2, 3])
TEXT = "grader,item,score\nada,x,1\nada,y,2\nbö,x,3\n"


def test_encodings_delimiters_and_line_ends_are_found_out():
    encodings = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252")
    written = {name: TEXT.encode(name) for name in encodings}
    written |= {mark: TEXT.replace(",", mark).encode() for mark in (",", "\t", ";", "|", " ", ":")}
    written |= {end: TEXT.replace("\n", end).encode() for end in ("\r\n", "\r")}
    written["declared"] = ("sep=;\n" + TEXT.replace(",", ";")).encode()

    assert [name for name, data in written.items() if not read(data).equals(PLAIN)] == []


def test_western_text_is_noted():
    assert read(TEXT.encode("latin-1")).notes == (
        "not UTF-8 (first in line 4): read as Windows-1252; if names look wrong, export it again as UTF-8,"
        " or set encoding",
    )


def test_encoding_and_delimiter_can_be_given():
    assert "bц" in read(TEXT.replace("ö", "ц").encode("cp1251"), encoding="cp1251").grader_labels
    for told, mark in (("~", "~"), ("tab", "\t"), ("\\t", "\t")):
        assert read(TEXT.replace(",", mark).encode(), delimiter=told).equals(PLAIN)


def test_labels_stay_as_they_are_written_but_for_blanks_around_them():
    quoted = read(b'grader,item,score\n"Doe, Jo","x\ny",7\n"Doe, Jo","say ""z""",8\n')
    numbers = read(b"grader,item,score\n1,1,6\n1,01,7\n1,1.0,8\n1,1e0,9\n")
    blanks = read(b"grader,item,score\n ada ,x,7\nada,y , 8 \n")

    assert quoted.grader_labels.to_list() == ["Doe, Jo"]
    assert quoted.item_labels.to_list() == ['say "z"', "x\ny"]
    assert numbers.item_labels.to_list() == ["01", "1", "1.0", "1e0"]
    assert (blanks.n_graders, blanks.item_labels.to_list()) == (1, ["x", "y"])


def test_empty_rows_inside_are_noted_and_those_at_the_end_are_not():
    feedback = read(b"grader,item,score\nada,x,7\n\n,,\nada,y,8\n\n,,\n")

    assert feedback.notes == ("2 empty rows left out: lines 3, 4",)


def test_standard_input_paths_and_open_files(tmp_path, monkeypatch):
    path = tmp_path / "feedback.csv"
    path.write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))

    with path.open("rb") as file:
        assert all(read(source).equals(PLAIN) for source in (file, path, str(path), "-"))
    with pytest.raises(TypeError, match="cannot read from int"):
        read(3)


def test_many_blocks_give_the_same_records():
    rows = [f'"g{n}\n",x,{n % 5}\ng{n},"a ""q"", b",1\n' for n in range(200)]
    text = ("grader,item,score\n" + "".join(rows)).encode()
    whole = list(iterate_records(text, ","))

    parts = list(iterate_records(text, ",", block=64))

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


def test_a_first_label_may_begin_with_what_looks_like_a_mark():
    """U+FEFF at the very beginning says that the file is Unicode; anywhere else it belongs to a label."""
    mark = chr(0xFEFF)

    feedback = read(f"grader,item,rank\n{mark}a,x,1\n{mark}a,y,2\n".encode())

    assert feedback.grader_labels.to_list() == [f"{mark}a"]
