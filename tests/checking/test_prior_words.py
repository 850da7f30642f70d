"""Where scores say how far apart items are, no finding blames the prior."""

from peerage import Feedback, check

ROWS = {"grader": ["ada", "ada", "ada", "bob", "bob", "bob"], "item": ["x", "y", "z", "x", "y", "z"]}


def test_scores_say_how_far_apart_items_are():
    scored = check(Feedback.from_columns(**ROWS, score=[9.0, 5.0, 1.0, 8.0, 6.0, 2.0]))
    ordered = check(Feedback.from_columns(**ROWS, rank=[1, 2, 3, 1, 2, 3]))

    for code in ("always-wins", "never-wins", "one-way"):
        assert "prior" in ordered.finding(code).means
        assert "prior" not in scored.finding(code).means
        assert "scores" in scored.finding(code).means
