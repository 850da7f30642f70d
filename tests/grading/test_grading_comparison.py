"""Methods held beside the one that made the grades."""

from __future__ import annotations

import peerage


def test_a_baseline_that_refuses_the_scores_does_not_stop_the_grades():
    feedback = peerage.Feedback.from_columns(
        ["a", "a", "b", "b"], ["x", "y", "x", "y"], score=[1e16, 2.0, 3.0, 1.0]
    )

    result = peerage.grade(feedback, method="bt")

    assert result.items["item"].to_list() == ["x", "y"]
    assert "MALBC" in result.comparison.codes
    assert "SCAVG could not be held beside it: " in result.comparison.sentence
