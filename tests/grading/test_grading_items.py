"""The plain mean beside every grade, against sums by hand."""

import numpy as np
import pytest

from peerage import Feedback, grade, read
from peerage.grading.items import raw_means


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
