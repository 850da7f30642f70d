"""Where staff should look: the grades that a staff judgement would most likely put right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.grading.boundaries import expected_gains
from peerage.uncertainty.posterior import mean_displacement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.checking.preflight import Preflight
    from peerage.feedback.container import Feedback
    from peerage.grading.items import Graded
    from peerage.grading.letters import Decided
    from peerage.roster.container import Roster
    from peerage.uncertainty.posterior import Posterior

WITHOUT_BUDGET = 10  # rows where no budget was named
FLAGGED = ("reversed", "chance", "ties")
NEAR = 8  # places on either side within which pairs are looked at


def staff_list(
    feedback: Feedback,
    posterior: Posterior,
    graded: Graded,
    ranks: NDArray[np.int64],
    decided: Decided | None,
    done: NDArray[np.int64],
    budget: int,
) -> pl.DataFrame:
    """Items in the order in which staff should grade them, with what each is expected to bring.

    With letters the gain is the expected number of wrong letters put right: the item's own, and in small
    tasks others' through what it teaches about them. Without letters it is the expected number of places
    that the item is off. Items in `done` have a staff grade already.
    """
    rows = min(budget or WITHOUT_BUDGET, feedback.n_items)
    if decided is None:
        gains = _displacement(posterior, graded, ranks)
        total = float(gains.sum())
        gains[done] = 0.0
        best = np.lexsort((ranks, -gains))[:rows]
        best, brought = best[gains[best] > 0], gains[best][gains[best] > 0]
    else:
        own = 1.0 - decided.sure
        total = float(own.sum())
        best, brought = expected_gains(graded, ranks, feedback.task_starts, decided.rule, own, done, rows)
    return pl.DataFrame(
        {
            **_named(feedback, best),
            "rank": ranks[best],
            "expected_gain": brought,
            "left_after": np.maximum(total - np.cumsum(brought), 0.0),
        }
    )


def _in_order_of_scores(posterior: Posterior, graded: Graded) -> bool:
    """Whether chances come by formula (large classes), and points, if any, only say scores otherwise."""
    return posterior.by_item and (graded.points is None or graded.ends is not None)


def _displacement(posterior: Posterior, graded: Graded, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    if _in_order_of_scores(posterior, graded):
        return posterior.displacement(ranks)
    return mean_displacement(graded.draws, ranks, posterior.feedback.task_starts)


def pairs_list(
    feedback: Feedback,
    posterior: Posterior,
    graded: Graded,
    ranks: NDArray[np.int64],
    order: NDArray[np.int64],
    decided: Decided | None,
    budget: int,
) -> pl.DataFrame:
    """Pairs that staff should compare: near each other and in doubt; with letters, across a boundary.

    The gain is the chance that the pair stands the wrong way round.
    """
    first, second = _neighbours(order, feedback.item_tasks)
    if decided is not None:
        across = decided.given[first] != decided.given[second]
        first, second = first[across], second[across]
    if _in_order_of_scores(posterior, graded):
        chance = np.asarray(posterior.above(first, second))
    else:
        chance = _chance_above(graded.draws, first, second)
    doubt = np.minimum(chance, 1.0 - chance)
    best = np.lexsort((ranks[second], ranks[first], -doubt))[: budget or WITHOUT_BUDGET]
    best = best[doubt[best] > 0]
    above, below = first[best], second[best]
    return pl.DataFrame(
        {
            **_named(feedback, above),
            "other": feedback.item_labels.gather(below),
            "rank": ranks[above],
            "other_rank": ranks[below],
            "chance_above": chance[best],
            "expected_gain": doubt[best],
        }
    )


def _named(feedback: Feedback, items: NDArray[np.int64]) -> dict[str, pl.Series]:
    return {
        "task": feedback.task_labels.gather(feedback.item_tasks[items]),
        "item": feedback.item_labels.gather(items),
    }


def _neighbours(
    order: NDArray[np.int64], tasks: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of items at most `NEAR` places apart in the same task, the better one first."""
    steps = range(1, min(NEAR, len(order) - 1) + 1)
    none = np.empty(0, dtype=np.int64)
    first = np.concatenate([none, *(order[:-k] for k in steps)])
    second = np.concatenate([none, *(order[k:] for k in steps)])
    same = tasks[first] == tasks[second]
    return first[same], second[same]


def _chance_above(
    draws: NDArray[np.floating[Any]], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How often the first is above the second, ties half; a few thousand pairs at a time."""
    chance = np.empty(len(first))
    for start in range(0, len(first), 4096):
        part = slice(start, start + 4096)
        left, right = draws[:, first[part]], draws[:, second[part]]
        chance[part] = (left > right).mean(axis=0) + 0.5 * (left == right).mean(axis=0)
    return chance


def doubtful(graders: pl.DataFrame, preflight: Preflight) -> NDArray[np.bool_]:
    """Graders to be talked to first: flagged by their agreement, or named by the pre-flight."""
    cases = [one.cases for one in preflight.findings if "grader" in one.cases.columns]
    named = [one["grader"] for one in cases if "item" not in one.columns]
    told = pl.concat(named).unique() if named else pl.Series([], dtype=pl.String)
    flagged = graders["flag"].is_in(FLAGGED) | graders["grader"].is_in(told.implode())
    return flagged.to_numpy()


def next_reviews(
    feedback: Feedback,
    posterior: Posterior,
    ranks: NDArray[np.int64],
    trust: NDArray[np.float64],
    roster: Roster | None,
    budget: int,
    doubtful: NDArray[np.bool_],
) -> pl.DataFrame:
    """Who should review what next: the items most in doubt, by the most trusted graders who may.

    Graders of whom something else is said (`doubtful`) are not asked for more.

    Every grader and every item is named once; :func:`peerage.next_reviews` makes a whole list for one grader.
    """
    doubt = posterior.displacement(ranks)
    items = np.lexsort((ranks, -doubt))[: budget or WITHOUT_BUDGET]
    ready = np.lexsort((np.arange(feedback.n_graders), -trust))
    free = ready[~doubtful[ready]].tolist()
    rows = []
    for item in items:
        barred = set(feedback.entry_graders[feedback.items == item].tolist()) | _makers(
            feedback, roster, int(item)
        )
        grader = next((g for g in free if int(g) not in barred), None)
        if grader is not None:
            free.remove(grader)
            rows.append((int(item), int(grader)))
    chosen = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return pl.DataFrame(
        {
            "grader": feedback.grader_labels.gather(chosen[:, 1]),
            **_named(feedback, chosen[:, 0]),
            "places_in_doubt": doubt[chosen[:, 0]],
        }
    )


def _makers(feedback: Feedback, roster: Roster | None, item: int) -> set[int]:
    """The graders who made an item, or belong to the group that did."""
    if roster is None:
        return set()
    names = roster.makers_of(feedback.task_labels[int(feedback.item_tasks[item])], feedback.item_labels[item])
    numbers = (feedback.grader_labels.index_of(name) for name in names)
    return {int(number) for number in numbers if number is not None}
