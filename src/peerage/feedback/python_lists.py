"""Feedback written in Python: orders of graders, lists of items best first, and matrices of ranks.

Nothing is guessed: what can be read in two ways is refused, with the two calls that say which is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from peerage.errors import DataError

OUTCOMES = {"tie", "tied", "draw", "both"}  # of a comparison, written where an item should stand
ORDERS_FIX = "write (grader, [best, second, …]) for each of them, or a dictionary {grader: [best, second, …]}"
TWO_CALLS = (
    "say Feedback.from_lists({0}) if every row names items, best first, or Feedback.from_ranks({0}) if every"
    " row holds the ranks of the items, one column for each"
)


def is_python_lists(value: object) -> bool:
    """Whether this is written in Python, rather than a table or the name of a file."""
    return isinstance(value, list | tuple | np.ndarray)


def refuse_ambiguous(lists: Any) -> None:
    """Refuse what could mean two things: arrays of numbers, rank vectors, graders beside their orders."""
    if isinstance(lists, np.ndarray):
        raise DataError(f"an array of shape {lists.shape} can be lists or ranks: {TWO_CALLS.format('array')}")
    rows = [row for row in lists if isinstance(row, Sequence) and not isinstance(row, str)]
    if any(_names_a_grader(row) for row in rows):
        raise DataError(
            "(name, [items]) can be a grader with an order, or an item above tied ones: say"
            " Feedback.from_orders(lists) if graders come first, or Feedback.from_lists(lists) if not"
        )
    if any(rows) and all(map(_is_permutation, rows)) and any(map(_reads_otherwise_as_ranks, rows)):
        raise DataError(
            f"lists of all numbers from {min(rows[0])} to {max(rows[0])} can be orders or ranks:"
            f" {TWO_CALLS.format('lists')}"
        )


def _names_a_grader(row: Sequence[Any]) -> bool:
    return len(row) == 2 and isinstance(row[0], str | Integral) and isinstance(row[1], list | tuple)


def _is_permutation(row: Sequence[Any]) -> bool:
    if not all(isinstance(item, Integral) for item in row):
        return False
    return sorted(row) in (list(range(1, len(row) + 1)), list(range(len(row))))


def _reads_otherwise_as_ranks(row: Sequence[Any]) -> bool:
    """Whether the items by these ranks are in another order than the row."""
    first = min(row)
    return any(row[row[place] - first] != place + first for place in range(len(row)))


# -- orders written by hand: who ranked what, best first ---------------------------------------------------


def columns_from_orders(orders: Any, task: str) -> dict[str, Any]:
    """The columns of ``(grader, order)`` pairs, or of a dictionary from graders to orders; a row per review.

    DataError where an order is a text: it is made of letters, and ["P1", "P2"] would be grader P1 with the
    items P and 2.
    """
    rows: list[tuple[str, str, str, int]] = []
    n_lists: dict[str, int] = {}
    for number, pair in enumerate(orders.items() if isinstance(orders, Mapping) else orders, start=1):
        if isinstance(pair, str) or not isinstance(pair, Iterable) or len(parts := list(pair)) != 2:
            raise DataError(f"order {number}, {pair!r}, does not say whose it is: {ORDERS_FIX}")
        grader, order = parts
        if isinstance(order, str) or not isinstance(order, Iterable):
            raise DataError(f"order {number}, {pair!r}: {order!r} is not a list of items; {ORDERS_FIX}")
        n_lists[grader] = n_lists.get(grader, 0) + 1
        for rank, bucket in enumerate(map(_bucket, order), start=1):
            rows += [(grader, f"{n_lists[grader]:09d}", item, rank) for item in bucket]
    graders, lists, items, ranks = zip(*rows, strict=True) if rows else ((), (), (), ())
    return {"grader": graders, "item": items, "list": lists, "rank": ranks, "task": [task] * len(rows)}


# -- lists ------------------------------------------------------------------------------------------------


def columns_from_lists(lists: Any, graders: Any, weights: Any, shown: Any) -> tuple[dict[str, Any], bool]:
    """The columns of lists, best first; and whether all items are integers.

    A tie is a set, a list or a tuple in a list. The rows of an array may end in -1 or NaN.
    """
    if isinstance(lists, str | bytes | Mapping) or not isinstance(lists, Iterable):
        raise DataError(f"{type(lists).__name__} is no list of lists: write [[best, second, …], …]")
    orders = _rows_of_array(lists) if isinstance(lists, np.ndarray) else list(lists)
    names = _per_list("graders", graders, len(orders))
    counts = _per_list("weights", weights, len(orders))
    items: list[Any] = []
    ranks: list[int] = []
    numbers: list[int] = []
    for number, order in enumerate(orders, start=1):
        if isinstance(order, str | bytes) or not isinstance(order, Iterable):
            raise DataError(f"list {number}, {order!r}, is not a list of items: write [best, second, …]")
        for rank, bucket in enumerate(map(_bucket, order), start=1):
            items += bucket
            ranks += [rank] * len(bucket)
        numbers += [number] * (len(items) - len(numbers))
    integers = _check_items(items, numbers)
    _refuse_twice(items, numbers)
    owners = numbers if names is None else [names[number - 1] for number in numbers]
    columns = {
        "grader": list(map(str, owners)),
        "item": list(map(str, items)),
        "list": [f"{number:09d}" for number in numbers],
        "rank": ranks,
    }
    if counts is not None:
        columns["weight"] = [counts[number - 1] for number in numbers]
    if shown is not None:
        columns["shown"] = _positions(items, numbers, _per_list("shown", shown, len(orders)) or [])
    return columns, integers


def _positions(items: list[Any], numbers: list[int], shown: list[Any]) -> list[int]:
    """When each item of a list was seen, 1 first."""
    seen = [{item: place for place, item in enumerate(row, start=1)} for row in shown]
    listed: list[set[Any]] = [set() for _ in shown]
    for item, number in zip(items, numbers, strict=True):
        listed[number - 1].add(item)
    for number, (row, own) in enumerate(zip(seen, listed, strict=True), start=1):
        if set(row) != own:
            raise DataError(f"list {number} was shown as {list(row)!r}, which are not its items")
    return [seen[number - 1][item] for item, number in zip(items, numbers, strict=True)]


def _per_list(what: str, values: Any, n_lists: int) -> list[Any] | None:
    if values is None:
        return None
    found = list(values)
    if len(found) != n_lists:
        raise DataError(f"there are {len(found)} {what} for {n_lists} lists")
    return found


def _bucket(tied: Any) -> list[Any]:
    if isinstance(tied, set | frozenset):
        return sorted(tied, key=str)
    return list(tied) if isinstance(tied, list | tuple) else [tied]


def _check_items(items: list[Any], numbers: list[int]) -> bool:
    """Whether all are integers; DataError where one is neither that nor a text."""
    integers = [isinstance(item, Integral) and not isinstance(item, bool | np.bool_) for item in items]
    for item, integer, number in zip(items, integers, numbers, strict=True):
        if not (integer or isinstance(item, str)):
            raise DataError(f"list {number} has the item {item!r}: an item is a text or an integer")
        if not integer and item.strip().casefold() in OUTCOMES:
            raise DataError(
                f"list {number} has the item {item!r}, which looks like the outcome of a comparison: write"
                ' peerage.read({"left": […], "right": […], "winner": […]}), or a tie as [{"a", "b"}]'
            )
    return all(integers)


def _refuse_twice(items: list[Any], numbers: list[int]) -> None:
    seen: set[tuple[int, str]] = set()
    for item, number in zip(items, numbers, strict=True):
        if (number, str(item)) in seen:
            raise DataError(f"list {number} names the item {item!r} twice; leave one of them out")
        seen.add((number, str(item)))


def _rows_of_array(array: np.ndarray[Any, Any]) -> list[list[Any]]:
    if array.ndim != 2:
        raise DataError(f"an array of lists has two dimensions, and this has {array.ndim}")
    if array.dtype.kind not in "iufOUS":
        raise DataError(f"an array of {array.dtype} cannot name items: use integers or texts")
    if array.dtype.kind == "f":
        whole = array[~np.isnan(array)]
        if (whole != np.rint(whole)).any():
            raise DataError("an array of lists names items by whole numbers, and this has fractions")
        array = np.where(np.isnan(array), -1, array).astype(np.int64)
    if array.dtype.kind not in "iu":
        return [list(row) for row in array.tolist()]
    missing = array < 0
    if array.size and ((array < -1).any() or (missing[:, :-1] & ~missing[:, 1:]).any()):
        raise DataError(
            "a row of an array of lists holds items from 0 on, and ends in -1 where it is shorter"
        )
    return [[item for item in row if item >= 0] for row in array.tolist()]


# -- ranks ------------------------------------------------------------------------------------------------


def graders_of_frame(ranks: Any) -> list[Any] | None:
    """The index of a pandas frame, where it has a name."""
    index: Any = getattr(ranks, "index", None)
    return None if getattr(index, "name", None) is None else list(index)


def columns_from_ranks(ranks: Any, items: Any, graders: Any) -> tuple[dict[str, Any], list[Any]]:
    """The columns of a matrix of ranks, a row for every list and a column for every item; and the items."""
    names = getattr(ranks, "columns", None)
    if items is None and names is not None:  # a frame
        items = list(names)
    try:
        matrix = np.asarray(ranks, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"a matrix of ranks holds numbers alone: {error}") from error
    if matrix.ndim != 2:
        raise DataError(f"a matrix of ranks has two dimensions, and this has {matrix.ndim}")
    labels = list(range(1, matrix.shape[1] + 1)) if items is None else list(items)
    if len(labels) != matrix.shape[1] or len({str(label) for label in labels}) != len(labels):
        raise DataError(f"there are {len(set(labels))} different items for {matrix.shape[1]} columns")
    _check_items(labels, [0] * len(labels))
    there = ~np.isnan(matrix) & (matrix != 0)
    if (matrix[there] < 1).any() or np.isinf(matrix[there]).any():
        raise DataError("ranks start at 1, the best; 0 or NaN stands where an item was not ranked")
    rows, columns = np.nonzero(there)
    owners = _per_list("graders", graders, len(matrix))
    return {
        "grader": [str(row + 1 if owners is None else owners[row]) for row in rows],
        "item": [str(labels[column]) for column in columns],
        "list": [f"{row:09d}" for row in rows],
        "rank": matrix[there],
    }, labels
