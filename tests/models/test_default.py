"""The method that Peerage takes by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from model_cases import orders_alone, some_class

from peerage import Feedback, fit
from peerage.models.default import choose, contradictions


def both(ranks, scores):
    """One list per row."""
    lists, items = np.array(ranks).shape
    grader = np.repeat([f"g{g}" for g in range(lists)], items)
    item = np.tile([f"i{i}" for i in range(items)], lists)
    return Feedback.from_columns(grader, item, rank=np.ravel(ranks), score=np.ravel(scores))


def test_ranks_that_never_contradict_their_scores_carry_no_news():
    feedback = both([[1, 2, 3], [2, 1, 2]], [[9.0, 9.0, 7.0], [5.0, 8.0, 5.0]])

    choice = choose(feedback)

    assert choice.code == "NCS+G"
    assert "never contradict" in choice.reason
    assert choice.estimator().fit(feedback).converged_


def test_one_contradiction_makes_the_ranks_a_second_judgement():
    feedback = both([[1, 2, 3], [2, 1, 3]], [[9.0, 8.0, 7.0], [9.0, 8.0, 7.0]])

    assert contradictions(feedback) == 1
    assert choose(feedback).code == "COMBINED+G"


@pytest.mark.parametrize("scores", [[9.0, np.nan, 7.0], [np.nan] * 3])
def test_scores_that_are_missing_contradict_nothing(scores):
    assert contradictions(both([[1, 2, 3], [1, 2, 3]], [scores, [3.0, 2.0, 1.0]])) == 0


def test_the_default_follows_the_kind_of_feedback():
    both = some_class()
    cases = {
        "PL+G": orders_alone(both),
        "BT+G": orders_alone(some_class(ties=False, length=2)),
        "NCS+G": replace(both, ordered_by="score"),
        "COMBINED+G": both,
    }

    for code, feedback in cases.items():
        choice = choose(feedback)
        assert choice.code == code
        assert repr(fit(feedback)) == repr(choice.estimator())
    assert [choose(cases[code]).estimator().identified for code in ("PL+G", "BT+G")] == [True, True]
    assert choose(cases["PL+G"]).estimator(score_variance=7.0).score_variance == 7.0
