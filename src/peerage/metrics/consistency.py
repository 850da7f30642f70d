"""How well graders agree about the same things: Krippendorff's alpha and the intraclass correlation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.special import fdtri, stdtrit

from peerage.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Level = Literal["nominal", "ordinal", "interval"]
LEVELS = ("nominal", "ordinal", "interval")


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
    found = _paired(units, values, parts)
    if found is None:
        return UNDEFINED
    unit, value, part = found
    columns = _indicators(value) if level == "nominal" else [value]
    if level == "ordinal":
        columns = [_midranks(value, part)]
    observed, expected, each = _disagreement(unit, part, columns)
    if expected <= 0:
        return UNDEFINED
    return jackknifed(observed, expected, each, interval)


def _paired(units: ArrayLike, values: ArrayLike, parts: ArrayLike | None) -> tuple[Ints, Floats, Ints] | None:
    """Numbers of units with two values or more, their values, and parts; None where there are none."""
    value = np.asarray(values, dtype=np.float64)
    unit = np.asarray(units)
    part = np.zeros(len(value), dtype=np.int64) if parts is None else np.asarray(parts)
    if not len(unit) == len(value) == len(part):
        raise DataError(
            f"units, values and parts must be equally long, not {len(unit)}, {len(value)}, {len(part)}"
        )
    given = ~np.isnan(value)
    number = np.unique(unit[given], return_inverse=True)[1]
    kept = np.bincount(number)[number] > 1 if len(number) else np.zeros(0, dtype=bool)
    if not kept.any():
        return None
    return (
        np.unique(number[kept], return_inverse=True)[1],
        value[given][kept],
        np.unique(part[given][kept], return_inverse=True)[1],
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
    return [np.sqrt(0.5) * (value == one) for one in np.unique(value)]


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


def jackknifed(observed: float, expected: float, each: Floats, level: float) -> Estimate:
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
    given = ~np.isnan(value)
    unit = np.unique(np.asarray(units)[given], return_inverse=True)[1]
    part = np.zeros(len(value)) if parts is None else np.asarray(parts)
    part = np.unique(part[given], return_inverse=True)[1]
    value = value[given]
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
