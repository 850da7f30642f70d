"""Favours returned and lists copied: found where planted, at their level where not."""

import itertools

import numpy as np
import polars as pl
import pytest

from peerage import Feedback, fit, grade, simulate
from peerage.grading.strategic import (
    COMMON,
    LEVEL,
    Consensus,
    author_table,
    find_copied,
    find_returned,
    mutual_reviews,
    sharing_pairs,
    strategic_sentence,
)
from peerage.roster.reader import read_roster

STUDENTS = 30


def a_class(seed, change=lambda orders, rng: orders, each=8, sd=1.7):
    """Student n made item n and ranks the next few, honestly by Plackett-Luce; then `change`."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(0, sd, STUDENTS)
    orders = {}
    for student in range(STUDENTS):
        seen = (student + 1 + rng.choice(STUDENTS - 1, each, replace=False)) % STUDENTS
        orders[student] = seen[np.argsort(-(quality[seen] + rng.gumbel(size=each)))].tolist()
    orders = change(orders, rng)
    return Feedback.from_orders([(f"s{g:02d}", [f"i{i:02d}" for i in o]) for g, o in orders.items()])


ROSTER = pl.DataFrame(
    {"student": [f"s{n:02d}" for n in range(STUDENTS)], "item": [f"i{n:02d}" for n in range(STUDENTS)]}
)


def judge(feedback):
    return Consensus.of(fit(feedback, "pl+g"))


def named(found):
    return {(a, b) for a, b, *_ in found}


def test_a_copied_list_is_found():
    def copy(orders, rng):
        return orders | {1: orders[0].copy()}

    feedback = a_class(0, copy)

    assert named(find_copied(judge(feedback))) == {(0, 1)}


def test_the_same_items_in_the_order_of_the_class_are_no_copy():
    sure = a_class(1, lambda orders, rng: orders | {1: orders[0].copy()}, sd=60.0)  # everybody agrees

    assert find_copied(judge(sure)) == []


def test_honest_classes_have_a_name_as_seldom_as_is_stated():
    def same_items(orders, rng):
        return {g: list(rng.permutation(orders[g - g % 2])) for g in orders}

    classes = [judge(a_class(seed, same_items)) for seed in range(40)]
    authors = author_table(classes[0].feedback, read_roster(ROSTER))

    assert np.mean([len(find_copied(one)) > 0 for one in classes]) <= 2.5 * LEVEL
    assert np.mean([len(find_returned(one, authors)) > 0 for one in classes]) <= 2.5 * LEVEL


def test_favours_returned_are_found():
    def favour(orders, rng):
        for one, two in ((0, 1), (1, 0), (2, 3), (3, 2)):
            orders[one] = [two, *[item for item in orders[one] if item != two][:7]]
        return orders

    low = [a_class(seed, favour) for seed in range(12)]
    authors = author_table(low[0], read_roster(ROSTER))
    found = [named(find_returned(judge(feedback), authors)) for feedback in low]

    assert sum(len(pairs & {(0, 1), (2, 3)}) for pairs in found) >= 4
    assert sum(len(pairs - {(0, 1), (2, 3)}) for pairs in found) <= 1


def test_mutual_reviews_are_those_of_each_others_work():
    feedback = Feedback.from_orders([("a", ["ib", "ic"]), ("b", ["ia", "ic"]), ("c", ["ia", "ix"])])
    roster = read_roster(pl.DataFrame({"student": ["a", "b", "c"], "item": ["ia", "ib", "ic"]}))

    one, two, who = mutual_reviews(feedback, author_table(feedback, roster))

    labels = feedback.item_labels.to_list()
    assert who.tolist() == [[0, 1], [0, 2]]
    assert [labels[feedback.items[e]] for e in one] == ["ib", "ic"]
    assert [labels[feedback.items[e]] for e in two] == ["ia", "ia"]


def test_residuals_are_wins_less_what_the_class_expects():
    feedback = a_class(3)
    consensus = judge(feedback)

    found = consensus.residuals()

    low, high = feedback.list_starts[:2]
    place = consensus.scores[low:high]
    for k in range(high - low):
        expected = [
            1 / (1 + np.exp(-consensus.slope * (place[k] - place[j]))) for j in range(high - low) if j != k
        ]
        wins = high - low - 1 - k
        assert found[low + k] == pytest.approx((wins - sum(expected)) / (high - low - 1))
    assert np.bincount(feedback.entry_lists, found) == pytest.approx(np.zeros(feedback.n_lists), abs=1e-9)


def test_pairs_that_share_items_are_counted():
    feedback = a_class(4)
    seen = [set(feedback.items[feedback.entry_graders == g].tolist()) for g in range(STUDENTS)]

    expected = [
        [a, b] for a, b in itertools.combinations(range(STUDENTS), 2) if len(seen[a] & seen[b]) >= COMMON
    ]

    assert sharing_pairs(feedback).tolist() == expected


def test_the_result_names_pairs_and_the_sentence_only_counts_them():
    feedback = a_class(0, lambda orders, rng: orders | {1: orders[0].copy()})

    first, second = (grade(feedback, owners=ROSTER, seed=seed) for seed in (0, 1))

    assert first.strategic.select("kind", "grader", "other").rows() == [("copied", "s00", "s01")]
    assert first.strategic.equals(second.strategic)
    assert first.sentences["strategic"].startswith("1 pair of graders handed in nearly the same order")
    assert "s00" not in first.sentences["strategic"]
    assert "not a verdict" in first.strategic["text"][0]


def test_without_any_there_is_no_sentence():
    result = grade(simulate(items=10, graders=12, per_grader=3, seed=1).feedback())

    assert result.strategic.is_empty()
    assert strategic_sentence(result.strategic) == {}
    assert "strategic" not in result.sentences
