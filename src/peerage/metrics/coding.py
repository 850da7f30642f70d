"""Free answers that several people sorted into categories: how well they agree, and what the answers say."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import DataError
from peerage.metrics._inputs import numbers
from peerage.metrics.consistency import UNDEFINED, Estimate, jackknifed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

ROUNDING = 1e-9  # shares of one answer may miss their sum by so much


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable], *, interval: float = 0.9) -> Estimate:
    """Cohen's kappa: agreement of two coders beyond what their own frequencies would give by chance.

    kappa = (P_o - P_e) / (1 - P_e), where P_o is the share of the answers that both put into the same
    category and P_e the sum over categories of the product of the two coders' shares (Cohen 1960). 1 is full
    agreement, 0 what chance gives; NaN where both use one and the same category only. The interval is a
    jackknife over answers of log(1 - kappa), with Student's t.

    >>> round(cohen_kappa(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"]).value, 3)
    0.5
    """
    if len(first) != len(second):
        raise DataError(f"lengths must be equal: first has {len(first)}, second has {len(second)}")
    codes, width = _numbered(list(zip(first, second, strict=True)))
    n = len(codes)
    if n == 0:
        return UNDEFINED
    a, b = codes[:, 0], codes[:, 1]
    of_a, of_b = np.bincount(a, minlength=width), np.bincount(b, minlength=width)
    differs = (a != b).astype(np.int64)
    chance = int(of_a @ of_b)
    # without one answer, each of its two codes is one fewer in its coder's frequencies
    chances = chance - of_b[a] - of_a[b] + (a == b)
    return _kappa(differs, n * n - chance, (n - 1) ** 2 - chances, interval)


def fleiss_kappa(codes: Sequence[Sequence[Hashable]], *, interval: float = 0.9) -> Estimate:
    """Fleiss' kappa: the agreement of any number of coders, each answer coded by equally many.

    `codes[i]` holds the categories that answer i was put into. kappa = (P - P_e) / (1 - P_e), where P is the
    mean share of agreeing pairs of coders per answer, and P_e the sum of the squared shares of the categories
    among all codes (Fleiss 1971). It does not ask which coder said what, so that for two coders it is Scott's
    pi, not Cohen's kappa. NaN and interval as in :func:`cohen_kappa`.

    >>> round(fleiss_kappa([["a", "a", "a"], ["a", "b", "b"], ["b", "b", "b"]]).value, 3)
    0.55
    """
    found, width = _numbered(codes)
    n, m = found.shape if found.size > 0 else (0, 2)
    if n == 0:
        return UNDEFINED
    if m < 2:
        raise DataError("every answer has one code; agreement needs those of two coders or more")
    counts = np.zeros((n, width), dtype=np.int64)
    np.add.at(counts, (np.arange(n)[:, None], found), 1)
    squares, total = (counts**2).sum(axis=1), counts.sum(axis=0)
    differs = m * m - squares  # ordered pairs of coders that disagree about an answer
    chance = int(total @ total)
    chances = chance - 2 * (counts @ total) + squares
    # both sides in ordered pairs: m (m - 1) of an answer, (m n)^2 of everything
    scale = (m - 1) / m
    return _kappa(differs, scale * (m * m * n * n - chance), scale * ((m * (n - 1)) ** 2 - chances), interval)


def _kappa(differs: Ints, expected: float, without: ArrayLike, interval: float) -> Estimate:
    """1 - n * sum(differs) / expected, out of whole numbers: nothing is lost where they cancel."""
    if expected <= 0:
        return UNDEFINED
    n, observed = len(differs), int(differs.sum())
    each = np.column_stack([(n - 1.0) * (observed - differs), np.asarray(without, dtype=np.float64)])
    return jackknifed(float(n * observed), float(expected), each, interval)


def majority_shares(codes: Sequence[Sequence[Hashable]], categories: Sequence[Hashable]) -> Floats:
    """What the majority of coders said: one row per answer, one column per category, rows sum to one.

    An answer belongs to the category that most coders chose; where several have as many, it is shared equally
    between them (half each for two).

    >>> majority_shares([["a", "a", "b"], ["a", "b"]], ["a", "b"]).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    column = {label: k for k, label in enumerate(categories)}
    if len(column) < len(categories):
        raise DataError(f"categories must differ from each other; got {list(categories)}")
    counts = np.zeros((len(codes), len(column)))
    for i, given in enumerate(codes):
        if len(given) == 0:
            raise DataError(f"codes[{i}] is empty; an answer that nobody coded has no majority")
        for label in given:
            if label not in column:
                raise DataError(f"codes[{i}] holds {label!r}, which is none of {list(categories)}")
            counts[i, column[label]] += 1
    most = counts == counts.max(axis=1, keepdims=True, initial=0)
    return np.asarray(most / most.sum(axis=1, keepdims=True), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class CrossTable:
    """Percentages of the people, row by row; totals of rows and columns; how many people there are."""

    percent: Floats
    row_totals: Floats
    column_totals: Floats
    people: int


def cross_table(rows: ArrayLike, columns: ArrayLike) -> CrossTable:
    """How the answers to two questions go together, in per cent of the people.

    Each argument has one row per person, with the share of the answer that each category has (see
    :func:`majority_shares`); a person whose answer is shared counts in all of its cells, by the product of
    the shares. Everything is NaN where there is nobody.

    >>> cross_table([[1, 0], [1, 0], [0, 1], [0.5, 0.5]], [[1, 0], [0, 1], [0, 1], [0, 1]]).percent.tolist()
    [[25.0, 37.5], [0.0, 37.5]]
    """
    first, second = _shares("rows", rows), _shares("columns", columns)
    if len(first) != len(second):
        raise DataError(f"lengths must be equal: rows has {len(first)}, columns has {len(second)}")
    n = len(first)
    percent = np.full((first.shape[1], second.shape[1]), math.nan)
    if n > 0:
        percent = 100 * (first.T @ second) / n
    return CrossTable(percent, percent.sum(axis=1), percent.sum(axis=0), n)


def _shares(name: str, values: ArrayLike) -> Floats:
    array = numbers(name, values)
    if array.ndim != 2:
        raise DataError(f"{name} must have one row per person and one column per category")
    wrong = np.flatnonzero(~((array >= 0).all(axis=1) & (np.abs(array.sum(axis=1) - 1) <= ROUNDING)))
    if len(wrong) > 0:
        raise DataError(
            f"{name}[{wrong[0]}] is {array[wrong[0]].tolist()}; shares are not negative and sum to 1"
        )
    return array


def _numbered(codes: Sequence[Sequence[Hashable]]) -> tuple[Ints, int]:
    """Codes as numbers of categories, and how many categories there are."""
    sizes = {len(row) for row in codes}
    if len(sizes) > 1:
        raise DataError(f"every answer needs equally many codes; there are some with {_listed(sizes)}")
    numbers_of: dict[Hashable, int] = {}
    for i, row in enumerate(codes):
        for label in row:
            if label is None or label != label:
                raise DataError(f"answer {i} has no code of one of the coders ({label}); leave it out")
            numbers_of.setdefault(label, len(numbers_of))
    width = sizes.pop() if sizes else 0
    found = [[numbers_of[label] for label in row] for row in codes]
    return np.asarray(found, dtype=np.int64).reshape(len(codes), width), len(numbers_of)


def _listed(sizes: set[int]) -> str:
    return " and ".join(str(size) for size in sorted(sizes))
