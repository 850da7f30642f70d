"""What must be known of all reviews before a part is written: repeats, lists, and how numbers look."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from peerage._words import SHOWN_LINES
from peerage.feedback.choices import Numbers
from peerage.reading.rank_evidence import NumberSummary, looks_like_letter_thirds, sample_evenly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.reading.streamed.ranges import Ranges, Rows


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of a range: tasks and graders, and the reviews in them, the first of every repeated one."""

    tasks: NDArray[np.int32]
    graders: NDArray[np.int32]
    sizes: NDArray[np.int64]
    lists: NDArray[np.int64]
    values: NDArray[np.float64]
    again: NDArray[np.int64]  # numbers of the rows that repeat one before

    @property
    def several(self) -> NDArray[np.int64]:
        """The lists of two reviews or more."""
        return np.flatnonzero(self.sizes >= 2)


def lists_of(rows: Rows, ordering: str, items: int, names: int) -> Lists:
    """Rows into lists, by task, grader and name of the list, of which there are `names`."""
    tasks, graders = rows.codes("task").astype(np.int64), rows.codes("grader") - rows.first_grader
    pairs = tasks * rows.graders + graders
    distinct, pair = np.unique(pairs, return_inverse=True)
    keys, lists = np.unique(pair * names + rows.codes("list"), return_inverse=True)
    review = lists * items + rows.codes("item")
    order = np.argsort(review, kind="stable")  # rows of one review stay in their order
    sorted_reviews = review[order]
    first = np.append(True, sorted_reviews[1:] != sorted_reviews[:-1])
    chosen = order[first]
    of_lists = distinct[keys // names]
    return Lists(
        tasks=(of_lists // rows.graders).astype(np.int32),
        graders=(of_lists % rows.graders).astype(np.int32),
        sizes=np.bincount(lists[chosen], minlength=len(keys)),
        lists=lists[chosen],
        values=rows.numbers(ordering)[chosen],
        again=np.sort(rows.rows[order[~first]]),
    )


@dataclass(slots=True)
class Survey:
    """What was found in all ranges."""

    tasks: int
    n_items: int  # labels of items
    reviews: list[NDArray[np.int64]] = field(default_factory=list)  # of every grader, without repeats
    lists: list[int] = field(default_factory=list)  # by range
    repeated: list[int] = field(default_factory=list)  # the ranges where reviews are repeated
    again: list[int] = field(default_factory=list)  # the first rows that repeat one before
    n_again: int = 0
    several_lists: bool = False  # whether a grader has several in a task
    item_keys: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    several: list[NDArray[np.int64]] = field(default_factory=list)  # lists of two or more, by range and task
    least: list[float] = field(default_factory=list)  # by range
    most: NDArray[np.float64] = field(init=False)  # by task
    whole: bool = True
    odd_singles: bool = False
    thirds: list[bool | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.most = np.full(self.tasks, -np.inf)
        if self.tasks == 1:
            self.item_keys = np.arange(self.n_items)

    def look(self, which: int, rows: Rows, lists: Lists) -> None:
        """Look at one range."""
        self.reviews.append(_sums(lists.graders, lists.sizes, rows.graders))
        self.lists.append(len(lists.tasks))
        if len(lists.again):
            self.repeated.append(which)
            self.again = sorted([*self.again, *lists.again[:SHOWN_LINES].tolist()])[:SHOWN_LINES]
            self.n_again += len(lists.again)
        pairs = len(np.unique(lists.tasks.astype(np.int64) * rows.graders + lists.graders))
        self.several_lists |= pairs < len(lists.tasks)
        if self.tasks > 1:
            keys = np.unique(rows.codes("task").astype(np.int64) * self.n_items + rows.codes("item"))
            self.item_keys = np.union1d(self.item_keys, keys)
        self.several.append(np.bincount(lists.tasks[lists.several], minlength=self.tasks))
        self._numbers(lists)

    def _numbers(self, lists: Lists) -> None:
        values = lists.values
        self.least.append(float(values.min()))
        np.maximum.at(self.most, lists.tasks[lists.lists], values)
        whole = values == np.round(values)
        self.whole &= bool(whole.all())
        self.odd_singles |= bool((lists.sizes[lists.lists[~whole]] == 1).any())
        # whole numbers from 1 to 6 are no thirds by themselves, and do not speak against them
        plain = bool(whole.all()) and values.min() >= 1 and values.max() <= 6
        self.thirds.append(None if plain else looks_like_letter_thirds(values))

    @property
    def items(self) -> NDArray[np.int64]:
        """Items of every task."""
        return np.bincount(self.item_keys // self.n_items, minlength=self.tasks)

    def seen(self, ranges: Ranges, ordering: str, names: int) -> NumberSummary:
        """What decides about the direction; ranges are read again for the lists that are looked at."""
        told = [one for one in self.thirds if one is not None]
        return NumberSummary(
            least=min(self.least),
            most=float(self.most.max()),
            beyond=bool((self.most > self.items).any()),
            whole=self.whole,
            odd_singles=self.odd_singles,
            letter_thirds=bool(told) and all(told),
            sample=self._sample(ranges, ordering, names),
        )

    def _sample(self, ranges: Ranges, ordering: str, names: int) -> Numbers:
        """The lists that reading at once would choose: spread evenly over all, by task and grader."""
        counts = np.array(self.several)  # ranges x tasks
        ends = np.cumsum(counts.T.ravel()).reshape(counts.T.shape)
        chosen = sample_evenly(int(counts.sum()))
        found: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
        for which in range(len(ranges)):
            firsts = ends[:, which] - counts[which]
            wanted = [
                chosen[np.searchsorted(chosen, low) : np.searchsorted(chosen, high)]
                for low, high in zip(firsts, ends[:, which], strict=True)
            ]
            if any(map(len, wanted)):
                lists = lists_of(ranges[which], ordering, self.n_items, names)
                for task, mine in enumerate(wanted):
                    found += _chosen(lists, task, mine, int(firsts[task]))
        positions, tasks, values = (
            (np.concatenate([one[k] for one in found]) for k in range(3)) if found else (np.empty(0),) * 3
        )
        order = np.argsort(positions, kind="stable")
        _, numbers = np.unique(positions, return_inverse=True)
        return Numbers(values[order], numbers[order], self.items[tasks.astype(np.int64)][order])


def _sums(groups: NDArray[np.int32], values: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, groups, values)
    return total


def _chosen(
    lists: Lists, task: int, positions: NDArray[np.int64], first: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]:
    """The numbers of some lists of a task, with the positions of these lists among all of two or more."""
    if len(positions) == 0:
        return []
    mine = lists.several[lists.tasks[lists.several] == task][positions - first]
    position = np.full(len(lists.tasks), -1, dtype=np.int64)
    position[mine] = positions
    of_numbers = position[lists.lists]
    inside = of_numbers >= 0
    return [(of_numbers[inside], np.full(int(inside.sum()), task), lists.values[inside])]
