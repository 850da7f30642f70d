"""Whether an order effect of known size is found, and none where there is none."""

import numpy as np
import pytest

from peerage import Feedback, check
from peerage.checking.order_effect import BEYOND_NOISE, estimate_order_effect


def a_class(seed, *, students=20, reviews=4, effect=0.0, shuffled=True):
    """Plackett-Luce rankings; each step later that an item is shown costs `effect` of its score."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=students)
    orders, shown = [], []
    for grader in range(students):
        items = (grader + 1 + np.arange(reviews)) % students
        items = rng.permutation(items) if shuffled else np.sort(items)
        worth = scores[items] - effect * np.arange(reviews) + rng.gumbel(size=reviews)
        orders.append([f"s{item}" for item in items[np.argsort(-worth)]])
        shown.append([f"s{item}" for item in items])
    return Feedback.from_lists(orders, shown=shown, graders=range(students))


@pytest.mark.parametrize("shuffled", [True, False])
def test_small_classes_without_an_effect_hear_of_none(shuffled):
    """At most 2 % of 300; in order of their labels, good items are shown early in several lists."""
    effects = [estimate_order_effect(a_class(seed, students=15, shuffled=shuffled)) for seed in range(300)]

    assert sum(effect is not None and abs(effect.z) >= BEYOND_NOISE for effect in effects) <= 6


def known_effect(effect):
    """Ranks between first and last of five where all items are alike otherwise, by brute force."""
    rng = np.random.default_rng(0)
    worth = rng.gumbel(size=(20_000, 5)) + rng.normal(size=(20_000, 5)) - effect * np.arange(5)
    ranks = 1 + np.argsort(np.argsort(-worth, axis=1), axis=1)
    return float(np.mean(ranks[:, -1] - ranks[:, 0]))


@pytest.mark.parametrize(("effect", "seed", "word"), [(0.5, 1, "higher"), (-0.5, 2, "lower")])
def test_an_effect_is_told_with_its_size(effect, seed, word):
    feedback = a_class(seed, students=60, reviews=5, effect=effect)

    finding = check(feedback).finding("order-effect")

    ((ranks, noise),) = finding.cases.rows()
    assert finding.severity == "info"
    assert f"is placed {abs(ranks):.1f} ranks (± {noise:.1f}) {word} than the same" in finding.found
    assert ranks == pytest.approx(known_effect(effect), abs=noise)


def test_one_order_for_all_says_nothing():
    """Everybody sees the best item first and ranks it first: it may be the best."""
    lists = [["a", "b", "c", "d"], ["a", "c", "b", "d"], ["b", "a", "c", "d"]] * 10
    feedback = Feedback.from_lists(lists, shown=[["a", "b", "c", "d"]] * 30)

    assert estimate_order_effect(feedback) is None
    assert check(feedback).finding("order-effect") is None


def test_lists_whose_order_is_not_known_do_not_count():
    whole = a_class(3, effect=0.5)
    table = whole.to_frame()
    staff = Feedback.from_columns(["staff"] * 3, ["s1", "s2", "s3"], rank=[1, 2, 3])

    both = whole.merge(staff)

    assert both.positions.tolist().count(0) == 3
    assert estimate_order_effect(both).z == pytest.approx(estimate_order_effect(whole).z, abs=1e-6)
    assert estimate_order_effect(Feedback.from_columns(**table.drop("shown").to_dict())) is None
