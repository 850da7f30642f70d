import naive_graph as naive
import numpy as np
from hypothesis import given

from peerage import Feedback, check
from peerage.checking.items import lost_and_won
from strategies import feedbacks

ROUND = [("ada", ["x", "y", "z"]), ("bob", ["y", "z", "x"]), ("cyd", ["z", "x", "y"])]


@given(feedbacks())
def test_wins_and_losses_are_those_of_the_strict_pairs(feedback):
    lost, won = lost_and_won(feedback)

    beats = naive.beats(feedback)
    assert set(np.flatnonzero(won)) == {i for i, _ in beats}
    assert set(np.flatnonzero(lost)) == {j for _, j in beats}


def test_items_with_few_reviews_come_fewest_first():
    orders = [*ROUND, ("dan", ["x", "twice"]), ("eve", ["twice", "x", "once"])]

    finding = check(Feedback.from_orders(orders)).finding("few-reviews")

    assert finding.severity == "warning"
    assert finding.found == "2 items have fewer than 3 reviews."
    assert finding.examples() == ["once (1)", "twice (2)"]


def test_a_balanced_class_has_nothing_to_report():
    codes = {finding.code for finding in check(Feedback.from_orders(ROUND)).findings}

    assert not codes & {"few-reviews", "unreviewed", "always-wins", "never-wins"}


def test_how_few_is_few_can_be_chosen_and_weights_count():
    feedback = Feedback.from_columns(["ada"] * 2, ["x", "y"], rank=[1, 2], weight=[3, 3])

    few = check(Feedback.from_orders(ROUND), min_reviews=4).finding("few-reviews")

    assert few.found == "3 items have fewer than 4 reviews."
    assert check(feedback).finding("few-reviews") is None


def test_items_nobody_reviewed_are_named():
    finding = check(Feedback.from_orders(ROUND).with_items(["w"])).finding("unreviewed")

    assert finding.examples() == ["w"]
    assert finding.found == "1 item got no review at all."


def test_items_that_always_win_or_never_do_and_ties_are_neither():
    lists = [("dan", ["top", "x"]), ("eve", [{"y", "z"}, "low"]), ("fay", [{"tied", "x"}])]

    preflight = check(Feedback.from_orders([*ROUND, *lists]))

    assert preflight.finding("always-wins").examples() == ["top (1)"]
    assert preflight.finding("never-wins").examples() == ["low (1)"]
