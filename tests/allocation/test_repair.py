import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from peerage import DataError, Feedback, read, repair
from peerage.allocation.allocate import allocate, read_allocation
from peerage.allocation.pool import as_pool
from peerage.allocation.rules import AllocationError


def names(numbers):
    return [f"s{number:02d}" for number in numbers]


def pairs(table):
    return set(table.select("grader", "item").iter_rows())


def test_nothing_wrong_changes_nothing():
    allocation = allocate({"student": names(range(12))}, 3)

    repaired = repair(allocation, allocation.pool, 3)

    assert repaired.changes.is_empty()
    assert repaired.table.drop("status").equals(allocation.table())


@settings(max_examples=30)
@given(st.data(), st.integers(10, 40), st.integers(2, 5), st.integers(0, 99))
def test_done_reviews_stay_rules_hold_and_coverage_returns(data, size, per_grader, seed):
    everybody = names(range(size))
    allocation = allocate({"student": everybody}, per_grader, seed=seed)
    rng = np.random.default_rng(seed)
    done = allocation.table().filter(pl.Series(rng.random(size * per_grader) < 0.4))
    left = set(data.draw(st.sets(st.sampled_from(everybody), max_size=size // 5)))
    away = data.draw(st.sets(st.sampled_from(sorted(set(everybody) - left)), max_size=size // 5))
    now = as_pool({"student": [name for name in everybody if name not in left] + ["late"]})

    repaired = repair(allocation, now, per_grader, done=done, no_shows=away, seed=seed)

    assert pairs(done) == pairs(repaired.table.filter(pl.col("status") == "done"))
    assert repaired.table.filter(pl.col("grader") == pl.col("item")).is_empty()
    assert repaired.table.select("grader", "item").is_unique().all()
    pending = repaired.table.filter(pl.col("status") != "done")
    assert not set(pending["grader"]) & (left | away)
    assert not set(pending["item"]) & left
    loads = dict(repaired.table.group_by("item").len().iter_rows())
    assert min(loads.get(item, 0) for item in now.items) >= per_grader
    given_out = dict(repaired.table.group_by("grader").len().iter_rows())
    active = set(now.graders) - away
    assert all(given_out[name] >= per_grader for name in active)
    more = {name: given_out[name] - per_grader for name in active if given_out[name] > per_grader}
    assert more == repaired.extra


@example(12, 4, 48)  # additions make room for each other before anything that is held moves
@settings(max_examples=30)
@given(st.integers(12, 40), st.integers(2, 4), st.integers(0, 99))
def test_the_change_list_is_what_changed_and_no_longer_than_needed(size, per_grader, seed):
    """People who only stop reviewing: each pending review of theirs is one removal and one addition."""
    allocation = allocate({"student": names(range(size))}, per_grader, seed=seed)
    away = names(range(0, size, 10))

    repaired = repair(allocation, allocation.pool, per_grader, no_shows=away, seed=seed)

    before, after = pairs(allocation.table()), pairs(repaired.table)
    removed = pairs(repaired.changes.filter(pl.col("change") == "remove"))
    added = pairs(repaired.changes.filter(pl.col("change") == "add"))
    assert (removed, added) == (before - after, after - before)
    assert len(removed) == len(added) == len(away) * per_grader
    assert sum(repaired.extra.values()) == len(added)
    assert max(repaired.extra.values()) == -(-len(added) // (size - len(away)))


def test_somebody_who_vanishes_with_their_work_costs_nobody_extra():
    allocation = allocate({"student": names(range(20))}, 4)

    repaired = repair(allocation, {"student": names(range(1, 20))}, 4)

    assert repaired.extra == {}
    assert repaired.allocation.quality.loads == {4: 19}


def test_feedback_says_what_is_done():
    allocation = allocate({"student": names(range(8))}, 2)
    first = allocation.table().filter(pl.col("grader") == "s00")["item"].to_list()
    done = Feedback.from_orders([("s00", first)])

    repaired = repair(allocation, allocation.pool, 2, done=done, no_shows=["s00"])

    assert repaired.changes.is_empty()


def test_a_new_conflict_takes_the_pending_review_away():
    allocation = allocate({"student": names(range(8))}, 2)
    foe = allocation.table().row(0)[1]
    now = {"student": names(range(8)), "conflicts": [foe] + [None] * 7}

    repaired = repair(allocation, now, 2, done=None)

    gone = repaired.changes.filter(pl.col("reason") == "the grader must not see it")
    assert ("s00", foe) in pairs(gone)


def test_an_item_that_cannot_be_covered_is_named():
    everybody = names(range(5))
    allocation = allocate({"student": everybody}, 2)
    now = {"student": everybody, "conflicts": [None] + ["s00"] * 3 + [None]}

    with pytest.raises(AllocationError) as caught:
        repair(allocation, now, 2)

    assert caught.value.items == ("s00",)
    assert "ask for 1 reviews per item (coverage=1)" in str(caught.value)
    assert repair(allocation, now, 2, coverage=1).coverage >= 1


def test_an_allocation_read_from_a_file_will_do(tmp_path):
    allocation = allocate({"student": names(range(9))}, 3)
    allocation.write(tmp_path / "old.csv")

    repaired = repair(tmp_path / "old.csv", allocation.pool, 3, no_shows=["s01"])
    repaired.write(tmp_path / "new.csv")

    assert pl.read_csv(tmp_path / "new.csv").columns == ["grader", "item", "slot", "status"]
    assert len(repaired.changes) == 6


@pytest.mark.parametrize("emails", [False, True])
def test_a_list_of_who_reviews_what_is_known_as_such_and_never_graded(emails):
    addresses = {"email": [f"{name}@example.org" for name in names(range(9))]} if emails else {}
    allocation = allocate({"student": names(range(9)), **addresses}, 3)
    repaired = repair(allocation, allocation.pool, 3, no_shows=["s01"])

    for table in (allocation.table(), repaired.table, allocation.merge_table()):
        with pytest.raises(DataError, match="a list of who reviews what"):
            read(table.write_csv().encode())
    assert read_allocation(allocation.table())["slot"].to_list() == allocation.slots.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grader,thing\na,b\n", "no column for the item found"),
        ("grader,item\na,\n", "line 2, column 'item': the item is empty"),
        ("grader,item\na,b\na,b\n", "line 3, column 'item': 'b' is given to 'a' twice"),
        ("", "the file is empty"),
        ("grader,item\na,b\n", "'zoe' is a no-show but not on the roster"),
    ],
)
def test_broken_allocations_and_unknown_no_shows_are_refused(tmp_path, text, message):
    (tmp_path / "old.csv").write_text(text, encoding="utf-8")

    with pytest.raises(DataError, match=message):
        repair(tmp_path / "old.csv", {"student": ["a", "b"]}, 1, no_shows=["zoe"])
