"""Files that say who reviews what are known as such: they hold no reviews, and are never graded."""

from __future__ import annotations

import pytest

from peerage import DataError, allocate, read, repair
from peerage.allocation.allocate import read_allocation

STUDENTS = [f"s{number:02}" for number in range(9)]


@pytest.mark.parametrize("emails", [False, True])
def test_a_line_per_review_is_refused(emails):
    roster = {
        "student": STUDENTS,
        **({"email": [f"{name}@example.org" for name in STUDENTS]} if emails else {}),
    }
    allocation = allocate(roster, 3)

    for table in (allocation.table(), repair(allocation, allocation.pool, 3, no_shows=["s01"]).table):
        assert table.columns[:3] == ["grader", "item", "slot"]
        with pytest.raises(DataError, match="a list of who reviews what"):
            read(table.write_csv().encode())


def test_a_line_per_grader_is_refused():
    table = allocate({"student": STUDENTS}, 3).merge_table()

    assert table.columns == ["grader", "item_1", "item_2", "item_3"]
    with pytest.raises(DataError, match="a list of who reviews what"):
        read(table.write_csv().encode())


def test_slots_are_read_back():
    allocation = allocate({"student": STUDENTS}, 3)

    found = read_allocation(allocation.table())

    assert found.columns == ["grader", "item", "slot"]
    assert found["slot"].to_list() == allocation.slots.tolist()
