"""Delimited text without quotes, byte by byte: where fields begin and end, and which are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage._numba import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEWLINE, RETURN = np.uint8(ord("\n")), np.uint8(ord("\r"))
MIXER = np.uint64(0x9E3779B97F4A7C15)
HALF, ZERO, ONE = np.uint64(32), np.uint64(0), np.uint64(1)
FREE = np.uint64(0)
LOW = np.uint64(0xFFFFFFFF)
HIGH = ~LOW
HEAD = np.uint64(16)  # bytes of a field that are compared at once
STEP = 256  # fields whose labels are fetched together


@kernel
def count_records(data: NDArray[np.uint8], delimiter: np.uint8, width: int) -> int:
    """How many lines there are, empty ones included; -1 where one that is not empty has another width."""
    count, fields, begin = 0, 1, 0
    size = len(data)
    for at in range(size):
        sign = data[at]
        if sign == delimiter:
            fields += 1
        elif sign == NEWLINE:
            if fields != width and not _is_empty(data, begin, at):
                return -1
            count, fields, begin = count + 1, 1, at + 1
    if begin < size:
        if fields != width and not _is_empty(data, begin, size):
            return -1
        count += 1
    return count


@kernel
def _is_empty(data: NDArray[np.uint8], begin: int, end: int) -> bool:
    return end == begin or (end == begin + 1 and data[begin] == RETURN)


@kernel
def find_fields(
    data: NDArray[np.uint8],
    at: int,
    delimiter: np.uint8,
    slots: NDArray[np.int64],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> tuple[int, int]:
    """The wanted fields of the next records, as many as there is room for; how many, and where the next is.

    slots : by column, the row of `begins` and `ends` that it goes into, or -1
    """
    size, room, found = len(data), begins.shape[1], 0
    while at < size and found < room:
        for slot in range(len(begins)):  # an empty line has empty fields
            begins[slot, found] = ends[slot, found] = at
        column, begin = 0, at
        while True:
            over = at == size or data[at] == NEWLINE
            if over or data[at] == delimiter:
                if slots[column] >= 0:
                    last = at - 1 if over and at > begin and data[at - 1] == RETURN else at
                    begins[slots[column], found], ends[slots[column], found] = begin, last
                column, begin = column + 1, at + 1
                if over:
                    break
            at += 1
        at += 1
        found += 1
    return found, at


@kernel
def _word(data: NDArray[np.uint8], at: int | np.int64, size: int | np.int64) -> np.uint64:
    """Up to eight bytes as a number."""
    word = ZERO
    if at + 8 <= len(data):  # then the compiler makes it one step
        for which in range(8):
            word |= np.uint64(data[at + which]) << np.uint64(8 * which)
        return word if size >= 8 else word & ((ONE << np.uint64(8 * size)) - ONE)
    for which in range(min(size, 8)):
        word |= np.uint64(data[at + which]) << np.uint64(8 * which)
    return word


@kernel
def hash_fields(
    data: NDArray[np.uint8],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    seed: np.uint64,
    keys: NDArray[np.uint64],
) -> None:
    """By field its hash, which equal ones have in common, its length, and its first sixteen bytes."""
    for which in range(len(begins)):
        begin, size = begins[which], ends[which] - begins[which]
        keys[which, 1] = np.uint64(size)
        keys[which, 2] = _word(data, begin, size)
        keys[which, 3] = _word(data, begin + 8, size - 8) if size > 8 else ZERO
        found = ((seed ^ keys[which, 1] ^ keys[which, 2]) * MIXER) ^ keys[which, 3]
        at = 16
        while at < size:
            found = ((found ^ (found >> HALF)) * MIXER) ^ _word(data, begin + at, size - at)
            at += 8
        found = (found ^ (found >> HALF)) * MIXER
        keys[which, 0] = found ^ (found >> HALF)


@kernel
def _is_key(keys: NDArray[np.uint64], which: int, others: NDArray[np.uint64], other: int | np.int64) -> bool:
    """Whether all is equal that is known of two fields without looking at them."""
    differ = keys[which, 0] ^ others[other, 0]
    for part in range(1, 4):
        differ |= keys[which, part] ^ others[other, part]
    return bool(differ == ZERO)


@kernel
def _is_same(
    data: NDArray[np.uint8],
    begin: np.int64,
    labels: NDArray[np.uint8],
    starts: NDArray[np.int64],
    number: np.int64,
) -> bool:
    """Whether a field is this label, if their lengths are the same."""
    first, size = starts[number], starts[number + 1] - starts[number] - 1
    at = 0
    while at < size and data[begin + at] == labels[first + at]:
        at += 1
    return bool(at == size)


@kernel
def _guess(
    keys: NDArray[np.uint64], low: int, high: int, table: NDArray[np.uint64], codes: NDArray[np.int32]
) -> None:
    """By field, the label whose hash has the same high half, or -1."""
    mask = np.uint64(len(table) - 1)
    for which in range(low, high):
        place = keys[which, 0] & mask
        while table[place] != FREE and (table[place] ^ keys[which, 0]) & HIGH:
            place = (place + ONE) & mask
        codes[which] = np.int64(table[place] & LOW) - 1


@kernel
def _enter(
    data: NDArray[np.uint8],
    begin: np.int64,
    labels: NDArray[np.uint8],
    starts: NDArray[np.int64],
    number: int,
    size: np.int64,
) -> None:
    """Keep the bytes of a new label."""
    first = starts[number]
    for at in range(size):
        labels[first + at] = data[begin + at]
    labels[first + size] = NEWLINE
    starts[number + 1] = first + size + 1


@kernel
def number_fields(
    data: NDArray[np.uint8],
    begins: NDArray[np.int64],
    keys: NDArray[np.uint64],
    done: int,
    table: NDArray[np.uint64],
    known: NDArray[np.uint64],
    starts: NDArray[np.int64],
    labels: NDArray[np.uint8],
    n_labels: int,
    codes: NDArray[np.int32],
) -> tuple[int, int]:
    """Number fields from the one after `done` on, equal ones equally, in the order they are met.

    Ends early where there is no room for another label: how many are done, and how many labels there are.

    table : by the low bits of a hash, its high half and the number of the label, from 1; FREE where there is
        none. Its length is a power of two, twice that of `known`
    known : by label, what `keys` is by field
    labels : the bytes of all labels, a line break after each; `starts` has where each of them begins, and
        where the next would
    """
    mask = np.uint64(len(table) - 1)
    for low in range(done, len(begins), STEP):
        high = min(low + STEP, len(begins))
        # tables of many labels are far away in memory: fetching for many fields at a time, nobody waits
        _guess(keys, low, high, table, codes)
        for which in range(low, high):
            number = np.int64(codes[which])
            if number >= 0 and _is_key(keys, which, known, number) and keys[which, 1] <= HEAD:
                continue
            if which > 0 and _is_key(keys, which, keys, which - 1) and keys[which, 1] <= HEAD:
                codes[which] = codes[which - 1]  # files mostly come sorted by grader or task
                continue
            place = keys[which, 0] & mask
            while table[place] != FREE:
                number = np.int64(table[place] & LOW) - 1
                if _is_key(keys, which, known, number) and (
                    keys[which, 1] <= HEAD or _is_same(data, begins[which], labels, starts, number)
                ):
                    break
                place = (place + ONE) & mask
            if table[place] == FREE:
                if n_labels == len(known) or starts[n_labels] + np.int64(keys[which, 1]) >= len(labels):
                    return which, n_labels
                _enter(data, begins[which], labels, starts, n_labels, np.int64(keys[which, 1]))
                for part in range(4):
                    known[n_labels, part] = keys[which, part]
                n_labels += 1
                table[place] = (keys[which, 0] & HIGH) | np.uint64(n_labels)
            codes[which] = np.int64(table[place] & LOW) - 1
    return len(begins), n_labels


@kernel
def fill_table(table: NDArray[np.uint64], known: NDArray[np.uint64]) -> None:
    """Enter labels into an empty table."""
    mask = np.uint64(len(table) - 1)
    for number in range(len(known)):
        place = known[number, 0] & mask
        while table[place] != FREE:
            place = (place + ONE) & mask
        table[place] = (known[number, 0] & HIGH) | np.uint64(number + 1)
