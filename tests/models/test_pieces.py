"""Connected pieces of a class."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from peerage import Feedback
from peerage.models.smooth.blocks import cut
from peerage.models.smooth.pieces import Pieces


def pieces_of(feedback):
    return Pieces([block.lists for block in cut(feedback, None)], feedback.n_items)


def chance_lists(n_items, n_lists, seed):
    rng = np.random.default_rng(seed)
    return [rng.choice(n_items, 3, replace=False) for _ in range(n_lists)]


def test_items_are_linked_through_others():
    feedback = Feedback.from_orders([("ada", ["a", "d"]), ("bob", ["c", "b"]), ("cyd", ["d", "e"])])

    pieces = pieces_of(feedback)

    assert pieces.number.tolist() == [0, 1, 1, 0, 0]
    assert pieces.sizes.tolist() == [3, 2]


@pytest.mark.parametrize("seed", range(5))
def test_pieces_are_those_of_scipy(seed):
    lists = chance_lists(60, 25, seed)
    links = np.array([(a, b) for a, *others in lists for b in others]).T
    feedback = Feedback.from_orders([(f"g{n}", [f"{i:02}" for i in seen]) for n, seen in enumerate(lists)])

    found = pieces_of(feedback).number

    graph = coo_array((np.ones(links.shape[1]), links), shape=(60, 60))
    expected = connected_components(graph, directed=False)[1][np.unique(np.concatenate(lists))]
    assert len(set(zip(found, expected, strict=True))) == len(set(found)) == len(set(expected))


def test_a_level_is_the_mean_of_its_piece():
    feedback = Feedback.from_orders([("ada", ["a", "d"]), ("bob", ["c", "b"]), ("cyd", ["d", "e"])])

    levels = pieces_of(feedback).levels(np.array([1.0, 5.0, 7.0, 2.0, 6.0]))

    assert levels.tolist() == [3, 6, 6, 3, 3]


def test_a_class_in_one_piece_has_one_level():
    feedback = Feedback.from_orders([("ada", ["a", "b", "c"])])

    assert pieces_of(feedback).levels(np.array([1.0, 2.0, 6.0])).tolist() == [3, 3, 3]


def test_a_class_without_lists_is_all_pieces():
    pieces = Pieces([], 3)

    assert pieces.levels(np.array([1.0, 2.0, 6.0])).tolist() == [1, 2, 6]
