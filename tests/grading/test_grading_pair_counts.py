"""The counts that find pairs which repeat, against counting them all."""

from collections import Counter

import numpy as np
import pytest

from peerage.grading.pair_counts import FULL, count_pair, count_repeated, empty_counts, may_repeat


def filled(numbers, size=None):
    counts = empty_counts(len(numbers) if size is None else size)
    for number in numbers:
        count_pair(counts, np.int64(number))
    return counts


@pytest.mark.parametrize("least", [2, 3, 5])
@pytest.mark.parametrize("size", [1, 40, 4000])
def test_no_number_that_comes_back_is_missed_and_room_is_known(least, size):
    rng = np.random.default_rng(size)
    numbers = np.concatenate([rng.integers(0, 2**62, 300), rng.integers(0, 90, 300)])
    counts = filled(numbers, size)
    kept = [number for number in numbers.tolist() if may_repeat(counts, np.int64(number), least)]

    often = [number for number, times in Counter(numbers.tolist()).items() if times >= least]
    assert set(often) <= set(kept)
    assert count_repeated(counts, least) in (len(kept), -1)
    if size == 4000:  # with room, hardly any is kept in vain
        assert len(set(kept) - set(often)) < 0.1 * len(numbers)
        assert count_repeated(counts, least) == len(kept)


def test_a_full_place_says_that_it_cannot_tell():
    assert count_repeated(filled([7] * (FULL - 1)), 2) == FULL - 1
    assert count_repeated(filled([7] * (FULL + 10)), 2) == -1
    assert may_repeat(filled([7] * (FULL + 10)), np.int64(7), 5)
