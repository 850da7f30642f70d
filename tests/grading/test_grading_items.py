"""The plain mean beside every grade, against sums by hand."""

import numpy as np
import pytest

from peerage import Feedback, grade, read
from peerage.grading.explanation import _cell
from peerage.grading.items import raw_means
from peerage.grading.rank_sets import _by_ranks, _by_scores, _candidates, _draw_ranks, best_sentence


def test_marks_are_averaged():
    rows = {"grader": ["a", "a", "b", "b"], "item": ["x", "y", "x", "z"], "score": [4, 6, 7, 1]}

    result = grade(rows)

    means = dict(zip(result.items["item"], result.items["mean_score"], strict=True))
    assert means == {"x": 5.5, "y": 6.0, "z": 1.0}
    assert "mean_rank" not in result.items.columns


def test_places_are_averaged_and_ties_share_the_mean_of_theirs():
    feedback = Feedback.from_orders([("a", ["x", {"y", "z"}]), ("b", ["z", "x"])])

    assert raw_means(feedback)["mean_rank"].tolist() == [1.5, 2.5, 1.75]
    assert "mean_score" not in raw_means(feedback)


def test_both_where_both_were_given_and_nothing_without_reviews():
    rows = {"grader": ["a", "a"], "item": ["x", "y"], "rank": [1, 2], "score": [5, None]}

    found = raw_means(read(rows).with_items(["w"]))

    assert found["mean_rank"][1:].tolist() == [1, 2]
    assert found["mean_score"][1] == 5
    assert np.isnan([found["mean_rank"][0], found["mean_score"][0], found["mean_score"][2]]).all()


def test_a_list_counts_as_often_as_it_weighs():
    rows = {
        "grader": ["a", "a", "b", "b"],
        "item": ["x", "y"] * 2,
        "rank": [1, 2, 2, 1],
        "weight": [3, 3, 1, 1],
    }

    assert raw_means(read(rows))["mean_rank"].tolist() == pytest.approx([1.25, 1.75])


def test_scores_far_from_zero_are_ranked_as_the_same_scores_near_it():
    rng = np.random.default_rng(0)
    quality = rng.normal(size=12)
    items = np.concatenate([rng.choice(12, 5, replace=False) for _ in range(12)])
    scores = np.round(quality[items] + rng.normal(size=60), 1)
    graders = [f"g{n // 5}" for n in range(60)]
    near, far = (
        grade({"grader": graders, "item": [f"i{n:02}" for n in items], "score": shift + scores})
        for shift in (0.0, 1e9)
    )

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


def test_a_row_of_grades_with_its_rank_sets_can_be_explained_from_the_file():
    items = grade({"grader": ["a", "a", "b", "b"], "item": ["x", "y", "x", "y"], "rank": [1, 2, 1, 2]}).items

    row = {name: str(value) for name, value in items.row(0, named=True).items() if name.startswith("may")}

    assert {name: _cell(name, value) for name, value in row.items()} == {"may_be_best": 1.0}


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
