"""Small steps that the kernels of several models share: walking lists, buckets, exponentials."""

from __future__ import annotations

import math
from typing import Any

from peerage._numba import kernel

# Within this range of x in a list, ratios of exponentials are exact: one exp per entry serves all its pairs.
NARROW = 60.0


@kernel
def longest_of(starts: Any) -> int:
    """The length of the longest list."""
    longest = 0
    for which in range(len(starts) - 1):
        longest = max(longest, starts[which + 1] - starts[which])
    return longest


@kernel
def bucket_end(bucket_starts: Any, start: int, last: int) -> int:
    """Where the tie bucket that this entry is in ends."""
    end = start + 1
    while end < last and not bucket_starts[end]:
        end += 1
    return end


@kernel
def middle_of(x: Any, first: int, last: int) -> tuple[float, bool]:
    """The middle of the list's range, and whether that is narrow enough for exponentials."""
    low, high = x[first], x[first]
    for e in range(first + 1, last):
        low, high = min(low, x[e]), max(high, x[e])
    return 0.5 * (low + high), high - low <= NARROW


@kernel
def exponentials(x: Any, first: int, last: int, power: Any) -> bool:
    """power = exp(x - middle), where the range of the list allows it; says whether it does."""
    middle, is_narrow = middle_of(x, first, last)
    if is_narrow:
        for e in range(first, last):
            power[e - first] = math.exp(x[e] - middle)
    return is_narrow
