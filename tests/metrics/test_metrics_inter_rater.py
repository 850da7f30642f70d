"""Agreement of graders and of coders, against published examples and slow definitions."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import t

from peerage.errors import DataError
from peerage.metrics.inter_rater import (
    cohen_kappa,
    cross_table,
    fleiss_kappa,
    intraclass_correlation,
    krippendorff_alpha,
    majority_shares,
)

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

# Fleiss, Measuring nominal scale agreement among many raters (1971), as everywhere retold: ten subjects,
# fourteen raters, five categories; kappa is 0.210.
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
# Two readers and fifty proposals: yes-yes 20, yes-no 5, no-yes 10, no-no 15; kappa is 0.4.
FIRST = "y" * 20 + "y" * 5 + "n" * 10 + "n" * 15
SECOND = "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15

# The paper's table of its survey: B_1 … B_5 in rows, A_1 … A_5 in columns, per cent of 120 students.
PAPER = [
    [34.58, 2.08, 5.83, 10.00, 1.67], [5.42, 0.00, 5.83, 7.08, 1.67], [0.42, 2.92, 2.08, 2.50, 0.42],
    [2.92, 0.83, 5.00, 5.42, 0.00], [0.00, 0.00, 0.42, 1.67, 1.25],
]  # fmt: skip
PAPER_ROWS, PAPER_COLUMNS = [54.17, 20.00, 8.33, 14.17, 3.33], [43.33, 5.83, 19.17, 26.67, 5.00]


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

    def disagreement(vs):
        return sum(distance(a, b) for a, b in itertools.permutations(vs, 2)) / (len(vs) - 1)

    return 1 - sum(map(disagreement, kept)) / disagreement(everything)


def naive_fleiss(codes):
    """Over all pairs of coders: how often they agree, and how often two codes drawn from all of them do."""
    pairs = [a == b for row in codes for a, b in itertools.permutations(row, 2)]
    everything = [code for row in codes for code in row]
    chance = sum(a == b for a, b in itertools.product(everything, repeat=2)) / len(everything) ** 2
    return (sum(pairs) / len(pairs) - chance) / (1 - chance)


def naive_cohen(first, second):
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) / len(first)
    chance = sum(a == b for a, b in itertools.product(first, second)) / len(first) ** 2
    return (agreed - chance) / (1 - chance)


def some_codes(seed, coders, answers=30):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, answers)
    noise = rng.random((answers, coders)) < 0.4
    return np.where(noise, rng.integers(0, 5, (answers, coders)), truth[:, None]).tolist()


# -- graders ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example_and_by_its_definition(level, alpha):
    rng = np.random.default_rng(0)
    units, values = rng.integers(0, 15, 60), rng.integers(0, 6, 60).astype(float)
    values[::9] = np.nan

    assert krippendorff_alpha(UNITS, VALUES, level=level).value == pytest.approx(alpha, abs=5e-4)
    found = krippendorff_alpha(units, values, level=level).value
    assert found == pytest.approx(naive_alpha(units, values, level))


def test_values_of_different_parts_are_never_compared():
    units, values = np.array([1, 1, 2, 2]), np.array([1.0, 2.0, 2.0, 1.0])
    one = krippendorff_alpha(units, values).value
    both = np.append(units, units + 2), np.append(values, values + 100)

    assert krippendorff_alpha(*both, parts=[0] * 4 + [1] * 4).value == pytest.approx(one)
    assert krippendorff_alpha(*both).value > 0.9


def test_intraclass_correlation_of_the_published_example():
    values = np.array(JUDGED, dtype=float)

    found = intraclass_correlation(np.repeat(np.arange(6), 4), values.ravel(), interval=0.95)

    assert found.single.value == pytest.approx(0.17, abs=0.005)
    assert found.mean.value == pytest.approx(0.44, abs=0.005)
    assert (found.single.low, found.single.high) == pytest.approx((-0.13, 0.72), abs=0.005)
    assert found.reviews == 4


def test_units_with_unequal_numbers_of_values_count_by_them():
    units, values = [1, 2, 2, 2, 3, 4, 4], [2.0, 4.0, 5.0, 6.0, 1.0, 3.0, 5.0]

    found = intraclass_correlation(units, values, parts=[0, 0, 0, 0, 1, 1, 1])

    among, inside = ((2 - 4.25) ** 2 + 3 * 0.75**2 + 2**2 + 2 * 1**2) / 2, (1 + 1 + 1 + 1) / 3
    assert found.reviews == pytest.approx((1.5 + 4 / 3) / 2)
    assert found.single.value == pytest.approx((among - inside) / (among + (found.reviews - 1) * inside))


# -- coders -----------------------------------------------------------------------------------------------


def test_kappa_of_published_examples():
    codes = [np.repeat(np.arange(5), counts).tolist() for counts in FLEISS]

    assert fleiss_kappa(codes).value == pytest.approx(0.210, abs=5e-4)
    assert cohen_kappa(FIRST, SECOND).value == pytest.approx(0.4)


def test_kappas_agree_with_their_definitions():
    for coders in (2, 3, 4, 7):
        codes = some_codes(coders, coders)
        assert fleiss_kappa(codes).value == pytest.approx(naive_fleiss(codes)), coders
    for seed in range(4):
        both = tuple(zip(*some_codes(seed, 2), strict=True))
        assert cohen_kappa(*both).value == pytest.approx(naive_cohen(*both)), seed


def test_ties_of_the_majority_are_shared():
    codes = ["aabb", "aaab", "abcc", "abcd"]

    assert majority_shares(codes, "abcd").tolist() == [
        [0.5, 0.5, 0, 0],
        [1, 0, 0, 0],
        [0, 0, 1, 0],
        [0.25, 0.25, 0.25, 0.25],
    ]
    assert majority_shares([], "ab").shape == (0, 2)


def test_the_papers_table_comes_out_of_such_a_class():
    """Its cells are halves of students; here both halves of a student are in one row."""
    halves = [[round(value * 120 / 100 * 2) for value in row] for row in PAPER]
    cells = [(b, a) for b, row in enumerate(halves) for a, count in enumerate(row) for _ in range(count)]
    rows, columns = np.zeros((120, 5)), np.zeros((120, 5))
    for half, (b, a) in enumerate(cells):
        rows[half // 2, b] += 0.5
        columns[half // 2, a] += 0.5

    found = cross_table(rows, columns)

    assert (rows.max(axis=1) == 1).all()
    np.testing.assert_array_equal(found.percent.round(2), PAPER)
    np.testing.assert_array_equal(found.row_totals.round(2), PAPER_ROWS)
    np.testing.assert_array_equal(found.column_totals.round(2), PAPER_COLUMNS)
    assert found.people == 120


# -- intervals, and what says nothing ---------------------------------------------------------------------


def without_each(name):
    """A figure, and what it would be without each of its units or answers in turn."""
    codes = some_codes(1, 2 if name == "cohen" else 3)
    others = [codes[:k] + codes[k + 1 :] for k in range(len(codes))]
    if name == "cohen":
        found = cohen_kappa(*zip(*codes, strict=True))
        return found, [naive_cohen(*zip(*rest, strict=True)) for rest in others]
    if name == "fleiss":
        return fleiss_kappa(codes), [naive_fleiss(rest) for rest in others]
    units, values = np.array(UNITS), np.array(VALUES)
    figures = [naive_alpha(units[units != unit], values[units != unit], name) for unit in range(11)]
    return krippendorff_alpha(UNITS, VALUES, level=name), figures


@pytest.mark.parametrize("name", ["cohen", "fleiss", "nominal", "interval"])
def test_the_jackknife_leaves_out_one_answer_at_a_time(name):
    found, figures = without_each(name)  # the twelfth unit has one value, and does not count

    logs, n = np.log1p(-np.array(figures)), len(figures)

    reach = t.ppf(0.95, n - 1) * math.sqrt((n - 1) * np.var(logs))
    assert found.low == pytest.approx(1 - (1 - found.value) * math.exp(reach))
    assert found.high == pytest.approx(1 - (1 - found.value) * math.exp(-reach))


def test_full_agreement_is_one_disagreement_negative_and_one_category_says_nothing():
    assert cohen_kappa("aab", "aab").value == fleiss_kappa(["aaa", "bbb"]).value == 1
    assert cohen_kappa("abab", "baba").value == -1
    nothing = [
        *(cohen_kappa("aaa", "aaa"), fleiss_kappa(["aa", "aa"]), cohen_kappa("", ""), fleiss_kappa([])),
        *(krippendorff_alpha([1, 2, 3], [1.0, 2.0, 3.0]), krippendorff_alpha([], [])),
        krippendorff_alpha([1, 1], [2.0, 2.0]),
        intraclass_correlation([1, 2], [1.0, 2.0]).single,
    ]
    assert all(math.isnan(figure.value) for figure in nothing)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: cohen_kappa("ab", "a"), "first has 2, second has 1"),
        (lambda: cohen_kappa(["a", None], ["a", "b"]), "answer 1 has no code"),
        (lambda: cohen_kappa([1.0, math.nan], [1.0, 2.0]), "answer 1 has no code"),
        (lambda: fleiss_kappa(["ab", "abc"]), "equally many codes; there are some with 2 and 3"),
        (lambda: fleiss_kappa(["a", "b"]), "two coders or more"),
        (lambda: majority_shares(["ac"], "ab"), "'c', which is none of"),
        (lambda: majority_shares(["a", ""], "ab"), r"codes\[1\] is empty"),
        (lambda: majority_shares(["a"], "aa"), "must differ"),
        (lambda: cross_table([[1, 0]], [[0.5, 0.4]]), r"columns\[0\] is \[0.5, 0.4\]; shares"),
        (lambda: cross_table([[1, 0]], [[1, 0], [1, 0]]), "rows has 1, columns has 2"),
        (lambda: cross_table([1, 0], [[1, 0]]), "one row per person"),
        (
            lambda: krippendorff_alpha([1, 1], [1.0, 2.0], level="ratio"),
            "nominal, ordinal, interval, not 'ratio'",
        ),
    ],
)
def test_what_cannot_be_used_is_named(ask, says):
    with pytest.raises(DataError, match=says):
        ask()
