"""A format that cannot hold something says so before it is lost."""

import io

import pytest

from peerage import DataError, Feedback, read, write

PLAIN = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "x"])])
LOSSES = [
    ("csv", PLAIN.with_items(["z"]), "1 item that nobody reviewed"),
    ("parquet", PLAIN.with_items(["z"]), "1 item that nobody reviewed"),
    ("csv", PLAIN.for_graders([0]), "1 grader who handed nothing in"),
    ("pgf", Feedback.from_orders([("ada", ["my essay"])]), "1 item label with blanks or signs of the format"),
    ("pgf", Feedback.from_orders([("ada", ["a>b"])]), "('a>b')"),
    ("pgf", Feedback.from_orders([("ada b", ["x"])]), "1 grader label with blanks"),
    ("pgf", Feedback.from_columns(["a"], ["x"], rank=[1], weight=[2]), "weights"),
    ("pgf", Feedback.from_columns(["a"], ["x"], rank=[1], score=[2]), "ranks were given beside the scores"),
    ("preflib", PLAIN, "the names of the graders"),
    ("preflib", Feedback.from_orders([("v1", ["x"])], task="essay"), "the name of the task, 'essay'"),
    ("preflib", Feedback.from_columns(["v1"], ["x"], score=[2]), "scores"),
    ("preflib", Feedback.from_columns(["v1"], ["x"], rank=[1], weight=[1.5]), "weights that are not whole"),
    ("preflib", Feedback.from_columns(["v1"], ["x\ny"], rank=[1]), "1 item label with line breaks"),
]


@pytest.mark.parametrize(("kind", "feedback", "lost"), LOSSES)
def test_what_would_be_lost_is_named_and_lossy_goes_ahead(kind, feedback, lost):
    stream = io.BytesIO()

    with pytest.raises(DataError) as refusal:
        write(feedback, stream, kind)

    assert f"{kind} cannot hold" in str(refusal.value)
    assert lost in str(refusal.value)
    assert stream.getvalue() == b""
    (told, *_) = (loss for loss in write(feedback, stream, kind, lossy=True) if lost in loss)
    assert told.startswith("lost: ")
    again = read(stream.getvalue(), kind if kind in ("pgf", "preflib") else "auto")
    assert again.n_entries == feedback.n_entries


def test_labels_that_become_equal_stay_apart():
    feedback = Feedback.from_orders([("a b", ["x y", "x_y", "x>y"])])
    stream = io.BytesIO()

    write(feedback, stream, "pgf", lossy=True)

    assert stream.getvalue() == b"1 a_b x_y_2 > x_y > x_y_3\n"


def test_what_cannot_be_written_at_all_is_refused(tmp_path):
    two_tasks = Feedback.from_columns(["a", "a"], ["x", "x"], rank=[1, 1], task=["s", "t"])
    tied = Feedback.from_orders([("v1", ["x", {"y", "z"}])])

    with pytest.raises(DataError, match="preflib holds one task, and there are 2"):
        write(two_tasks, io.BytesIO(), "preflib", lossy=True)
    with pytest.raises(DataError, match=r"not of the kind \.soc; end the name in \.toc"):
        write(tied, tmp_path / "votes.soc")
    with pytest.raises(DataError, match=r"cannot tell the format from the ending '\.docx'"):
        write(PLAIN, tmp_path / "out.docx")
    with pytest.raises(DataError, match="format 'xlsx' cannot be written"):
        write(PLAIN, io.BytesIO(), "xlsx")
