"""Inter-rater agreement: Krippendorff's alpha and the intraclass correlation of graders, kappa of coders.

Coders sort free answers into categories; what their majority says can be cross-tabulated.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.special import fdtri, stdtrit

from peerage.errors import DataError
from peerage.metrics._inputs import as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Level = Literal["nominal", "ordinal", "interval"]
LEVELS = ("nominal", "ordinal", "interval")
ROUNDING = 1e-9  # shares of one answer may miss their sum by so much


class Estimate(NamedTuple):
    """A figure with its interval; all NaN where it is undefined."""

    value: float
    low: float
    high: float


UNDEFINED = Estimate(np.nan, np.nan, np.nan)


class Intraclass(NamedTuple):
    """Of one review, and of the mean of as many as an item has (their number so averaged is `reviews`)."""

    single: Estimate
    mean: Estimate
    reviews: float


def krippendorff_alpha(
    units: ArrayLike,
    values: ArrayLike,
    *,
    level: Level = "interval",
    parts: ArrayLike | None = None,
    interval: float = 0.9,
) -> Estimate:
    """Krippendorff's alpha: 1 less observed over expected disagreement of values given to the same unit.

    1 is full agreement, 0 what chance gives, less than 0 systematic disagreement. Units with one value say
    nothing and are left out, as are NaN. The disagreement of two values is whether they differ
    ("nominal"), the square of their difference ("interval"), or of that of their mid-ranks ("ordinal", which
    is Krippendorff's own definition). `parts` numbers sets of values that are never compared, such as
    tasks: expected disagreement is that within them. The interval is a jackknife over units of
    log(1 - alpha), with Student's t.

    >>> round(krippendorff_alpha([1, 1, 2, 2, 3, 3], [4, 5, 7, 7, 9, 8]).value, 3)
    0.904
    """
    if level not in LEVELS:
        raise DataError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    pairable = _pairable(units, values, parts)
    if pairable is None:
        return UNDEFINED
    unit, value, part = pairable
    columns = _indicators(value) if level == "nominal" else [value]
    if level == "ordinal":
        columns = [_midranks(value, part)]
    observed, expected, each = _disagreement(unit, part, columns)
    if expected <= 0:
        return UNDEFINED
    return _jackknife_estimate(observed, expected, each, interval)


def _pairable(
    units: ArrayLike, values: ArrayLike, parts: ArrayLike | None
) -> tuple[Ints, Floats, Ints] | None:
    """Numbers of units with two values or more, their values, and parts; None where there are none."""
    value = np.asarray(values, dtype=np.float64)
    unit = np.asarray(units)
    part = np.zeros(len(value), dtype=np.int64) if parts is None else np.asarray(parts)
    if not len(unit) == len(value) == len(part):
        raise DataError(
            f"units, values and parts must be equally long, not {len(unit)}, {len(value)}, {len(part)}"
        )
    present = ~np.isnan(value)
    number = np.unique(unit[present], return_inverse=True)[1]
    kept = np.bincount(number)[number] > 1 if len(number) else np.zeros(0, dtype=bool)
    if not kept.any():
        return None
    return (
        np.unique(number[kept], return_inverse=True)[1],
        value[present][kept],
        np.unique(part[present][kept], return_inverse=True)[1],
    )


def _midranks(value: Floats, part: Ints) -> Floats:
    """The mid-rank of every value among those of its part."""
    order = np.lexsort((value, part))
    sorted_value, sorted_part = value[order], part[order]
    bucket_starts = np.append(True, (np.diff(sorted_value) != 0) | (np.diff(sorted_part) != 0))
    run = np.cumsum(bucket_starts) - 1
    middle = np.bincount(run, np.arange(len(value))) / np.bincount(run)
    ranks = np.empty(len(value))
    ranks[order] = middle[run]
    return ranks


def _indicators(value: Floats) -> list[Floats]:
    """One column per distinct value: half the squared distance of two of them is whether they differ."""
    return [np.sqrt(0.5) * (value == category) for category in np.unique(value)]


def _disagreement(unit: Ints, part: Ints, columns: list[Floats]) -> tuple[float, float, Floats]:
    """Observed and expected disagreement; and both without each unit, two columns.

    The squared differences of all ordered pairs among m values are 2 m times their squares around the
    mean, so that a pass over the values is enough.
    """
    m, n = np.bincount(unit).astype(float), np.bincount(part).astype(float)
    home = np.zeros(len(m), dtype=np.int64)
    home[unit] = part
    observed, total = np.zeros(len(m)), np.zeros(len(n))
    without = np.zeros(len(m))
    for column in columns:
        centre = (np.bincount(part, column) / n)[part]
        x = column - centre
        sums, squares = _sums(unit, x, len(m)), _sums(unit, x * x, len(m))
        observed += 2.0 * m / (m - 1.0) * (squares - sums**2 / m)
        whole, whole_squares = _sums(part, x, len(n)), _sums(part, x * x, len(n))
        total += _pairs(n, whole, whole_squares)
        without += _pairs(n[home] - m, whole[home] - sums, whole_squares[home] - squares)
    left = total.sum() - total[home] + without
    each = np.column_stack([np.maximum(observed.sum() - observed, 0.0), left])
    return float(np.maximum(observed, 0.0).sum()), float(total.sum()), each


def _sums(groups: Ints, values: Floats, n: int) -> Floats:
    return np.asarray(np.bincount(groups, values, n), dtype=np.float64)


def _pairs(n: Floats, sums: Floats, squares: Floats) -> Floats:
    """Squared differences of all ordered pairs of n values, over n - 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n > 1, 2.0 * n / (n - 1.0) * (squares - sums**2 / n), 0.0)


def _jackknife_estimate(observed: float, expected: float, each: Floats, level: float) -> Estimate:
    """1 - observed / expected, with the interval that leaving out one unit at a time gives."""
    alpha, n = 1.0 - observed / expected, len(each)
    usable = (each > 0).all(axis=1)
    if observed <= 0 or n < 3 or not usable.all():
        return Estimate(alpha, np.nan, np.nan)
    logs = np.log(each[:, 0] / each[:, 1])
    error = np.sqrt((n - 1) / n * ((logs - logs.mean()) ** 2).sum())
    reach = float(stdtrit(n - 1, 0.5 + level / 2) * error)
    ratio = observed / expected
    return Estimate(alpha, 1.0 - ratio * np.exp(reach), 1.0 - ratio * np.exp(-reach))


def intraclass_correlation(
    units: ArrayLike, values: ArrayLike, *, parts: ArrayLike | None = None, interval: float = 0.9
) -> Intraclass:
    """The one-way intraclass correlation: the share of variance that is between units.

    ICC(1) of Shrout and Fleiss (1979), for graders who each saw a few of the units: of a single value, and of
    the mean of a unit's values. Leniency of graders counts as noise. Where units have unequal numbers of
    values the intervals, from the F distribution, are approximate. `parts` as in :func:`krippendorff_alpha`.

    >>> judged = intraclass_correlation([1, 1, 2, 2, 3, 3], [4, 5, 7, 7, 9, 8])
    >>> round(judged.single.value, 3), round(judged.mean.value, 3)
    (0.922, 0.959)
    """
    value = np.asarray(values, dtype=np.float64)
    present = ~np.isnan(value)
    unit = np.unique(np.asarray(units)[present], return_inverse=True)[1]
    part = np.zeros(len(value)) if parts is None else np.asarray(parts)
    part = np.unique(part[present], return_inverse=True)[1]
    value = value[present]
    m = np.bincount(unit).astype(float)
    between, within = len(m) - (int(part.max(initial=-1)) + 1), len(value) - len(m)
    if between < 1 or within < 1:
        return Intraclass(UNDEFINED, UNDEFINED, float(np.nan))
    mean = np.bincount(unit, value) / m
    centre = (np.bincount(part, value) / np.bincount(part))[part]
    inside = float(((value - mean[unit]) ** 2).sum()) / within
    among = float(((mean[unit] - centre) ** 2).sum()) / between
    reviews = float((m.sum() - _shared(unit, part, m)) / between)
    if inside <= 0:
        return Intraclass(UNDEFINED, UNDEFINED, reviews)
    ratio = among / inside
    tail = 0.5 + interval / 2
    ends = ratio / fdtri(between, within, tail), ratio * fdtri(within, between, tail)
    singles = [(f - 1.0) / (f + reviews - 1.0) for f in (ratio, *ends)]
    means = [1.0 - 1.0 / f if f > 0 else -np.inf for f in (ratio, *ends)]
    return Intraclass(Estimate(*map(float, singles)), Estimate(*map(float, means)), reviews)


def _shared(unit: Ints, part: Ints, m: Floats) -> float:
    """Sum over parts of the squared numbers of values by unit, over the number of values."""
    home = np.zeros(len(m), dtype=np.int64)
    home[unit] = part
    return float((np.bincount(home, m**2) / np.bincount(home, m)).sum())


# -- free answers that several people sorted into categories ----------------------------------------------


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
    codes, width = _number_codes(list(zip(first, second, strict=True)))
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
    numbers, width = _number_codes(codes)
    n, m = numbers.shape if numbers.size > 0 else (0, 2)
    if n == 0:
        return UNDEFINED
    if m < 2:
        raise DataError("every answer has one code; agreement needs those of two coders or more")
    counts = np.zeros((n, width), dtype=np.int64)
    np.add.at(counts, (np.arange(n)[:, None], numbers), 1)
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
    return _jackknife_estimate(float(n * observed), float(expected), each, interval)


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
    for i, labels in enumerate(codes):
        if len(labels) == 0:
            raise DataError(f"codes[{i}] is empty; an answer that nobody coded has no majority")
        for label in labels:
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
    array = as_numbers(name, values)
    if array.ndim != 2:
        raise DataError(f"{name} must have one row per person and one column per category")
    wrong = np.flatnonzero(~((array >= 0).all(axis=1) & (np.abs(array.sum(axis=1) - 1) <= ROUNDING)))
    if len(wrong) > 0:
        raise DataError(
            f"{name}[{wrong[0]}] is {array[wrong[0]].tolist()}; shares are not negative and sum to 1"
        )
    return array


def _number_codes(codes: Sequence[Sequence[Hashable]]) -> tuple[Ints, int]:
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
    numbers = [[numbers_of[label] for label in row] for row in codes]
    return np.asarray(numbers, dtype=np.int64).reshape(len(codes), width), len(numbers_of)


def _listed(sizes: set[int]) -> str:
    return " and ".join(str(size) for size in sorted(sizes))
