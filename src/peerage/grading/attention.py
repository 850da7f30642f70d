"""Where a staff grade, a staff comparison or one more review helps most.

What a staff grade of one item is worth, where there are letters: wrong letters it is expected to put right.
The item's own letter becomes right. In small tasks it also teaches about others, because estimates that rest
on the same comparisons err together: with correlation r, another item's variance falls by the share r^2, and
its letter is then chosen anew. Everything is normal, with the draws' covariance; items are taken one after
the other, each given those before it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.uncertainty.posterior import mean_displacement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.checking.preflight import Preflight
    from peerage.feedback.container import Feedback
    from peerage.grading.items import ItemPoints
    from peerage.grading.letters import LetterGrades, Letters
    from peerage.roster.container import Roster
    from peerage.uncertainty.posterior import Posterior

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

WITHOUT_BUDGET = 10  # rows where no budget was named
FLAGGED = ("reversed", "chance", "ties")
OPEN = 0.1  # chance of standing the wrong way round from which a pair is worth a comparison
NEAR = 8  # places on either side within which pairs are looked at
DENSE = 600  # items of a task up to which what one teaches about the others is worked out
NODES = 20  # cases of what may be learned
CORRELATED = 0.15  # less than this between draws is mostly noise


def staff_list(
    feedback: Feedback,
    posterior: Posterior,
    item_points: ItemPoints,
    ranks: Ints,
    letter_grades: LetterGrades | None,
    done: Ints,
    budget: int,
    disputed: Ints,
) -> pl.DataFrame:
    """Items in the order in which staff should grade them, with what each is expected to bring.

    With letters the gain is the expected number of wrong letters put right: the item's own, and in small
    tasks others' through what it teaches about them. Without letters it is the expected number of places
    that the item is off. Items in `done` have a staff grade already. Those that reviewers disagree about
    (`disputed`, the worst first) come first: what the model expects of them is what is in doubt.
    """
    first = disputed[~np.isin(disputed, done)]
    rows = min(budget or WITHOUT_BUDGET, feedback.n_items)
    if letter_grades is None:
        gains = _displacement(posterior, item_points, ranks)
        total = float(gains.sum())
        gains[done] = 0.0
        others = np.lexsort((ranks, -gains))
        best = np.concatenate([first, others[~np.isin(others, first)]])[:rows]
        best, brought = best[gains[best] > 0], gains[best][gains[best] > 0]
    else:
        own = 1.0 - letter_grades.probability
        total = float(own.sum())
        best, brought = expected_gains(
            item_points, feedback.task_starts, letter_grades.rule, own, done, rows, first
        )
    return pl.DataFrame(
        {
            **_named(feedback, best),
            "rank": ranks[best],
            "expected_gain": brought,
            "left_after": np.maximum(total - np.cumsum(brought), 0.0),
            "disputed": np.isin(best, first).astype(np.int64),
        }
    )


def _in_order_of_scores(posterior: Posterior, item_points: ItemPoints) -> bool:
    """Whether chances come by formula (large classes), and points, if any, only say scores otherwise."""
    return posterior.by_item and (item_points.points is None or item_points.ends is not None)


def _displacement(posterior: Posterior, item_points: ItemPoints, ranks: Ints) -> Floats:
    if _in_order_of_scores(posterior, item_points):
        return posterior.displacement(ranks)
    return mean_displacement(item_points.draws, ranks, posterior.feedback.task_starts)


def pairs_list(
    feedback: Feedback,
    posterior: Posterior,
    item_points: ItemPoints,
    ranks: Ints,
    order: Ints,
    letter_grades: LetterGrades | None,
    budget: int,
) -> pl.DataFrame:
    """Pairs that staff should compare: near each other and in doubt; with letters, across a boundary.

    The gain is the chance that the pair stands the wrong way round, `OPEN` or more.
    """
    first, second = _neighbours(order, feedback.item_tasks)
    if letter_grades is not None:
        across = letter_grades.numbers[first] != letter_grades.numbers[second]
        first, second = first[across], second[across]
    if _in_order_of_scores(posterior, item_points):
        chance = np.asarray(posterior.above(first, second))
    else:
        chance = _chance_above(item_points.draws, first, second)
    doubt = np.minimum(chance, 1.0 - chance)
    best = np.lexsort((ranks[second], ranks[first], -doubt))[: budget or WITHOUT_BUDGET]
    best = best[doubt[best] >= OPEN]
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


def _named(feedback: Feedback, items: Ints) -> dict[str, pl.Series]:
    return {
        "task": feedback.task_labels.gather(feedback.item_tasks[items]),
        "item": feedback.item_labels.gather(items),
    }


def _neighbours(order: Ints, tasks: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """Pairs of items at most `NEAR` places apart in the same task, the better one first."""
    steps = range(1, min(NEAR, len(order) - 1) + 1)
    none = np.empty(0, dtype=np.int64)
    first = np.concatenate([none, *(order[:-k] for k in steps)])
    second = np.concatenate([none, *(order[k:] for k in steps)])
    same = tasks[first] == tasks[second]
    return first[same], second[same]


def _chance_above(draws: NDArray[np.floating[Any]], first: Ints, second: Ints) -> Floats:
    """How often the first is above the second, ties half; a few thousand pairs at a time."""
    chance = np.empty(len(first))
    for start in range(0, len(first), 4096):
        part = slice(start, start + 4096)
        left, right = draws[:, first[part]], draws[:, second[part]]
        chance[part] = (left > right).mean(axis=0) + 0.5 * (left == right).mean(axis=0)
    return chance


def doubtful_graders(graders: pl.DataFrame, preflight: Preflight) -> NDArray[np.bool_]:
    """Graders to be talked to first: flagged by their agreement, or named by the pre-flight."""
    cases = [finding.cases for finding in preflight.findings if "grader" in finding.cases.columns]
    names = [rows["grader"] for rows in cases if "item" not in rows.columns]
    named = pl.concat(names).unique() if names else pl.Series([], dtype=pl.String)
    flagged = graders["flag"].is_in(FLAGGED) | graders["grader"].is_in(named.implode())
    return flagged.to_numpy()


def next_reviews(
    feedback: Feedback,
    posterior: Posterior,
    ranks: Ints,
    trust: Floats,
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
        barred = set(feedback.entry_graders[feedback.items == item].tolist()) | _authors(
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


def _authors(feedback: Feedback, roster: Roster | None, item: int) -> set[int]:
    """Numbers of the graders who made an item, or belong to the group that did."""
    if roster is None:
        return set()
    names = roster.makers_of(feedback.task_labels[int(feedback.item_tasks[item])], feedback.item_labels[item])
    numbers = (feedback.grader_labels.index_of(name) for name in names)
    return {int(number) for number in numbers if number is not None}


# -- what a staff grade teaches ------------------------------------------------------------------------


def expected_gains(
    item_points: ItemPoints,
    task_starts: Ints,
    letters: Letters,
    own: Floats,
    done: Ints,
    rows: int,
    first: Ints,
) -> tuple[Ints, Floats]:
    """The most worthwhile items, best first but for those that come `first`, and what each brings then."""
    left = own.copy()
    left[done] = 0.0
    tasks = _SmallTasks(item_points, task_starts, letters)
    chosen, brought = [], []
    for turn in range(rows):
        candidates = first[turn : turn + 1]
        if not len(candidates):
            candidates = np.argsort(-left, kind="stable")[: max(2 * rows, 20)]
            candidates = candidates[left[candidates] > 0]
        if not len(candidates):
            break
        others = [tasks.gains_of_others(int(item), left) for item in candidates]
        gains = left[candidates] + np.array([gain.sum() for gain in others])
        best = int(np.argmax(gains))
        item = int(candidates[best])
        left = np.maximum(left - others[best], 0.0)
        left[item] = 0.0
        tasks.condition_on(item)
        chosen.append(item)
        brought.append(float(gains[best]))
    return np.array(chosen, dtype=np.int64), np.array(brought)


class _SmallTasks:
    """Means, covariances and boundaries of the small tasks, as more and more items are known."""

    def __init__(self, item_points: ItemPoints, task_starts: Ints, letters: Letters) -> None:
        self.starts = task_starts
        self.covariance: dict[int, Floats] = {}
        self.edges: dict[int, Floats] = {}
        self.mean = item_points.draws.mean(axis=0, dtype=np.float64)
        for task, (low, high) in enumerate(pairwise(task_starts)):
            if 1 < high - low <= DENSE:
                self.covariance[task] = np.cov(item_points.draws[:, low:high], rowvar=False, dtype=np.float64)
                self.edges[task] = _edges(letters, self.mean[low:high])

    def _task(self, item: int) -> int:
        return int(np.searchsorted(self.starts, item, side="right")) - 1

    def gains_of_others(self, item: int, left: Floats) -> Floats:
        """By how much knowing an item is expected to lower the error of each other one."""
        gain = np.zeros(len(self.mean))
        task = self._task(item)
        if task not in self.covariance:
            return gain
        low, high = int(self.starts[task]), int(self.starts[task + 1])
        cov, at = self.covariance[task], item - low
        sd = np.sqrt(np.maximum(np.diag(cov), 1e-12))
        if sd[at] < 1e-5:
            return gain
        r = np.clip(cov[at] / (sd[at] * sd), -0.99, 0.99)
        near = (np.abs(r) > CORRELATED) & (np.arange(high - low) != at) & (left[low:high] > 0)
        if near.any():
            before = _error(self.mean[low:high][near], sd[near], self.edges[task])
            after = _expected_error(self.mean[low:high][near], sd[near], r[near], self.edges[task])
            gain[low:high][near] = np.clip(before - after, 0.0, left[low:high][near])
        return gain

    def condition_on(self, item: int) -> None:
        """An item is known from now on: what the others share with it is gone from their variance."""
        task = self._task(item)
        if task not in self.covariance:
            return
        cov, at = self.covariance[task], item - int(self.starts[task])
        if cov[at, at] > 1e-12:
            self.covariance[task] = cov - np.outer(cov[at], cov[at]) / cov[at, at]


def _edges(letters: Letters, mean: Floats) -> Floats:
    """The boundaries between letters, falling; under quotas half-way between the items on either side."""
    if letters.cuts is not None:
        return np.asarray(letters.cuts, dtype=float)
    falling = np.sort(mean)[::-1]
    places = letters.by_position(len(mean))
    steps = np.flatnonzero(np.diff(places)) + 1
    return np.asarray((falling[steps - 1] + falling[steps]) / 2)


def _error(mean: Floats, sd: Floats, edges: Floats) -> Floats:
    """The chance that the likeliest letter is wrong."""
    from scipy.special import ndtr

    above = ndtr((mean[..., None] - edges) / sd[..., None])
    steps = np.concatenate([above[..., :1], np.diff(above, axis=-1), 1.0 - above[..., -1:]], axis=-1)
    return np.asarray(1.0 - steps.max(axis=-1))


def _expected_error(mean: Floats, sd: Floats, r: Floats, edges: Floats) -> Floats:
    """The same after learning something correlated, over all that may be learned."""
    from scipy.special import ndtri

    nodes = ndtri((np.arange(NODES) + 0.5) / NODES)  # equal shares: the error has kinks that polynomials miss
    means = mean + np.abs(r) * sd * nodes[:, None]
    sds = np.broadcast_to(sd * np.sqrt(1.0 - r**2), means.shape)
    return np.asarray(_error(means, sds, edges).mean(axis=0))
