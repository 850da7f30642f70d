"""Parts of a class that hardly overlap: sections, and sets of items with few reviews across.

Two items are linked by every list that has both; a review shares itself out over the others of its list. A
part is cut off where of all the links of its items fewer than `FEW` lead outside (its conductance), found by
the second eigenvector of the normalised Laplacian (Shi & Malik 2000) and a sweep along it, again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

FEW = 0.06  # of the links of a part: a random allocation of four reviews each has 0.2 or more
SMALLEST = 5  # items of a part
MOST_ITEMS = 600  # of a task, for eigenvectors
MOST_TASKS = 200  # beyond, every task is one part: eigenvectors of thousands would take minutes


def weakly_linked_parts(feedback: Feedback) -> Ints:
    """The part of every item, numbered by their first items; one part per task where nothing falls apart."""
    parts = np.zeros(feedback.n_items, dtype=np.int64)
    sizes = np.diff(feedback.task_starts)
    if len(sizes) > MOST_TASKS or not ((sizes >= 2 * SMALLEST) & (sizes <= MOST_ITEMS)).any():
        return feedback.item_tasks.astype(np.int64)
    links, number = _links(feedback), 0
    for task in range(feedback.n_tasks):
        low, high = (int(edge) for edge in feedback.task_starts[task : task + 2])
        waiting = [np.arange(low, high)]
        while waiting:
            items = waiting.pop()
            halves = _halves(links, items) if len(items) <= MOST_ITEMS else None
            if halves is None:
                parts[items] = number
                number += 1
            else:
                waiting += halves
    _, first, own = np.unique(parts, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[own].astype(np.int64)


def reviews_across(feedback: Feedback, parts: Ints, left: int, right: int) -> int:
    """Reviews of items of two parts in lists that have items of both."""
    own = parts[feedback.items]
    lists = feedback.entry_lists
    has = [np.bincount(lists, own == part, feedback.n_lists) for part in (left, right)]
    both = (has[0] > 0) & (has[1] > 0)
    return int((has[0] + has[1])[both].sum())


def _links(feedback: Feedback) -> Any:
    share = 1.0 / np.maximum(feedback.list_lengths - 1.0, 1.0)
    entries = (feedback.entry_lists, feedback.items)
    who = sparse.csr_array((np.ones(feedback.n_entries), entries), shape=(feedback.n_lists, feedback.n_items))
    links = sparse.csr_array(who.T @ (sparse.diags_array(share) @ who))
    links.setdiag(0.0)
    return links


def _halves(links: Any, items: Ints) -> list[Ints] | None:
    """Two parts with hardly a link across; None where there are none."""
    if len(items) < 2 * SMALLEST:
        return None
    within = links[items][:, items].toarray()
    volume = within.sum(axis=1)
    seen = volume > 0
    if int(seen.sum()) < 2 * SMALLEST:
        return None
    within, volume, own = within[np.ix_(seen, seen)], volume[seen], items[seen]
    root = 1.0 / np.sqrt(volume)
    vector = np.linalg.eigh(root[:, None] * within * root)[1][:, -2] * root
    order = np.argsort(vector, kind="stable")
    inside = np.cumsum(volume[order])[:-1]
    sorted_links = within[np.ix_(order, order)]
    # links within the first so many: a running sum of what each shares with those before it
    both = np.cumsum(2.0 * np.tril(sorted_links, -1).sum(axis=1))[:-1]
    across = (inside - both) / np.minimum(inside, volume.sum() - inside)
    sizes = np.arange(1, len(order))
    across[(sizes < SMALLEST) | (len(order) - sizes < SMALLEST)] = np.inf
    at = int(across.argmin())
    if not across[at] < FEW:
        return None
    unseen = items[~seen]
    return [np.concatenate([own[order[: at + 1]], unseen]), own[order[at + 1 :]]]
