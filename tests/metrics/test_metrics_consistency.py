"""Alpha and intraclass correlation against slow definitions and published examples."""

import itertools
import math

import numpy as np
import pytest

from peerage.errors import DataError
from peerage.metrics.inter_rater import intraclass_correlation, krippendorff_alpha

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = list(range(12)) * 4
VALUES = [math.nan if v is None else float(v) for row in OBSERVERS for v in row]

# Shrout & Fleiss, Intraclass correlations (1979), table 2: six targets, four judges.
JUDGED = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def naive_alpha(units, values, level):
    """Pair by pair from the definition, with frequencies for the ordinal metric."""
    by_unit = {}
    for unit, value in zip(units, values, strict=True):
        if not math.isnan(value):
            by_unit.setdefault(unit, []).append(value)
    kept = [vs for vs in by_unit.values() if len(vs) > 1]
    everything = [v for vs in kept for v in vs]

    def distance(a, b):
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        between = sum(low <= v <= high for v in everything)
        return (between - (everything.count(a) + everything.count(b)) / 2) ** 2 if a != b else 0.0

    observed = sum(
        sum(distance(a, b) for a, b in itertools.permutations(vs, 2)) / (len(vs) - 1) for vs in kept
    )
    expected = sum(distance(a, b) for a, b in itertools.permutations(everything, 2)) / (len(everything) - 1)
    return 1 - observed / expected


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example_and_by_its_definition(level, alpha):
    rng = np.random.default_rng(0)
    units, values = rng.integers(0, 15, 60), rng.integers(0, 6, 60).astype(float)
    values[::9] = np.nan

    assert krippendorff_alpha(UNITS, VALUES, level=level).value == pytest.approx(alpha, abs=5e-4)
    found = krippendorff_alpha(units, values, level=level).value
    assert found == pytest.approx(naive_alpha(units, values, level))


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_the_jackknife_leaves_out_one_unit_at_a_time(level):
    alpha = krippendorff_alpha(UNITS, VALUES, level=level, interval=0.9)

    paired = [u for u in range(12) if u != 11]  # unit 12 has one value
    logs = []
    for unit in paired:
        kept = [k for k in range(48) if UNITS[k] != unit]
        logs.append(math.log(1 - naive_alpha([UNITS[k] for k in kept], [VALUES[k] for k in kept], level)))
    n = len(logs)
    reach = 1.8124611 * math.sqrt((n - 1) / n * sum((x - sum(logs) / n) ** 2 for x in logs))  # t(10), 95 %

    assert alpha.low == pytest.approx(1 - (1 - alpha.value) * math.exp(reach))
    assert alpha.high == pytest.approx(1 - (1 - alpha.value) * math.exp(-reach))


def test_values_of_different_parts_are_never_compared():
    units, values = np.array([1, 1, 2, 2]), np.array([1.0, 2.0, 2.0, 1.0])
    one = krippendorff_alpha(units, values).value
    both = np.append(units, units + 2), np.append(values, values + 100)

    assert krippendorff_alpha(*both, parts=[0] * 4 + [1] * 4).value == pytest.approx(one)
    assert krippendorff_alpha(*both).value > 0.9


def test_alpha_without_two_values_of_anything_is_undefined():
    assert math.isnan(krippendorff_alpha([1, 2, 3], [1.0, 2.0, 3.0]).value)
    assert math.isnan(krippendorff_alpha([], []).value)
    assert math.isnan(krippendorff_alpha([1, 1], [2.0, 2.0]).value)


def test_a_level_that_is_none_is_refused():
    with pytest.raises(DataError, match="level must be one of nominal, ordinal, interval, not 'ratio'"):
        krippendorff_alpha([1, 1], [1.0, 2.0], level="ratio")


def test_intraclass_correlation_of_the_published_example():
    values = np.array(JUDGED, dtype=float)

    found = intraclass_correlation(np.repeat(np.arange(6), 4), values.ravel(), interval=0.95)

    assert found.single.value == pytest.approx(0.17, abs=0.005)
    assert found.mean.value == pytest.approx(0.44, abs=0.005)
    assert (found.single.low, found.single.high) == pytest.approx((-0.13, 0.72), abs=0.005)
    assert found.reviews == 4


def test_intraclass_intervals_cover_the_truth():
    rng, held = np.random.default_rng(1), 0
    units = np.repeat(np.arange(40), rng.integers(2, 7, 40))
    for _ in range(300):
        values = rng.normal(size=40)[units] + rng.normal(size=len(units)) * 1.5
        found = intraclass_correlation(units, values).single
        held += found.low <= 1 / (1 + 1.5**2) <= found.high

    assert 0.85 < held / 300 < 0.95


def test_intraclass_correlation_takes_tasks_apart():
    rng = np.random.default_rng(2)
    units = np.repeat(np.arange(30), 4)
    values, parts = rng.normal(size=120), units % 2

    moved = intraclass_correlation(units, values + 50 * parts, parts=parts)

    assert moved.single.value == pytest.approx(
        intraclass_correlation(units, values, parts=parts).single.value
    )
    assert math.isnan(intraclass_correlation([1, 2], [1.0, 2.0]).single.value)
