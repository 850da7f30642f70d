"""Favours returned and lists copied: found where planted, at their level where not."""

import itertools

import numpy as np
import pytest

from peerage import Feedback, fit, grade, simulate
from peerage.grading.strategic import (
    COMMON,
    LEVEL,
    Consensus,
    PeerReviews,
    find_copied,
    find_favours,
    groups_by_reviews,
    sharing_pairs,
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


ROSTER = {kind: [f"{kind[0]}{n:02d}" for n in range(STUDENTS)] for kind in ("student", "item")}


def judge(feedback):
    return Consensus.of(fit(feedback, "pl+g"))


def named(found):
    return {suspicion.graders for suspicion in found}


def favours(feedback):
    return named(find_favours(judge(feedback), PeerReviews.of(feedback, read_roster(ROSTER))))


def befriend(orders, members):
    """Everybody of a group reviews the others of it, and puts them first."""
    for student in members:
        friends = [other for other in members if other != student]
        rest = [item for item in orders[student] if item not in members]
        orders[student] = [*friends, *rest][:8]
    return orders


def copy(orders, rng):
    return orders | {1: orders[0].copy()}


def test_a_copied_list_is_found():
    assert named(find_copied(judge(a_class(0, copy)))) == {(0, 1)}


def test_the_same_items_in_the_order_of_the_class_are_no_copy():
    sure = a_class(1, copy, sd=60.0)  # everybody agrees

    assert find_copied(judge(sure)) == []


def test_honest_classes_have_a_name_as_seldom_as_is_stated():
    def same_items(orders, rng):
        return {g: list(rng.permutation(orders[g - g % 2])) for g in orders}

    classes = [a_class(seed, same_items) for seed in range(6)]

    assert np.mean([len(find_copied(judge(feedback))) > 0 for feedback in classes]) <= 2.5 * LEVEL
    assert np.mean([len(favours(feedback)) > 0 for feedback in classes]) <= 2.5 * LEVEL


def test_few_graders_who_agree_are_no_copies():
    """What the others know of the items is little: honest graders share more (named before)."""
    shape = {"items": 20, "graders": 6, "per_grader": 19, "length_sd": 0, "model": "pl", "sd": 4.25}

    assert [find_copied(judge(simulate(**shape, seed=seed).feedback())) for seed in (5000, 5002)] == [[], []]


def test_lists_of_two_tasks_are_not_compared_with_each_other():
    ranks, tasks = [1, 2, 3] * 4 + [3, 2, 1] * 2, ["t1", "t1", "t1", "t2", "t2", "t2"] * 3
    feedback = Feedback.from_columns(list("xxxxxxyyyyyyzzzzzz"), list("abcdef") * 3, rank=ranks, task=tasks)

    assert find_copied(judge(feedback)) == []


def test_two_who_favour_each_other_are_found():
    def favour(orders, rng):
        for one, two in ((0, 1), (1, 0), (2, 3), (3, 2)):
            orders[one] = [two, *[item for item in orders[one] if item != two][:7]]
        return orders

    found = [favours(a_class(seed, favour)) for seed in range(6)]

    assert sum(len(pairs & {(0, 1), (2, 3)}) for pairs in found) >= 1
    assert sum(len(pairs - {(0, 1), (2, 3)}) for pairs in found) <= 1


@pytest.mark.parametrize("size", [4, 6])
def test_a_clique_is_named_as_a_group(size):
    members = tuple(range(size))

    found = [favours(a_class(seed, lambda orders, rng: befriend(orders, members))) for seed in range(2)]

    assert sum(members in groups for groups in found) >= (1 if size == 4 else 2)


def test_groups_are_looked_for_by_who_reviewed_whom():
    gave = {(a, b) for a in range(4) for b in range(4) if a != b} | {(5, 6), (6, 5), (5, 0)}
    pairs = [(a, b) for a, b in sorted(gave) if a < b and (b, a) in gave]

    assert groups_by_reviews(gave, pairs, 30) == [(0, 1, 2, 3)]


def test_reviews_of_each_others_work():
    feedback = Feedback.from_orders([("a", ["ib", "ic"]), ("b", ["ia", "ic"]), ("c", ["ia", "ix"])])
    roster = read_roster({"student": ["a", "b", "c"], "item": ["ia", "ib", "ic"]})
    reviews = PeerReviews.of(feedback, roster)

    pairs, gave = reviews.mutual(feedback.n_graders)

    assert pairs == [(0, 1), (0, 2)]
    assert gave == {(0, 1), (1, 0), (0, 2), (2, 0), (1, 2)}
    labels = feedback.item_labels.gather(feedback.items[reviews.inside((0, 1))])
    assert labels.to_list() == ["ib", "ia"]


def test_a_clique_can_be_left_out_and_the_result_says_what_changes():
    members = (0, 1, 2, 3, 4, 5)
    feedback = a_class(0, lambda orders, rng: befriend(orders, members))

    kept, dropped = (grade(feedback, owners=ROSTER, favours=how) for how in ("keep", "drop"))

    (group,) = kept.strategic.filter(kind="favours").to_dicts()
    assert group["graders"] == [f"s{n:02d}" for n in members]
    assert "above 100 % of the other items of their lists" in group["text"]
    assert kept.strategic.equals(dropped.strategic)
    assert set(dropped.left_out["known_by"]) == {"favours"}
    assert len(dropped.left_out) == 30
    ranks = [dict(r.items.select("item", "rank").iter_rows()) for r in (kept, dropped)]
    fell = np.mean([ranks[1][f"i{n:02d}"] - ranks[0][f"i{n:02d}"] for n in members])
    assert fell == pytest.approx(group["places"], abs=1.0)
    assert f"stands {group['places']:.1f} places lower" in kept.sentences["strategic"]
    assert "they were left out" in dropped.sentences["strategic"]
    assert "self_reviews" not in dropped.sentences


def test_pairs_that_share_items_are_counted():
    feedback = a_class(4)
    seen = [set(feedback.items[feedback.entry_graders == g].tolist()) for g in range(STUDENTS)]

    expected = [
        [a, b] for a, b in itertools.combinations(range(STUDENTS), 2) if len(seen[a] & seen[b]) >= COMMON
    ]

    assert sharing_pairs(feedback).tolist() == expected


def test_the_result_names_pairs_and_the_sentence_only_counts_them():
    result = grade(a_class(0, copy), owners=ROSTER)

    assert result.strategic.select("kind", "graders").rows() == [("copied", ["s00", "s01"])]
    assert result.sentences["strategic"].startswith("1 pair of graders submitted nearly the same order")
    assert "s00" not in result.sentences["strategic"]
    assert "not a verdict" in result.strategic["text"][0]
