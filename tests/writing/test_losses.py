"""A format that cannot hold something says so before it is lost."""

from __future__ import annotations

import io

import polars as pl
import pytest

from peerage import DataError, Feedback, read, write
from peerage.writing.spreadsheet import neutralise

PLAIN = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "x"])])
LOSSES = [
    ("csv", PLAIN.with_items(["z"]), "1 item that nobody reviewed"),
    ("parquet", PLAIN.with_items(["z"]), "1 item that nobody reviewed"),
    ("csv", PLAIN.for_graders([0]), "1 grader who handed nothing in"),
    ("pgf", Feedback.from_orders([("ada", ["my essay"])]), "1 item label with blanks or signs of the format"),
    ("pgf", Feedback.from_orders([("ada", ["a>b"])]), "('a>b')"),
    ("pgf", Feedback.from_orders([("ada b", ["x"])]), "1 grader label with blanks"),
    ("pgf", Feedback.from_columns(["a"], ["x"], rank=[1], weight=[2]), "weights"),
    (
        "pgf",
        Feedback.from_columns(["a"], ["x"], rank=[1], score=[2]),
        "ranks were given beside the scores",
    ),
    ("preflib", PLAIN, "the names of the graders"),
    ("preflib", Feedback.from_orders([("v1", ["x"])], task="essay"), "the name of the task, 'essay'"),
    ("preflib", Feedback.from_columns(["v1"], ["x"], score=[2]), "scores"),
    ("preflib", Feedback.from_columns(["v1"], ["x"], rank=[1], weight=[1.5]), "weights that are not whole"),
    ("preflib", Feedback.from_columns(["v1"], ["x\ny"], rank=[1]), "1 item label with line breaks"),
]


@pytest.mark.parametrize(("kind", "feedback", "lost"), LOSSES)
def test_what_would_be_lost_is_named(kind, feedback, lost):
    stream = io.BytesIO()

    with pytest.raises(DataError) as refusal:
        write(feedback, stream, kind)

    assert f"{kind} cannot hold" in str(refusal.value)
    assert lost in str(refusal.value)
    assert stream.getvalue() == b""


@pytest.mark.parametrize(("kind", "feedback", "lost"), LOSSES)
def test_lossy_goes_ahead_and_says_what_was_lost(kind, feedback, lost):
    stream = io.BytesIO()

    (told, *_) = (loss for loss in write(feedback, stream, kind, lossy=True) if lost in loss)

    assert told.startswith("lost: ")
    assert (
        read(stream.getvalue(), kind if kind in ("pgf", "preflib") else "auto").n_entries
        == feedback.n_entries
    )


def test_labels_that_become_equal_stay_apart():
    feedback = Feedback.from_orders([("a b", ["x y", "x_y", "x>y"])])
    stream = io.BytesIO()

    write(feedback, stream, "pgf", lossy=True)

    assert stream.getvalue() == b"1 a_b x_y_2 > x_y > x_y_3\n"


def test_preflib_holds_one_task():
    feedback = Feedback.from_columns(["a", "a"], ["x", "x"], rank=[1, 1], task=["s", "t"])

    with pytest.raises(DataError, match="preflib holds one task, and there are 2"):
        write(feedback, io.BytesIO(), "preflib", lossy=True)


def test_preflib_ending_must_be_true(tmp_path):
    feedback = Feedback.from_orders([("v1", ["x", {"y", "z"}])])

    with pytest.raises(DataError, match=r"not of the kind \.soc; end the name in \.toc"):
        write(feedback, tmp_path / "votes.soc")


def test_unknown_ending_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"cannot tell the format from the ending '\.docx'"):
        write(PLAIN, tmp_path / "out.docx")


def test_unknown_format_is_refused():
    with pytest.raises(DataError, match="format 'xlsx' cannot be written"):
        write(PLAIN, io.BytesIO(), "xlsx")


def test_formulas_are_neutralised_in_text_only():
    frame = pl.DataFrame({"item": ["=1+1", "@x", "-a", "+b", "plain", None], "score": [-1.0] * 6})

    safe = neutralise(frame)

    assert safe["item"].to_list() == ["'=1+1", "'@x", "'-a", "'+b", "plain", None]
    assert safe["score"].equals(frame["score"])
