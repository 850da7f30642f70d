"""What numbers look like, list by list: rankings, or something that no ranking can be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.choices import Numbers

MOST_LISTS = 5_000  # looked at one by one; of more, these spread evenly
COINCIDENCE = 0.02  # scores that look like rankings more rarely than so are rankings
LONGEST_COUNTED = 40  # beyond this, ties are no evidence for a ranking
SMALL_SCALE = 3  # of 1 to 3, nobody can tell tiers from ratings


@dataclass(frozen=True, slots=True)
class RankEvidence:
    """Facts about numbers, over the lists of two items or more.

    Attributes
    ----------
    lists, longest : how many there are, and the size of the longest.
    rankings : share that are whole rankings, 1 to k, ties counted in any of the usual ways.
    strict : share of those without a tie.
    possible : share that may be rankings with gaps: those, and different whole numbers from 1 on.
    levels : mean of different numbers per item; 1 where nothing is tied.
    chance : how likely scores from 1 to the highest would look like so many rankings, as a logarithm.
    least, most : of all numbers.
    beyond : whether a number is larger than the number of items.
    fractions : whether there are any that do not come from tied ranks.
    letter_thirds : whether all end in .0, .3 or .7 between 1 and 6, as grades of two opposite scales do.
    """

    lists: int
    longest: int
    rankings: float
    strict: float
    possible: float
    levels: float
    chance: float
    least: float
    most: float
    beyond: bool
    fractions: bool
    letter_thirds: bool

    @property
    def like_rankings(self) -> bool:
        """Whether this is what ranks look like, perhaps with gaps, and hardly by coincidence."""
        if not self.lists or self.fractions or self.beyond:
            return False
        alike = self.possible >= 0.9 and self.rankings >= 0.5 and self.levels >= 2 / 3
        lossless = self.rankings == 1 or (self.levels == 1 and self.most <= self.longest)
        return alike and (lossless or self.chance <= math.log(COINCIDENCE))

    @property
    def surely_rankings(self) -> bool:
        """Whether hardly anything but rankings looks so."""
        few = self.chance > math.log(COINCIDENCE)
        return self.like_rankings and self.rankings >= 0.9 and not few

    @property
    def impossible(self) -> float:
        """Share of the lists that no ranking can be."""
        return 1 - self.possible

    @property
    def like_scores(self) -> bool:
        """Whether no ranking looks so, and the scale is wide enough not to be one of tiers."""
        if self.like_rankings or self.letter_thirds:
            return False
        if self.fractions or self.beyond or self.least <= 0:
            return True
        return self.impossible >= 0.25 and self.most > SMALL_SCALE


@dataclass(frozen=True, slots=True)
class NumberSummary:
    """Facts about all numbers, and the lists of two or more, or a sample of them."""

    least: float
    most: float
    beyond: bool
    whole: bool  # whether all are whole numbers
    odd_singles: bool  # whether a list of one item has a fraction, which no tie explains
    letter_thirds: bool
    sample: Numbers


def summarise_numbers(numbers: Numbers) -> NumberSummary:
    """Look at the numbers; none of them is missing."""
    values = numbers.values
    whole = values == np.round(values)
    counts = np.bincount(numbers.lists)
    marked = np.zeros(len(counts), dtype=bool)
    several = np.flatnonzero(counts >= 2)
    marked[several[sample_evenly(len(several))]] = True
    return NumberSummary(
        least=float(values.min()),
        most=float(values.max()),
        beyond=bool((values > numbers.items).any()),
        whole=bool(whole.all()),
        odd_singles=bool((counts[numbers.lists[~whole]] == 1).any()),
        letter_thirds=looks_like_letter_thirds(values),
        sample=numbers.only(marked[numbers.lists]),
    )


def sample_evenly(lists: int) -> NDArray[np.int64]:
    """Which of so many lists are looked at one by one: all, or some that are spread evenly."""
    if lists <= MOST_LISTS:
        return np.arange(lists)
    return np.linspace(0, lists - 1, MOST_LISTS).astype(np.int64)


def find_rank_evidence(summary: NumberSummary) -> RankEvidence:
    """What the numbers look like."""
    ordered, starts, sizes, most = _sort_lists(summary.sample)
    ends = starts + sizes - 1
    facts: dict[str, Any] = {
        name: getattr(summary, name) for name in ("least", "most", "beyond", "letter_thirds")
    }
    whole_numbers = summary.whole
    if len(starts) == 0:
        return RankEvidence(0, 1, 0.0, 0.0, 1.0, 1.0, 0.0, fractions=not whole_numbers, **facts)
    valid, levels = _find_rankings(ordered, starts, sizes)
    whole = np.logical_and.reduceat(ordered == np.round(ordered), starts)
    strict = valid & (levels == sizes)
    gaps = whole & (levels == sizes) & (ordered[starts] >= 1) & (ordered[ends] <= most)
    return RankEvidence(
        lists=len(starts),
        longest=int(sizes.max()),
        rankings=float(valid.mean()),
        strict=float(strict.mean()),
        possible=float((valid | gaps).mean()),
        levels=float((levels / sizes).mean()),
        chance=_log_chance(sizes, valid, strict, int(min(ordered.max(), 10**6))),
        fractions=not whole_numbers and bool((~whole & ~valid).any() or summary.odd_singles),
        **facts,
    )


def _sort_lists(
    part: Numbers,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Numbers in order within their lists, where each begins, its size and its number of possible items."""
    order = np.lexsort((part.values, part.lists))
    lists = part.lists[order]
    starts = (
        np.flatnonzero(np.append(True, lists[1:] != lists[:-1]))
        if len(lists)
        else np.empty(0, dtype=np.int64)
    )
    sizes = np.diff(np.append(starts, len(lists)))
    return part.values[order], starts, sizes, part.items[order][starts]


def _find_rankings(
    ordered: NDArray[np.float64], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which lists are whole rankings in any of the ways to count ties, and how many places each has."""
    bucket_starts = np.zeros(len(ordered), dtype=bool)
    bucket_starts[starts] = True
    bucket_starts[1:] |= ordered[1:] != ordered[:-1]
    place = np.arange(len(ordered)) - np.repeat(starts, sizes) + 1
    bucket = np.cumsum(bucket_starts) - 1
    first = np.flatnonzero(bucket_starts)
    tied = np.diff(np.append(first, len(ordered)))
    low = place[first][bucket]
    high = low + (tied - 1)[bucket]
    dense = bucket - np.repeat(bucket[starts], sizes) + 1
    valid = np.zeros(len(starts), dtype=bool)
    for counted in (low, high, dense, (low + high) / 2):
        valid |= np.logical_and.reduceat(ordered == counted, starts)
    return valid, dense[starts + sizes - 1]


def _log_chance(
    sizes: NDArray[np.int64], valid: NDArray[np.bool_], strict: NDArray[np.bool_], scale: int
) -> float:
    """Logarithm of how likely scores spread evenly over 1 to `scale` are to give so many rankings."""
    total = 0.0
    for tied in (False, True):
        which = valid & ~strict if tied else strict
        lengths, counts = np.unique(sizes[which], return_counts=True)
        total += sum(
            int(many) * _log_share(int(size), scale, tied=tied)
            for size, many in zip(lengths, counts, strict=True)
        )
    rankings, lists = int(valid.sum()), len(sizes)
    return total + math.lgamma(lists + 1) - math.lgamma(rankings + 1) - math.lgamma(lists - rankings + 1)


@cache
def _log_share(size: int, scale: int, *, tied: bool) -> float:
    """Logarithm of the share of all lists of scores that are whole rankings: without ties, or with any."""
    if scale < 1:
        return 0.0
    if not tied:
        return math.lgamma(size + 1) - size * math.log(scale) if scale >= size else 0.0
    if size > LONGEST_COUNTED:
        return 0.0
    onto = sum(
        sum((-1) ** left * math.comb(places, left) * (places - left) ** size for left in range(places + 1))
        for places in range(1, min(size, scale) + 1)
    )
    return min(0.0, math.log(onto) - size * math.log(scale))


def looks_like_letter_thirds(values: NDArray[np.float64]) -> bool:
    """Whether all end in .0, .3 or .7 between 1 and 6, and not all in .0."""
    if not (values.min() >= 1 and values.max() <= 6):
        return False
    tenths = np.round(values * 10)
    end = tenths % 10
    fine = np.isin(end, (0, 3, 7)) & (np.abs(values * 10 - tenths) < 1e-6)
    return bool(fine.all() and (end != 0).any())
