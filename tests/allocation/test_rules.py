"""Every hard rule holds, or the impossibility is real and named."""

import pickle

import allocation_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peerage.allocation.allocate import allocate, broken_rules, review_numbers
from peerage.allocation.pool import as_pool
from peerage.allocation.rules import AllocationError
from peerage.errors import DataError

SUBMISSIONS = st.sampled_from(["student", "group"])


def _some(draw, values, share):
    """A column that is filled in about one line of `share`."""
    return draw(st.sampled_from(values)) if draw(st.integers(0, share)) == 0 else None


@st.composite
def rosters(draw, most=14, own_numbers=True):
    """Small rosters with groups, conflicts, staff and own numbers of reviews, where the rules pinch."""
    size = draw(st.integers(3, most))
    names = [f"s{number}" for number in range(size)]
    width = draw(st.integers(1, 4))
    columns = {"student": names}
    if draw(st.booleans()):
        columns["group"] = [f"g{number // width}" for number in range(size)]
    if draw(st.booleans()):
        columns["conflicts"] = [_some(draw, names, 2) for _ in names]
    if draw(st.booleans()):
        columns["role"] = ["student"] * 2 + [draw(st.sampled_from(["student", "staff"])) for _ in names[2:]]
    if own_numbers and draw(st.booleans()):
        columns["reviews"] = [_some(draw, ["0", "1", "2", "5"], 3) for _ in names]
    return columns


@st.composite
def large_rosters(draw):
    """Rosters of up to 2,000 students, in groups of up to seven, with a few conflicts each way."""
    size = draw(st.integers(30, 2000))
    width, step = draw(st.integers(1, 7)), draw(st.integers(8, 29))
    names = [f"s{number}" for number in range(size)]
    return {
        "student": names,
        "group": [f"g{number // width}" for number in range(size)],
        "conflicts": [f"{names[number - 1]};{names[(number + step) % size]}" for number in range(size)],
    }


def check(allocation, numbers):
    roster, graders, items = allocation.pool, allocation.graders, allocation.items
    assert not oracle.barred(roster)[graders, items].any()
    assert len(set(zip(graders.tolist(), items.tolist(), strict=True))) == len(items)
    np.testing.assert_array_equal(np.bincount(graders, minlength=roster.n_graders), numbers)
    assert np.ptp(np.bincount(items, minlength=roster.n_items)) <= 1
    for grader in np.unique(graders):
        mine = allocation.slots[graders == grader]
        assert sorted(mine) == list(range(1, len(mine) + 1))


@settings(deadline=None, max_examples=100)
@given(rosters(), st.integers(1, 7), SUBMISSIONS, st.sampled_from(["random", "spread"]))
def test_small_rosters_keep_every_rule_or_are_impossible(columns, per_grader, submissions, design):
    roster = as_pool(columns, submissions=submissions)
    numbers = review_numbers(roster, per_grader)
    if not numbers.sum():
        return

    if oracle.is_possible(~oracle.barred(roster), numbers):
        check(allocate(roster, per_grader, design=design), numbers)
        return
    with pytest.raises(AllocationError) as caught:
        allocate(roster, per_grader, design=design)
    assert caught.value.graders or caught.value.items


@settings(deadline=None, max_examples=5)
@given(large_rosters(), st.sampled_from([2, 3, 5, 7, 9]), SUBMISSIONS)
def test_large_rosters_keep_every_rule(columns, per_grader, submissions):
    roster = as_pool(columns, submissions=submissions)
    if roster.n_items < 30:
        return

    allocation = allocate(roster, per_grader)

    check(allocation, review_numbers(roster, per_grader))
    assert allocation.quality.connected


@settings(deadline=None, max_examples=60)
@given(rosters(most=10), st.integers(2, 6))
def test_the_bottleneck_named_is_a_proof(columns, per_grader):
    """The people named alone, or the items named alone, already break the rules."""
    roster = as_pool(columns)
    allowed, numbers = ~oracle.barred(roster), review_numbers(roster, per_grader)
    try:
        allocate(roster, per_grader)
    except AllocationError as error:
        graders = np.isin(roster.graders.to_numpy(), error.graders)
        items = np.isin(roster.items.to_numpy(), error.items)
    except DataError:
        return
    else:
        return

    total = int(numbers.sum())
    least, most = total // roster.n_items, -(-total // roster.n_items)
    room = items.sum() * most + allowed[np.ix_(graders, ~items)].sum()
    crowded = numbers[graders].sum() > room
    supply = numbers[graders].sum() + allowed[np.ix_(~graders, items)].sum()
    starved = items.sum() * least > supply
    alone = (numbers > allowed.sum(axis=1))[graders].any() or (allowed.sum(axis=0) < least)[items].any()
    assert crowded or starved or alone


TOO_MANY_CONFLICTS = (
    "line 1, column 'student': 'ada' has to review 2 of 5 items but may see only 1"
    " (own or own group's work: ada; conflicts: bob, cyd, dan); lower the number of reviews to 1"
    " or lift a conflict"
)
SEEN_BY_NOBODY = (
    "'ada' needs 2 reviews like every item but only 0 may see it;"
    " lift a conflict or lower the number of reviews per grader"
)


@pytest.mark.parametrize(
    ("conflicts", "options", "graders", "items", "message"),
    [
        (["bob;cyd;dan", None, None, None, None], {}, ("ada",), (), TOO_MANY_CONFLICTS),
        ([None, *["ada"] * 4], {"conflicts": "declared"}, (), ("ada",), SEEN_BY_NOBODY),
    ],
)
def test_who_or_what_stands_in_the_way_is_named_with_a_way_out(conflicts, options, graders, items, message):
    columns = {"student": ["ada", "bob", "cyd", "dan", "eve"], "conflicts": conflicts}

    with pytest.raises(AllocationError) as caught:
        allocate(columns, 2, **options)

    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.graders, copy.items) == (message, graders, items)


def test_a_smaller_number_that_works_is_proposed():
    columns = {"student": list("stuvwxyz"), "group": list("aaabbbcc")}

    with pytest.raises(AllocationError) as caught:
        allocate(columns, 5)

    assert "ask for 4 per grader (that works)" in str(caught.value)
    assert allocate(columns, 4).quality.loads == {4: 8}


def test_conflicts_are_mutual_unless_asked_otherwise():
    columns = {"student": ["ada", "bob", "cyd"], "conflicts": ["bob", None, None]}

    mutual, declared = as_pool(columns), as_pool(columns, conflicts="declared")

    np.testing.assert_array_equal(mutual.barred_of(1), [0, 1])
    np.testing.assert_array_equal(declared.barred_of(1), [1])


def test_broken_rules_are_found_in_a_bad_allocation():
    roster = as_pool({"student": ["ada", "bob", "cyd"]})
    graders, items = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2])

    assert broken_rules(roster, graders, items, np.array([2, 2, 1])) == [
        "ada must not review ada",
        "bob has cyd twice",
        "cyd has 0 reviews instead of 1",
    ]
