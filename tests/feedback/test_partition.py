"""Parts of large feedback: runs of graders, every list once."""

import numpy as np
import pytest
from tests.models.model_cases import some_class

from peerage.feedback.partition import SMALL, partition_graders, split_feedback


def test_small_feedback_is_one_part():
    assert partition_graders(np.full(100, SMALL // 100)).tolist() == [0, 100]
    assert partition_graders(np.zeros(0, dtype=np.int64)).tolist() == [0, 0]


@pytest.mark.parametrize(("millions", "parts"), [(1, 8), (7, 8), (8, 16), (80, 16), (85, 17), (100, 20)])
def test_parts_are_about_equal_and_more_of_more_millions(millions, parts):
    reviews = np.full(1000, millions * 1000)

    sizes = np.add.reduceat(reviews, partition_graders(reviews)[:-1])

    assert len(sizes) == parts
    assert sizes.max() - sizes.min() <= 2 * reviews[0]


def test_a_grader_is_never_cut():
    assert partition_graders(np.array([10 * SMALL])).tolist() == [0, 1]
    assert partition_graders(np.array([1, 10 * SMALL, 1])).tolist() == [0, 2, 3]


def test_parts_hold_every_list_once_in_order_of_grader():
    feedback = some_class(items=9, graders=20, length=3, tasks=2)

    parts = split_feedback(feedback, partition_graders(feedback.grader_reviews, small=10, parts=4))

    assert [part.n_graders for part in parts] == [5, 5, 5, 5]
    assert all(part.n_items == feedback.n_items for part in parts)
    found = [row for part in parts for row in part.to_frame().rows()]
    assert found == feedback.to_frame().sort("grader", "task", maintain_order=True).rows()
