"""Items and graders called 1, 2, …, 10: the same bytes on a cluster, from files and from a packed folder."""

from __future__ import annotations

from functools import partial

import polars as pl
from tests.cluster.classes import bits, small_class

import peerage
from peerage.feedback.partition import partition_graders
from peerage.packing import pack_with
from peerage.reading.reading import Reading


def test_packed_integers_on_two_workers(two_workers, tmp_path):
    numbered = [pl.col(name).str.slice(1).str.to_integer().cast(pl.String) for name in ("grader", "item")]
    table = small_class().to_frame().drop("task", "score").with_columns(numbered)
    table.sample(fraction=1.0, shuffle=True, seed=1).write_csv(tmp_path / "reviews.csv")
    here = peerage.fit(peerage.read(table), "PL+G")
    cut = partial(partition_graders, small=50, parts=8)
    packed = pack_with(str(tmp_path / "reviews.csv"), tmp_path / "packed", Reading(), cut=cut)

    there = peerage.fit(packed, "PL+G", cluster=two_workers)

    assert here.feedback_.item_labels.to_list() == [str(number) for number in range(160)]
    assert bits(there) == bits(here)
    assert there.grades().equals(here.grades())
