from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given

import naive
from peerage import Feedback, check
from peerage.checking import graders
from peerage.checking.graders import repeated_pairs
from strategies import feedbacks

USUAL = [(f"g{n}", ["a", "b", "c", "d", "e"]) for n in range(5)]


@pytest.mark.parametrize(
    ("code", "orders", "examples"),
    [
        ("one-item", [*USUAL, ("ada", ["a"])], ["ada"]),
        ("one-item", [*USUAL, ("ada", ["a"]), ("ada", ["b", "c"])], None),
        ("all-tied", [*USUAL, ("ada", [{"a", "b", "c"}])], ["ada (3 items)"]),
        ("all-tied", [*USUAL, ("ada", [{"a", "b"}, "c"])], None),
        ("flat", [*USUAL, ("ada", [{"a", "b", "c", "d"}, "e"])], ["ada (60% tied)"]),
        ("flat", USUAL, None),
        ("flat", [(name, [{"a", "b", "c", "d"}, "e"]) for name in "xyz"], None),  # everybody is like that
        ("flat", [*USUAL, ("ada", [{"a", "b"}, "c"])], None),  # too few pairs to say
    ],
)
def test_graders_who_compare_little_are_named(code, orders, examples):
    finding = check(Feedback.from_orders(orders)).finding(code)

    assert (finding and finding.examples()) == examples
    assert finding is None or finding.severity == ("info" if code == "flat" else "warning")


def scored(*last):
    scores = [1, 3, 5, 7, 9] * 3 + list(last)
    graders = [name for name in "xyz" for _ in range(5)] + ["ada"] * len(last)
    return Feedback.from_columns(graders, list("abcde") * 4, score=scores)


def test_scores_that_hardly_differ_are_flat():
    case = check(scored(7, 7.1, 7.2, 7.3, 7.4)).finding("flat").cases.row(0, named=True)

    assert case["grader"] == "ada"
    assert case["score_sd"] == pytest.approx(0.02**0.5)
    assert check(scored(6, 7, 8, 9, 10)).finding("flat") is None


def one_by_one(feedback):
    """{(task, grader, item, other): (above, below, tied)} of the pairs judged more than once."""
    judged = {}
    tasks, items = feedback.task_labels.gather(feedback.item_tasks), feedback.item_labels
    for order in naive.orders_of(feedback):
        strict, grader = naive.strict_pairs(order.buckets), feedback.grader_labels[order.grader]
        for i, j in combinations(sorted(order.items), 2):
            verdict = "above" if (i, j) in strict else "below" if (j, i) in strict else "tied"
            judged.setdefault((tasks[i], grader, items[i], items[j]), Counter())[verdict] += 1
    return {
        pair: tuple(votes[verdict] for verdict in ("above", "below", "tied"))
        for pair, votes in judged.items()
        if votes.total() > 1
    }


@given(feedback=feedbacks())
def test_repeated_pairs_are_those_found_one_by_one(feedback):
    for block in (1, 10_000_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(graders, "PAIRS_PER_BLOCK", block)
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
    monkeypatch.setattr(graders, "MOST_PAIRS", 2)
    orders = [(name, order) for name in ("ada", "bob") for order in (["x", "y"], ["y", "x"])]

    preflight = check(Feedback.from_orders(orders))

    assert preflight.finding("contradictory").examples() == ["ada on x against y"]
    assert preflight.finding("repeats-unchecked").examples() == ["bob"]
