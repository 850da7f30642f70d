"""Where scores say how far apart items are, no finding blames the prior."""

import pytest

from peerage import Feedback, check

ROWS = {"grader": ["ada", "ada", "ada", "bob", "bob", "bob"], "item": ["x", "y", "z", "x", "y", "z"]}


@pytest.mark.parametrize("code", ["always-wins", "never-wins", "one-way"])
def test_scores_say_how_far_apart_items_are(code):
    scored = Feedback.from_columns(ROWS["grader"], ROWS["item"], score=[9.0, 5.0, 1.0, 8.0, 6.0, 2.0])
    ordered = Feedback.from_columns(ROWS["grader"], ROWS["item"], rank=[1, 2, 3, 1, 2, 3])

    assert "prior" in check(ordered).finding(code).means
    assert "prior" not in check(scored).finding(code).means
    assert "scores" in check(scored).finding(code).means
