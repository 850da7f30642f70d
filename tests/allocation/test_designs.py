from pathlib import Path
from typing import get_args

import allocation_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from peerage import DataError, MethodError
from peerage.allocation.allocate import allocate
from peerage.allocation.designs import DESIGNS, DesignName
from peerage.allocation.pool import as_pool
from peerage.cli import app


def students(size, **columns):
    return as_pool({"student": [f"s{number:03d}" for number in range(size)], **columns})


def with_staff(size, staff, reviews):
    names = [f"s{number:03d}" for number in range(size)] + [f"t{number}" for number in range(staff)]
    roles = ["student"] * size + ["staff"] * staff
    return as_pool({"student": names, "role": roles, "reviews": [None] * size + [str(reviews)] * staff})


def test_the_same_seed_gives_the_same_lists():
    roster = with_staff(16, 2, 4)
    for design in DESIGNS:
        one, same, other = (allocate(roster, 4, design=design, seed=seed).table() for seed in (1, 1, 2))

        assert one.equals(same), design
        assert not one.equals(other), design


def test_where_a_perfect_difference_set_exists_every_pair_meets_once():
    for size, number in [(7, 3), (13, 4), (21, 5)]:
        quality = allocate(students(size), number).quality

        assert (quality.most_together, quality.covered_pairs) == (1, 1.0)
        assert quality.spectral_gap == pytest.approx(size / (size - 1))


def test_spread_repeats_no_pair_where_there_is_room():
    classes = [(40, 3), (60, 5), (250, 5), (3000, 4)]

    assert [allocate(students(size), number).quality.repeated_pairs for size, number in classes] == [0] * 4


@settings(max_examples=20)
@given(st.integers(8, 120), st.integers(2, 5), st.integers(0, 99))
def test_spread_is_connected_and_never_less_even_than_random(size, number, seed):
    roster = students(size)

    spread = allocate(roster, number, seed=seed)
    random = allocate(roster, number, seed=seed, design="random")

    assert spread.quality.connected
    costs = [(oracle.together(a.graders, a.items, size) ** 2).sum() for a in (spread, random)]
    assert costs[0] <= costs[1]


def test_calibrated_lists_contain_exactly_one_anchor_and_staff_get_all():
    allocation = allocate(with_staff(40, 2, 3), 5, design="calibrated", anchors=["s001", "s017", "s020"])

    table = allocation.table()
    anchors = table.filter(table["item"].is_in(["s001", "s017", "s020"])).group_by("grader").len()
    counts = dict(anchors.iter_rows())
    assert allocation.anchors == ("s001", "s017", "s020")
    assert {grader: number for grader, number in counts.items() if number != 1} == {"t0": 3, "t1": 3}
    assert len(counts) == 42


def test_calibrated_loads_are_level_among_anchors_and_among_the_rest():
    allocation = allocate(students(60), 4, design="calibrated", anchors=4, seed=3)

    loads = np.bincount(allocation.items)
    is_anchor = np.isin(allocation.pool.items.to_numpy(), allocation.anchors)
    assert set(loads[is_anchor].tolist()) == {15}
    assert np.ptp(loads[~is_anchor]) <= 1


def test_work_from_outside_can_be_an_anchor():
    columns = {
        "student": [*"abcdefgh", "last year"],
        "role": [None] * 8 + ["external"],
        "submits": [None] * 8 + ["yes"],
        "reviews": [None] * 8 + ["0"],
    }

    allocation = allocate(columns, 3, design="calibrated", anchors=["last year"])

    assert (allocation.table()["item"] == "last year").sum() == 8


def test_staff_lists_widen_the_gap():
    roster = with_staff(40, 3, 8)

    gaps = {design: allocate(roster, 2, design=design).quality for design in ("spread", "staff")}

    assert gaps["staff"].spectral_gap >= gaps["spread"].spectral_gap
    assert gaps["staff"].balance <= 1


def test_sections_apart_never_mix_and_staff_without_one_join_them():
    columns = {
        "student": [*"abcdefghijkl", "tina"],
        "section": ["A"] * 5 + ["B"] * 7 + [None],
        "role": [None] * 12 + ["staff"],
        "reviews": [None] * 12 + ["6"],
    }

    allocation = allocate(columns, 3, sections="apart")

    roster, quality = allocation.pool, allocation.quality
    same = roster.grader_sections[allocation.graders] == roster.item_sections[allocation.items]
    assert set(roster.graders.gather(allocation.graders[~same])) == {"tina"}
    assert np.bincount(roster.item_sections[allocation.items[~same]]).tolist() == [3, 3]
    assert quality.connected


APART = {"sections": "apart"}
NO_SECTION = {"student": [*"abcd"], "section": ["A", "A", "A", None]}
BOTH = {"student": [*"abcd"], "group": [*"xxyz"], "section": [*"ABAB"]}


@pytest.mark.parametrize(
    ("roster", "options", "error", "message"),
    [
        (20, {"design": "calibrated", "anchors": ["s01"]}, DataError, "did you mean"),
        (20, {"design": "calibrated", "anchors": 0}, DataError, "choose between 1 and 19"),
        (20, {"design": "calibrated", "anchors": 20}, DataError, "choose between 1 and 19"),
        (20, {"design": "calibrated", "anchors": []}, DataError, "no anchors"),
        (20, {"design": "staff"}, DataError, "needs staff on the roster"),
        (20, {"design": "best"}, MethodError, "best"),
        (20, {"sections": "mixed"}, MethodError, "mixed"),
        (20, {"per_grader": 0}, DataError, "everybody reviews at least 1"),
        (20, {"per_staff": -1}, DataError, "staff review 0 items or more"),
        (NO_SECTION, {"per_grader": 1, **APART}, DataError, "line 4, column 'section': 'd' has no section"),
        (BOTH, {"per_grader": 1, **APART, "submissions": "group"}, DataError, "people of another section"),
    ],
)
def test_what_cannot_be_is_refused(roster, options, error, message):
    with pytest.raises(error, match=message):
        allocate(students(roster) if isinstance(roster, int) else roster, **{"per_grader": 3, **options})


def test_too_few_reviews_for_everybody_are_noted():
    roster = students(6, reviews=["1", "1", "0", "0", "0", "0"])

    assert allocate(roster, 1).notes == ("4 of 6 items get no review: there are too few reviews",)


def test_every_item_comes_in_every_position_about_equally_often():
    allocation = allocate(students(60), 6)

    seen = np.zeros((60, 6), dtype=int)
    np.add.at(seen, (allocation.items, allocation.slots - 1), 1)
    assert (seen.sum(axis=1) == 6).all()
    assert np.abs(seen - 1).mean() < 0.5  # shuffling alone gives 0.67


def test_every_design_is_registered_once_and_offered_everywhere():
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "allocation.md").read_text(encoding="utf-8")

    assert get_args(DesignName) == tuple(DESIGNS)
    assert all(f"`{name}`" in page for name in DESIGNS)
    output = CliRunner().invoke(app, ["allocate", "--help"]).output
    assert all(f"{name}:" in output for name in DESIGNS)
