"""Equal lists that count once, against the same lists one by one."""

import numpy as np
import pytest

import peerage
from peerage.models import thresholds
from peerage.models.feedback_parts import FeedbackParts
from peerage.models.smooth import distinct_lists as module
from peerage.models.smooth.distinct_lists import distinct_lists


def battles(n=600, items=7, longest=2):
    """Lists of few items by few graders, with ties; many are equal."""
    rng = np.random.default_rng(0)
    orders = []
    for k in range(n):
        chosen = [f"m{i}" for i in rng.choice(items, rng.integers(2, longest + 1), replace=False)]
        tied = rng.random() < 0.2
        orders.append((f"judge{k % 40}", [chosen] if tied else chosen))
    return peerage.Feedback.from_orders(orders)


@pytest.fixture(autouse=True)
def _always(monkeypatch):
    monkeypatch.setattr(thresholds, "MERGED_LISTS", 1)


@pytest.mark.parametrize("longest", [2, 3])
@pytest.mark.parametrize("counted", [0, 4_000_000])
def test_weights_are_the_numbers_of_equal_lists(longest, counted, monkeypatch):
    monkeypatch.setattr(thresholds, "MERGED_KEYS", counted)
    feedback = battles(longest=longest)

    once = distinct_lists(FeedbackParts.of(feedback))

    def lists(of):
        counts = {}
        for which in range(of.n_lists):
            part = slice(*of.list_starts[which : which + 2])
            key = (*of.items[part].tolist(), *of.bucket_starts[part].tolist())
            counts[key] = counts.get(key, 0) + of.list_weights[which]
        return counts

    assert once.n_lists < feedback.n_lists / 2
    assert lists(once) == lists(feedback)
    assert len(lists(once)) == once.n_lists


@pytest.mark.parametrize("code", ["BT", "PL", "THUR", "MALS", "BT+G", "PL+G"])
def test_fits_and_errors_are_the_same(code, monkeypatch):
    feedback = battles(longest=3)
    once = peerage.fit(feedback, code)
    error = peerage.posterior(once).score_se if code == "BT" else None
    monkeypatch.setattr(thresholds, "MERGED_LISTS", 10**9)
    each = peerage.fit(feedback, code)

    np.testing.assert_allclose(once.scores_, each.scores_, atol=1e-6)
    assert once.objective_ == pytest.approx(each.objective_)
    if code == "BT":
        np.testing.assert_allclose(error, peerage.posterior(each).score_se, rtol=1e-6)


def test_lists_that_differ_or_are_too_long_for_a_key_stay(monkeypatch):
    different, equal = battles(20, items=40), battles()

    assert distinct_lists(FeedbackParts.of(different)) is None
    monkeypatch.setattr(module, "LARGEST_KEY", 10)
    assert distinct_lists(FeedbackParts.of(equal)) is None
