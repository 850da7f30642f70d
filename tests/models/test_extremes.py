"""Every method on the strangest classes: one of everything, no information, no doubt, nothing in common."""

from dataclasses import replace

import numpy as np
import pytest
from model_cases import CODES, NEEDS_SCORES, ORDINAL, PLAIN, make, orders_and_scores, some_class

from peerage import DataError


def sound_fits(feedback, codes=CODES, **params):
    """Each of the methods with its fit, which must have converged to numbers."""
    for code in codes:
        try:
            fitted = make(code, **params).fit(feedback)
        except Exception as error:
            error.add_note(f"the method is {code}")
            raise
        numbers = [*fitted.scores_, *fitted.reliabilities_, fitted.objective_]
        assert np.isfinite(numbers).all(), code
        assert fitted.converged_, code
        yield code, fitted


def fits(orders, codes=CODES):
    return sound_fits(orders_and_scores(orders), codes)


def ranking(fitted):
    """Items best first with their ranks: ties show."""
    return dict(fitted.grades().select("item", "rank").rows())


EIGHTEEN, FIFTY = ([f"{n:02}" for n in range(length)] for length in (18, 50))
CLASSES = {
    "one item": ([("ada", ["x"])], {"x": 1}),
    "one item, five graders": ([(f"g{n}", ["x"]) for n in range(5)], {"x": 1}),
    "one grader is believed": ([("ada", ["a", "b", "c"])], {"a": 1, "b": 2, "c": 3}),
    "lists of eighteen": ([("ada", EIGHTEEN), ("bob", EIGHTEEN)], {name: int(name) + 1 for name in EIGHTEEN}),
    "lists of fifty": (
        [("ada", FIFTY), ("bob", [FIFTY[:25], FIFTY[25:]])],
        {name: int(name) + 1 for name in FIFTY},
    ),
    "a majority of pairs": (
        [("ada", ["a", "b"]), ("ada", ["a", "b"]), ("ada", ["b", "a"]), ("bob", ["a", "b"])],
        {"a": 1, "b": 2},
    ),
    "a grader who contradicts himself": (
        [("ada", ["a", "b"]), ("ada", ["b", "c"]), ("ada", ["c", "a"])],
        {"a": 1, "b": 1, "c": 1},
    ),
    "a chain of pairs": (
        [("g0", ["a", "b"]), ("g1", ["b", "c"]), ("g2", ["c", "d"]), ("g3", ["a", "d"])],
        {"a": 1, "b": 2, "c": 3, "d": 4},
    ),
    "nothing but ties": ([(f"g{n}", [["a", "b", "c", "d"]]) for n in range(4)], dict.fromkeys("abcd", 1)),
    "perfect agreement": (
        [(f"g{n}", list("abcdefg")) for n in range(30)],
        {name: place for place, name in enumerate("abcdefg", start=1)},
    ),
    "two classes that share nothing": (
        [(f"g{n}", list("abc")) for n in range(4)] + [(f"h{n}", list("zyx")) for n in range(4)],
        {"a": 1, "z": 1, "b": 3, "y": 3, "c": 5, "x": 5},
    ),
}


@pytest.mark.parametrize("name", CLASSES)
def test_every_method_ranks_as_anybody_would(name):
    orders, expected = CLASSES[name]
    codes = [code for code in CODES if not code.startswith("MALS") or len(expected) <= 18]
    if name == "a chain of pairs":  # means of ranks and scores tie items met elsewhere
        codes = [code for code in codes if code not in NEEDS_SCORES and not code.startswith("MALBC")]

    found = {code: ranking(fitted) for code, fitted in fits(orders, codes)}

    assert {code: ranks for code, ranks in found.items() if ranks != expected} == {}


def test_no_list_at_all():
    feedback = some_class().take_lists([])

    for code, fitted in sound_fits(feedback, ORDINAL):
        assert (fitted.scores_ == 0).all(), code
        assert fitted.graders()["reviews"].to_list() == [0] * feedback.n_graders, code
    for code in NEEDS_SCORES:
        with pytest.raises(DataError, match="score"):
            make(code).fit(feedback)


def test_total_disagreement():
    orders = [(f"g{n}", list("abcde" if n % 2 else "edcba")) for n in range(20)]
    uneven = [code for code in CODES if code.startswith(("PL", "COMBINED"))]
    even = [code for code in CODES if code not in uneven]

    assert [code for code, fitted in fits(orders, even) if set(ranking(fitted).values()) != {1}] == []
    for _, fitted in fits(orders, uneven):  # the top of a list says more than its end
        np.testing.assert_allclose(fitted.scores_, fitted.scores_[::-1], atol=1e-6)


@pytest.mark.parametrize("graders", [1, 100])
def test_who_always_wins_is_first_and_who_never_does_is_last(graders):
    middle = [list("abc"), list("bca"), list("cab")]
    orders = [(f"g{n}", ["best", *middle[n % 3], "worst"]) for n in range(graders)]

    for code, fitted in fits(orders):
        score = dict(fitted.grades().select("item", "score").rows())
        between = [score[name] for name in "abc"]
        assert score["best"] > max(between), code
        assert score["worst"] < min(between), code
        assert np.abs(fitted.scores_).max() < 100, code


@pytest.mark.parametrize("factor", [1e-9, 1e5])
def test_weights_from_tiny_to_huge(factor):
    """Huge ones press reliabilities against their limits."""
    feedback = some_class(weights=True)

    found = list(sound_fits(replace(feedback, weights=feedback.list_weights * factor)))

    assert len(found) == len(CODES)


def test_a_wide_prior_lets_unbeaten_items_run_and_still_converges():
    feedback = orders_and_scores([("g", list("abcd"))] * 3)
    codes = [code for code in PLAIN if code in ORDINAL and code[:3] != "MAL"]

    found = sound_fits(feedback, codes, score_variance=1e6)

    assert [code for code, fitted in found if not (np.diff(fitted.scores_) < 0).all()] == []
