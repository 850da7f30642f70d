"""Connected components of a class."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from peerage import Feedback
from peerage.models.solver.components import Components, Forest


def components_of(feedback):
    return Components(Forest.by_lists((feedback.items, feedback.list_starts), feedback.n_items))


def test_items_are_linked_through_others_and_projected_to_the_mean_of_their_component():
    feedback = Feedback.from_orders([("ada", ["a", "d"]), ("bob", ["c", "b"]), ("cyd", ["d", "e"])])

    components = components_of(feedback)

    assert components.labels.tolist() == [0, 1, 1, 0, 0]
    assert components.sizes.tolist() == [3, 2]
    assert components.means(np.array([1.0, 5.0, 7.0, 2.0, 6.0])).tolist() == [3, 6, 6, 3, 3]


@pytest.mark.parametrize("seed", range(5))
def test_components_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    lists = [rng.choice(60, 3, replace=False) for _ in range(25)]
    links = np.array([(a, b) for a, *others in lists for b in others]).T
    feedback = Feedback.from_orders([(f"g{n}", [f"{i:02}" for i in seen]) for n, seen in enumerate(lists)])

    found = components_of(feedback).labels

    graph = coo_array((np.ones(links.shape[1]), links), shape=(60, 60))
    expected = connected_components(graph, directed=False)[1][np.unique(np.concatenate(lists))]
    assert len(set(zip(found, expected, strict=True))) == len(set(found)) == len(set(expected))


def test_a_class_with_one_list_or_none():
    feedback, scores = Feedback.from_orders([("ada", ["a", "b", "c"])]), np.array([1.0, 2.0, 6.0])

    assert components_of(feedback).means(scores).tolist() == [3, 3, 3]
    assert Components(Forest(np.arange(3, dtype=np.int32))).means(scores).tolist() == [1, 2, 6]
