"""Every method on the strangest classes: one of everything, no information, no doubt, nothing in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from model_cases import CODES, ORDINAL, PLAIN, make, orders_and_scores, score_of, some_class

from peerage import DataError

every_method = pytest.mark.parametrize("code", CODES)
for_long_lists = pytest.mark.parametrize("code", [code for code in CODES if not code.startswith("MALS")])


def fit(code, orders):
    fitted = make(code).fit(orders_and_scores(orders))
    assert np.isfinite(fitted.scores_).all()
    assert np.isfinite(fitted.reliabilities_).all()
    assert np.isfinite(fitted.objective_)
    assert fitted.converged_
    return fitted


def ranking(fitted):
    """Items best first with their ranks: ties show."""
    return dict(fitted.grades().select("item", "rank").rows())


@every_method
def test_one_item(code):
    assert ranking(fit(code, [("ada", ["x"])])) == {"x": 1}


@every_method
def test_one_item_seen_by_many(code):
    assert ranking(fit(code, [(f"g{n}", ["x"]) for n in range(5)])) == {"x": 1}


@every_method
def test_one_grader_is_believed(code):
    """One item that wins and one that never does are enough for a peer to lose the order."""
    fitted = fit(code, [("ada", ["a", "b", "c"])])

    assert ranking(fitted) == {"a": 1, "b": 2, "c": 3}
    assert fitted.graders()["agreement"].to_list() == [1.0]


@every_method
def test_no_list_at_all(code):
    feedback = some_class().take_lists([])
    if code not in ORDINAL:
        with pytest.raises(DataError, match="score"):
            make(code).fit(feedback)
    else:
        fitted = make(code).fit(feedback)
        assert (fitted.scores_ == 0).all()
        assert fitted.graders()["reviews"].to_list() == [0] * feedback.n_graders


@every_method
def test_nothing_but_ties(code):
    fitted = fit(code, [(f"g{n}", [["a", "b", "c", "d"]]) for n in range(4)])

    assert ranking(fitted) == dict.fromkeys("abcd", 1)
    assert fitted.grades()["percentile"].to_list() == [100.0] * 4
    assert fitted.graders()["agreement"].to_list() == [None] * 4


@every_method
def test_perfect_agreement(code):
    fitted = fit(code, [(f"g{n}", list("abcdefg")) for n in range(30)])

    assert list(ranking(fitted)) == list("abcdefg")
    assert list(ranking(fitted).values()) == [1, 2, 3, 4, 5, 6, 7]
    assert np.ptp(fitted.reliabilities_) < 1e-8


@every_method
def test_total_disagreement(code):
    fitted = fit(code, [(f"g{n}", list("abcde" if n % 2 else "edcba")) for n in range(20)])

    if code.startswith(
        ("PL", "COMBINED")
    ):  # the top of a list says more than its end, so opposite lists do not cancel
        scores = fitted.scores_
        np.testing.assert_allclose(scores, scores[::-1], atol=1e-6)
    else:
        assert ranking(fitted) == dict.fromkeys("abcde", 1)


@every_method
def test_two_classes_that_share_nothing(code):
    orders = [(f"g{n}", list("abc")) for n in range(4)] + [(f"h{n}", list("zyx")) for n in range(4)]

    ranks = ranking(fit(code, orders))

    assert ranks["a"] == ranks["z"] < ranks["b"] == ranks["y"] < ranks["c"] == ranks["x"]


@every_method
def test_eighteen_items_in_one_list(code):
    names = [f"{n:02}" for n in range(18)]

    fitted = fit(code, [("ada", names), ("bob", names)])

    assert list(ranking(fitted)) == names


@for_long_lists
def test_lists_of_fifty(code):
    names = [f"{n:02}" for n in range(50)]

    fitted = fit(code, [("ada", names), ("bob", [names[:25], names[25:]])])

    assert list(ranking(fitted)) == names


@pytest.mark.parametrize("code", ["MALS", "MALS+G"])
def test_score_weighted_mallows_refuses_long_lists_by_name(code):
    with pytest.raises(DataError, match=r"grader 'ada' ranks 19 items .* at most 18.* use another method"):
        fit(code, [("ada", [f"{n:02}" for n in range(19)])])


@every_method
@pytest.mark.parametrize("graders", [1, 100])
def test_who_always_wins_is_first_and_who_never_does_is_last(code, graders):
    middle = [list("abc"), list("bca"), list("cab")]
    orders = [(f"g{n}", ["best", *middle[n % 3], "worst"]) for n in range(graders)]

    fitted = fit(code, orders)

    scores = [score_of(fitted, name) for name in ("best", "a", "b", "c", "worst")]
    assert scores[0] > max(scores[1:4])
    assert scores[4] < min(scores[1:4])
    assert np.abs(scores).max() < 100


@every_method
def test_a_chain_of_pairs_is_kept_in_order(code):
    orders = [(f"g{n}", pair) for n, pair in enumerate([["a", "b"], ["b", "c"], ["c", "d"], ["a", "d"]])]

    ranks = ranking(fit(code, orders))

    if code in ORDINAL and not code.startswith("MALBC"):  # means of ranks and scores tie items met elsewhere
        assert ranks == {"a": 1, "b": 2, "c": 3, "d": 4}
    else:
        assert ranks["a"] < ranks["b"] <= ranks["c"] < ranks["d"]


@every_method
def test_a_grader_who_contradicts_himself_in_pairs(code):
    circle = [("ada", ["a", "b"]), ("ada", ["b", "c"]), ("ada", ["c", "a"])]

    fitted = fit(code, circle)

    assert ranking(fitted) == {"a": 1, "b": 1, "c": 1}
    assert fitted.graders().row(0, named=True)["lists"] == 3
    assert fitted.graders().row(0, named=True)["agreement"] == 0.5


@every_method
def test_a_bag_of_pairs_with_a_majority(code):
    bag = [("ada", ["a", "b"]), ("ada", ["a", "b"]), ("ada", ["b", "a"]), ("bob", ["a", "b"])]

    assert ranking(fit(code, bag)) == {"a": 1, "b": 2}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("factor", [1e-9, 1e5])
def test_weights_from_tiny_to_huge(code, factor):
    """Huge ones press reliabilities against their limits."""
    feedback = some_class(weights=True)

    fitted = make(code).fit(replace(feedback, weights=feedback.list_weights * factor))

    assert np.isfinite(fitted.scores_).all()
    assert np.isfinite(fitted.reliabilities_).all()
    assert fitted.converged_


@pytest.mark.parametrize("code", [code for code in PLAIN if code in ORDINAL and code[:3] != "MAL"])
def test_a_wide_prior_lets_unbeaten_items_run_and_still_converges(code):
    fitted = make(code, score_variance=1e6).fit(orders_and_scores([("g", list("abcd"))] * 3))

    assert fitted.converged_
    assert (np.diff(fitted.scores_) < 0).all()
