"""Independent answers to the questions the allocation answers cleverly."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow


def barred(roster):
    """Everything nobody may see, as a boolean table."""
    table = np.zeros((roster.n_graders, roster.n_items), dtype=bool)
    for grader in range(roster.n_graders):
        table[grader, roster.barred_of(grader)] = True
    return table


def is_possible(allowed, numbers):
    """Whether lists of these lengths exist with loads within one, by a maximum flow with an overflow node."""
    n_graders, n_items = allowed.shape
    total = int(numbers.sum())
    least = total // n_items
    source, sink, extra = n_graders + n_items, n_graders + n_items + 1, n_graders + n_items + 2
    capacity = np.zeros((extra + 1, extra + 1), dtype=np.int32)
    capacity[source, :n_graders] = numbers
    capacity[:n_graders, n_graders:source] = allowed
    capacity[n_graders:source, sink] = least
    capacity[n_graders:source, extra] = 1
    capacity[extra, sink] = total - n_items * least
    return maximum_flow(csr_array(capacity), source, sink).flow_value == total


def together(graders, items, n_items, *, shared=False):
    """How often each pair of items meets; or the sum of 1 / length over the lists in which it does."""
    counts = np.zeros((n_items, n_items), dtype=float if shared else int)
    for grader in np.unique(graders):
        mine = items[graders == grader]
        counts[np.ix_(mine, mine)] += 1 / len(mine) if shared else 1
    np.fill_diagonal(counts, 0)
    return counts
