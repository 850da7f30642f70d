"""Where staff should look: the grades that a staff judgement would most likely put right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.grading.ranks import mean_displacement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback

WITHOUT_BUDGET = 10  # rows where no budget was named
DENSE = 600  # items of a task up to which one staff grade's bearing on the others is worked out
NODES = 7  # of the quadrature over what a staff grade may teach
NEAR = 8  # places on either side within which pairs are looked at


def staff_list(
    feedback: Feedback,
    draws: NDArray[np.floating],
    ranks: NDArray[np.int64],
    chances: NDArray[np.float64] | None,
    given: NDArray[np.int64] | None,
    budget: int,
) -> pl.DataFrame:
    """Items in the order in which staff should grade them, with what each is expected to bring.

    With letters the gain is the expected number of wrong letters put right, the item's own and, through what
    it teaches, others'; without, the expected number of places the item is off.
    """
    rows = budget or WITHOUT_BUDGET
    if chances is None or given is None:
        gain = mean_displacement(draws, ranks, feedback.task_starts)
    else:
        gain = 1.0 - chances[np.arange(len(given)), given]
    best = np.lexsort((np.arange(len(gain)), ranks, -gain))[:rows]
    best = best[gain[best] > 0]
    remaining = gain.sum() - np.cumsum(gain[best])
    return pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks[best]),
            "item": feedback.item_labels.gather(best),
            "rank": ranks[best],
            "expected_gain": gain[best],
            "left_after": np.maximum(remaining, 0.0),
        }
    )


def pairs_list(
    feedback: Feedback,
    draws: NDArray[np.floating],
    ranks: NDArray[np.int64],
    order: NDArray[np.int64],
    given: NDArray[np.int64] | None,
    budget: int,
) -> pl.DataFrame:
    """Pairs that staff should compare: near each other and in doubt; with letters, across a boundary.

    The gain is the chance that the pair stands the wrong way round.
    """
    first, second = _neighbours(order, feedback.item_tasks)
    if given is not None:
        across = given[first] != given[second]
        first, second = first[across], second[across]
    chance = _chance_above(draws, first, second)
    doubt = np.minimum(chance, 1.0 - chance)
    best = np.lexsort((ranks[second], ranks[first], -doubt))[: budget or WITHOUT_BUDGET]
    best = best[doubt[best] > 0]
    above, below = first[best], second[best]
    return pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks[above]),
            "item": feedback.item_labels.gather(above),
            "other": feedback.item_labels.gather(below),
            "rank": ranks[above],
            "other_rank": ranks[below],
            "chance_above": chance[best],
            "expected_gain": doubt[best],
        }
    )


def _neighbours(
    order: NDArray[np.int64], tasks: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of items at most `NEAR` places apart in the same task, the better one first."""
    firsts = [order[:-k] for k in range(1, NEAR + 1) if k < len(order)]
    seconds = [order[k:] for k in range(1, NEAR + 1) if k < len(order)]
    if not firsts:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    same = tasks[first] == tasks[second]
    return first[same], second[same]


def _chance_above(
    draws: NDArray[np.floating], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How often the first is above the second, ties half; a few thousand pairs at a time."""
    chance = np.empty(len(first))
    for start in range(0, len(first), 4096):
        part = slice(start, start + 4096)
        left, right = draws[:, first[part]], draws[:, second[part]]
        chance[part] = (left > right).mean(axis=0) + 0.5 * (left == right).mean(axis=0)
    return chance


def next_reviews(
    feedback: Feedback,
    draws: NDArray[np.floating],
    ranks: NDArray[np.int64],
    reliabilities: NDArray[np.float64],
    budget: int,
) -> pl.DataFrame:
    """Who should review what next: the item most in doubt, by the most reliable grader who has not seen it.

    Every grader and every item is named once.
    """
    doubt = mean_displacement(draws, ranks, feedback.task_starts)
    items = np.lexsort((ranks, -doubt))[: budget or WITHOUT_BUDGET]
    free = list(np.lexsort((np.arange(feedback.n_graders), -reliabilities)))
    seen = set(zip(feedback.entry_graders.tolist(), feedback.items.tolist(), strict=True))
    rows = []
    for item in items:
        grader = next((g for g in free if (int(g), int(item)) not in seen), None)
        if grader is None:
            continue
        free.remove(grader)
        rows.append((int(item), int(grader)))
    chosen = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return pl.DataFrame(
        {
            "grader": feedback.grader_labels.gather(chosen[:, 1]),
            "task": feedback.task_labels.gather(feedback.item_tasks[chosen[:, 0]]),
            "item": feedback.item_labels.gather(chosen[:, 0]),
            "places_in_doubt": doubt[chosen[:, 0]],
        }
    )
