"""What a written file looks like; and what we write, we read back the same."""

import io

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from peerage import Feedback, read, write
from peerage.reading.long import rank_score_agreement
from strategies import ANY_LABELS, feedbacks, votes

PGF_LABELS = st.sampled_from(["a", "b", "c", "01", "1", "ä", "x-y", '"q"', "1e5"])
LONG = ["csv", "tsv", "parquet"]
READ_AS = {"pgf": "pgf", "preflib": "preflib"}  # a list of one item looks like anything


def rewritten(feedback: Feedback, kind: str, *, lossy: bool = False) -> Feedback:
    stream = io.BytesIO()
    write(feedback, stream, kind, lossy=lossy)
    if kind not in LONG:
        return read(stream.getvalue(), READ_AS[kind])
    direction = "scores" if feedback.ordered_by == "score" else "auto"  # 1, 2, … of few lists may be ranks
    said = {"empty": "none", "totals": "none", "header": "first"}  # whatever labels and numbers look like
    return read(stream.getvalue(), "long", direction=direction, **said)


@pytest.mark.parametrize(
    ("kind", "columns", "text"),
    [  # one task and ranks that scores imply are left out; ties have signs of their own
        ("csv", {"score": [7, 8.5]}, "grader,item,score\nada,y,8.5\nada,x,7.0\n"),
        (
            "tsv",
            {"rank": [1, 1], "task": ["t", "t"], "list": ["1", "2"], "weight": [1, 3]},
            "task\tgrader\tlist\titem\trank\tweight\nt\tada\t1\tx\t1\t1.0\nt\tada\t2\ty\t1\t3.0\n",
        ),
        ("pgf", {"score": [7, 7]}, "1 ada x (7.0) ? y (7.0)\n"),
        ("pgf", {"score": [8, 7]}, "1 ada x (8.0) > y (7.0)\n"),
    ],
)
def test_written_files_look_as_documented(kind, columns, text):
    stream = io.BytesIO()

    write(Feedback.from_columns(["ada", "ada"], ["x", "y"], **columns), stream, kind)

    assert stream.getvalue().decode() == text


def test_preflib_shows_ties_in_braces_and_weights_as_counts():
    feedback = Feedback.from_columns(["v1"] * 3, list("abc"), rank=[1, 2, 2], weight=[4] * 3)
    stream = io.BytesIO()

    write(feedback, stream, "preflib")

    assert stream.getvalue().decode().splitlines()[-1] == "4: 1,{2,3}"


@pytest.mark.parametrize("kind", LONG)
@given(feedback=feedbacks() | feedbacks(labels=ANY_LABELS))
def test_long_formats_hold_everything(kind, feedback):
    assume(not contradicts_itself(feedback))  # about such a file, its reader asks

    assert rewritten(feedback, kind).equals(feedback)


def contradicts_itself(feedback):
    if feedback.scores is None or feedback.ordered_by == "score":
        return False
    agreement = rank_score_agreement(feedback)
    return 2 * (agreement < 0).sum() > (agreement != 0).sum()


@settings(max_examples=30)
@given(feedback=feedbacks(kinds=("rank", "score"), weights=False, labels=PGF_LABELS))
def test_pgf_holds_orders_and_scores(feedback):
    assert rewritten(feedback, "pgf").equals(feedback)


@settings(max_examples=30)
@given(feedback=feedbacks(labels=ANY_LABELS))
def test_pgf_holds_it_or_says_what_it_cannot(feedback):
    losses = write(feedback, io.BytesIO(), "pgf", lossy=True)

    again = rewritten(feedback, "pgf", lossy=True)

    assert again.n_entries == feedback.n_entries
    assert losses or again.equals(feedback)


@settings(max_examples=30)
@given(feedback=votes())
def test_preflib_holds_votes(feedback):
    assert rewritten(feedback, "preflib").equals(feedback)


@settings(max_examples=30)
@given(feedback=feedbacks(tasks=1, labels=ANY_LABELS))
def test_preflib_with_losses_keeps_the_orders(feedback):
    again = rewritten(feedback, "preflib", lossy=True)

    assert (again.bucket_starts == feedback.bucket_starts).all()
    assert again.list_lengths.tolist() == feedback.list_lengths.tolist()


def test_preflib_keeps_items_nobody_ranked():
    feedback = Feedback.from_orders([("v1", ["x", "y"])]).with_items(["z"])

    assert rewritten(feedback, "preflib").equals(feedback)


def test_lists_that_share_a_name_stay_apart():
    feedback = Feedback.from_orders([("a", ["x", "y"]), ("a", ["y", "x"])])

    again = rewritten(feedback.take_lists([0, 0, 1]), "csv")

    assert [order for _, order in again.orders()] == [[["x"], ["y"]], [["x"], ["y"]], [["y"], ["x"]]]


def test_a_line_break_in_a_label_does_not_hide_what_divides_the_columns():
    """Cut there, four of five lines below the header hold one bar, and only four of six hold three tabs."""
    items, ranks = ["00", "a\nb", "00", "1"], [1, 2, 1, 2]
    feedback = Feedback.from_columns(["0", "0", "1", "1"], items, task=["|"] * 4, rank=ranks)

    assert rewritten(feedback, "tsv").equals(feedback)
