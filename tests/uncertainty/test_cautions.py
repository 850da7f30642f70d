"""Where intervals are known to fall short, the note says so."""

import numpy as np
import pytest
from uncertainty_cases import learned, orders, pairs, ranked, scored, with_ranks

import peerage
from peerage.uncertainty import cautions
from peerage.uncertainty.cautions import FEW_GRADERS, tied_share


def note_of(feedback, code, source="auto"):
    return peerage.posterior(peerage.fit(feedback, code), source=source, draws=10).note


def test_a_caution_is_given_where_it_holds_and_nowhere_else():
    usual, of_pairs = note_of(ranked(), "PL+G"), "takes every pair of a list"

    assert of_pairs in note_of(ranked(), "BT+G")
    assert of_pairs not in note_of(pairs(), "BT+G")
    assert ranked().n_graders >= FEW_GRADERS > orders().n_graders
    assert "With so few graders" in note_of(orders(), "PL+G")
    assert "fewer than 100 items" in peerage.posterior(learned(), draws=10).note
    found = [words for words in (of_pairs, "With so few graders", "fewer than 100 items") if words in usual]
    assert found == []


def test_few_comparisons_of_an_item_are_told_in_large_classes():
    rng = np.random.default_rng(3)
    for each, told in ((3, True), (8, False)):
        rows = [(f"g{at % 20}", [f"i{a:03}", f"i{b:03}"]) for at, (a, b) in enumerate(_pairs(120, each, rng))]
        feedback = peerage.Feedback.from_orders(rows)
        fitted = peerage.learn_priors(feedback, peerage.method("BT+G", identified=True))

        assert ("few comparisons of an item" in peerage.posterior(fitted, draws=10).note) is told


def _pairs(items, each, rng):
    """Pairs of neighbours on a ring that is shuffled anew; the item with the smaller number tends to win."""
    for _ in range(each):
        ring = rng.permutation(items)
        for a, b in zip(ring, np.roll(ring, 1), strict=True):
            yield (a, b) if (a < b) == (rng.random() < 0.8) else (b, a)


def test_ties_are_counted():
    assert tied_share(orders()) == pytest.approx(1 / 15)
    tied = peerage.Feedback.from_orders([("ada", [{"x", "y"}, "z"]), ("bob", ["x", {"y", "z"}])])

    assert "33 % of all pairs are tied" in note_of(tied, "PL+G")


def test_orders_and_scores_together_are_too_sure_of_scores():
    notes = {code: note_of(with_ranks(), code) for code in ("COMBINED+G", "NCS+G", "PL+G")}

    words = "orders and scores are taken together"
    assert [code for code, note in notes.items() if words in note] == ["COMBINED+G"]


def test_the_caution_reaches_the_sentences_of_a_grade():
    assert "With so few graders" in peerage.grade(orders()).sentences["uncertainty"]


def test_rankings_need_none_of_them_and_scores_only_with_few_graders():
    few, many = (note_of(_scored(graders), "NCS+G") for graders in (8, 20))

    assert "simulated classes" not in note_of(scored(), "MAL+G")
    assert "the noise of their scores is itself known poorly" in few
    assert "the noise of their scores is itself known poorly" not in many
    assert cautions.SCORED_RELIABILITIES in many


def _scored(graders):
    names, items = np.divmod(np.arange(5 * graders), 5)
    scores = 5.0 + items + 0.1 * ((7 * names + 3 * items) % 11)
    return peerage.Feedback.from_columns(names.astype(str), items.astype(str), score=scores)


def test_rankings_found_anew_are_too_modest():
    assert "too modest" in note_of(ranked(), "MAL+G", "bootstrap")
    assert "too modest" not in note_of(ranked(), "MAL+G", "sampler")
    assert "too modest" not in note_of(ranked(), "PL+G", "bootstrap")
