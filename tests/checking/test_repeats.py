from collections import Counter

import naive_graph as naive
import pytest
from hypothesis import given

from peerage import Feedback, check
from peerage.checking import repeats
from peerage.checking.repeats import repeated_pairs
from strategies import feedbacks


def one_by_one(feedback):
    """{(task, grader, item, other): (above, below, tied)} of the pairs judged more than once."""
    judged = {}
    for task, grader, buckets in naive.lists(feedback):
        strict = naive.strict_pairs(buckets)
        for pair in naive.together(buckets):
            verdict = "above" if pair in strict else "below" if pair[::-1] in strict else "tied"
            judged.setdefault((task, grader, *pair), Counter())[verdict] += 1
    return {
        (feedback.task_labels[task], grader, feedback.item_labels[i], feedback.item_labels[j]): tuple(
            votes[verdict] for verdict in ("above", "below", "tied")
        )
        for (task, grader, i, j), votes in judged.items()
        if votes.total() > 1
    }


@given(feedback=feedbacks())
def test_repeated_pairs_are_those_found_one_by_one(feedback):
    for block in (1, 10_000_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(repeats, "BLOCK", block)
            found, unchecked = repeated_pairs(feedback)

        assert len(unchecked) == 0
        assert {row[:4]: row[4:] for row in found.rows()} == one_by_one(feedback)


def test_a_grader_who_contradicts_themselves():
    orders = [("ada", ["x", "y", "z"]), ("ada", ["y", "x"]), ("ada", ["y", "z"])]

    preflight = check(Feedback.from_orders(orders))

    finding = preflight.finding("contradictory")
    assert finding.severity == "warning"
    assert finding.found == (
        "1 grader contradicted themselves on 1 pair (50% of the 2 pairs judged more than once)."
    )
    assert finding.examples() == ["ada on x against y"]
    assert preflight.finding("repeated").examples() == ["ada on y against z"]


def test_different_graders_and_a_tie_and_a_win_do_not_contradict():
    several = check(Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "x"])]))
    tie = check(Feedback.from_orders([("ada", ["x", "y"]), ("ada", [{"y", "x"}])]))

    assert several.finding("contradictory") is several.finding("repeated") is None
    assert tie.finding("contradictory") is None
    assert tie.finding("repeated").cases.row(0) == ("1", "ada", "x", "y", 1, 0, 1)


def test_more_pairs_than_can_be_looked_at_leave_graders_out_aloud(monkeypatch):
    monkeypatch.setattr(repeats, "MOST", 2)
    orders = [(name, order) for name in ("ada", "bob") for order in (["x", "y"], ["y", "x"])]

    preflight = check(Feedback.from_orders(orders))

    assert preflight.finding("contradictory").examples() == ["ada on x against y"]
    assert preflight.finding("repeats-unchecked").examples() == ["bob"]
