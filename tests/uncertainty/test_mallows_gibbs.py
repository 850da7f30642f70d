"""An item is put back where the whole order says, though only its opponents are looked at."""

import numpy as np
import pytest

import naive
import peerage
from peerage.uncertainty.mallows_gibbs import Margins


def sparse(items, lists, length, seed):
    rng = np.random.default_rng(seed)
    orders = [rng.choice(items, length, replace=False) for _ in range(lists)]
    tied = [[{*map(str, order[:2])}, *map(str, order[2:])] for order in orders]
    return peerage.Feedback.from_orders([(f"g{at % 7}", order) for at, order in enumerate(tied)])


def margins_of(feedback):
    lists = (
        feedback.items, feedback.bucket_starts, feedback.list_starts,
        feedback.list_graders, feedback.list_weights,
    )  # fmt: skip
    which, items = np.arange(feedback.n_lists), np.arange(feedback.n_items)
    return Margins(lists, which, items, len(items), int(feedback.list_strict_pairs.sum()))


def margin_matrix(feedback, eta):
    matrix = np.zeros((feedback.n_items, feedback.n_items))
    for order in naive.orders_of(feedback):
        for better, worse in naive.strict_pairs(order.buckets):
            matrix[better, worse] += eta[order.grader]
            matrix[worse, better] -= eta[order.grader]
    return matrix


def slow_sweep(rng, matrix, order):
    """The same by looking at every position of the whole order."""
    for item in range(len(order)):
        order.remove(item)
        energy = np.concatenate([[0.0], np.cumsum(matrix[item, order])])
        mass = np.cumsum(np.exp(energy.min() - energy))
        order.insert(int(np.searchsorted(mass, rng.random() * mass[-1], side="right")), item)


@pytest.mark.parametrize(("items", "lists", "length"), [(60, 30, 4), (12, 40, 6), (3, 1, 3)])
def test_the_order_is_that_of_the_whole_conditional_distribution(items, lists, length):
    feedback = sparse(items, lists, length, seed=items)
    eta = np.random.default_rng(1).gamma(2.0, 1.0, feedback.n_graders)
    margins, matrix = margins_of(feedback), margin_matrix(feedback, eta)
    margins.weigh(eta)
    fast, slow = np.random.default_rng(5), np.random.default_rng(5)
    state = margins.shuffle(fast)
    slowly = list(slow.permutation(feedback.n_items))
    for _ in range(20):
        state.sweep(fast)
        slow_sweep(slow, matrix, slowly)
        assert state.order.tolist() == slowly
        assert state.position[state.order].tolist() == list(range(len(slowly)))
