"""What a written file looks like."""

from __future__ import annotations

import io

from peerage import Feedback, write


def written(feedback: Feedback, kind: str) -> str:
    stream = io.BytesIO()
    write(feedback, stream, kind)
    return stream.getvalue().decode("utf-8")


def test_only_task_and_implied_ranks_are_left_out():
    feedback = Feedback.from_columns(["ada", "ada"], ["x", "y"], score=[7, 8.5])

    assert written(feedback, "csv") == "grader,item,score\nada,y,8.5\nada,x,7.0\n"


def test_named_task_lists_and_weights_are_written():
    feedback = Feedback.from_columns(
        ["ada", "ada"], ["x", "x"], rank=[1, 1], task=["t", "t"], list=["1", "2"], weight=[1, 3]
    )

    assert written(feedback, "tsv") == (
        "task\tgrader\tlist\titem\trank\tweight\nt\tada\t1\tx\t1\t1.0\nt\tada\t2\tx\t1\t3.0\n"
    )


def test_labels_that_need_quotes_get_them():
    feedback = Feedback.from_orders([('say "a, b"', ["=x"])])

    assert written(feedback, "csv") == 'grader,item,rank\n"say ""a, b""",=x,1\n'


def test_pgf_shows_ties_and_scores():
    feedback = Feedback.from_columns(["g"] * 3, ["a", "b", "c"], score=[8, 7, 7])

    assert written(feedback, "pgf") == "1 g a (8.0) > b (7.0) ? c (7.0)\n"


def test_preflib_shows_ties_in_braces():
    feedback = Feedback.from_columns(["v1"] * 3, ["a", "b", "c"], rank=[1, 2, 2], weight=[4] * 3)

    assert written(feedback, "preflib").splitlines()[-1] == "4: 1,{2,3}"
