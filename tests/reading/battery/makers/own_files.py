"""What `peerage allocate` and `peerage repair` write: lists of work to do, which nobody has done yet."""
# ruff: noqa: E501 - a case per line, up to 130 characters
# fmt: off

import csv
import io
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.reading.battery import marks as m
from tests.reading.battery.case import Case, Table, as_workbook, csv_case
from tests.reading.battery.truth import small_class, tiers_of

REASON = "peerage allocate wrote it: it says who is to review what"


@cache
def _allocation() -> Any:
    import polars as pl

    from peerage import allocate

    return allocate(pl.DataFrame({"student": [f"s{number:02d}" for number in range(1, 9)]}), 3, seed=1)


def _own(name: str, data: bytes, filename: str = "lists.csv") -> Case:
    return Case(name, filename, data, None, refusable=REASON, own=True)


def cases() -> Iterator[Case]:
    lists, mail = _allocation().table().write_csv(), _allocation().merge_table().write_csv()
    yield _own("own lists", lists.encode())
    yield _own("own lists with semicolons", lists.replace(",", ";").encode())
    yield _own("own lists, saved by Excel", "\ufeff".encode() + lists.replace("\n", "\r\n").encode())
    yield _own("own lists as workbook", as_workbook({"lists": list(csv.reader(io.StringIO(lists)))}), "lists.xlsx")
    yield _own("own mail merge", mail.encode(), "mail.csv")
    yield _filled_in("own lists with scores", lists)


def _filled_in(name: str, lists: str) -> Case:
    """Students gave scores in a column of their own; the number of the slot is no rank."""
    rows = list(csv.reader(io.StringIO(lists)))
    graders, items = ({row[column] for row in rows[1:]} for column in (0, 1))
    drawn = small_class(name, graders=len(graders), items=8, reviews=-1, scale=m.HUNDRED)
    truth = drawn.but(items=sorted(items), graders=sorted(graders))
    scores: dict[str, dict[str, float]] = {}
    table = Table([*rows[0], "score"])
    for row in rows[1:]:
        grader, item = row[:2]
        value = drawn.score(grader, f"P{int(item[1:])}")
        scores.setdefault(grader, {})[item] = value
        table.add([*row, f"{value:g}"], (grader, 0))
    orders = {grader: [tiers_of(given)] for grader, given in scores.items()}
    truth = truth.but(orders=orders, scores=scores, ignored=tuple(rows[0][2:]))
    return csv_case(name, truth, table, filename="lists.csv")
