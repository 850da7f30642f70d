"""The plain mean beside every grade, against sums by hand."""

import numpy as np
import pytest

from peerage import Feedback, grade, read
from peerage.grading.items import raw_means
from peerage.grading.rank_sets import _by_ranks, _by_scores, _candidates, _draw_ranks, best_sentence


def test_marks_are_averaged_and_nothing_without_reviews():
    rows = {"grader": ["a", "a", "b", "b"], "item": ["x", "y", "x", "z"], "score": [4, 6, 7, 1]}

    items = grade(read(rows).with_items(["w"])).items

    assert dict(items.select("item", "mean_score").iter_rows()) == {"x": 5.5, "y": 6.0, "z": 1.0, "w": None}
    assert "mean_rank" not in items.columns


def test_places_are_averaged_by_weight_and_ties_share_the_mean_of_theirs():
    tied = Feedback.from_orders([("a", ["x", {"y", "z"}]), ("b", ["z", "x"])])
    weighted = {"grader": list("aabb"), "item": ["x", "y"] * 2, "rank": [1, 2, 2, 1], "weight": [3, 3, 1, 1]}
    both = raw_means(Feedback.from_columns(**weighted, score=[5, None, 9, 1]))

    assert raw_means(tied)["mean_rank"].tolist() == [1.5, 2.5, 1.75]
    assert "mean_score" not in raw_means(tied)
    assert raw_means(read(weighted))["mean_rank"].tolist() == pytest.approx([1.25, 1.75])
    assert both["mean_rank"].tolist() == pytest.approx([1.25, 1.75])
    assert both["mean_score"].tolist() == [6.0, 1.0]


def test_scores_far_from_zero_are_ranked_as_the_same_scores_near_it():
    rng = np.random.default_rng(0)
    quality = rng.normal(size=12)
    items = np.concatenate([rng.choice(12, 5, replace=False) for _ in range(12)])
    scores = np.round(quality[items] + rng.normal(size=60), 1)
    columns = [f"g{n // 5}" for n in range(60)], [f"i{n:02}" for n in items]

    near, far = (grade(Feedback.from_columns(*columns, score=shift + scores)) for shift in (0.0, 1e9))

    assert far.items.select("item", "rank").equals(near.items.select("item", "rank"))


def test_rank_sets_hold_all_at_once_and_one_item_may_be_the_best():
    rng = np.random.default_rng(0)
    centre, error = np.linspace(3, 0, 12), 0.35
    held, best = [], []
    for _ in range(40):
        truth = centre + error * rng.normal(size=12)
        ranks = _draw_ranks(centre, centre + error * rng.normal(size=(800, 12)))
        low, high = _by_ranks(ranks, 0.9)
        rank = 12 - np.argsort(np.argsort(truth))
        held.append(((low <= rank) & (rank <= high)).all())
        best.append(_candidates(ranks, 0.9)[rank == 1][0])
    wide_low, wide_high = _by_scores(centre, np.full(12, error), 0.9)

    assert 0.8 <= np.mean(held) <= 0.98
    assert 0.8 <= np.mean(best) <= 1
    assert (wide_low <= low).all()
    assert (wide_high >= high).all()


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a"], "a is the best of the 9 items (90 %)."),
        (["a", "b"], "The best of the 9 items is among these 2 (90 %): a, b."),
        (list("abcdefghi"), "Which of the 9 items is the best is open: none can be ruled out (90 %)."),
    ],
)
def test_the_best_is_named_as_far_as_it_is_known(names, sentence):
    assert best_sentence(names, 0.9, 9) == sentence
