"""Canvas: the table of peer reviews that its API gives (assessor, assessee, total score), and its grade book.

A grade book holds one grade per student and no reviews. It serves as a roster; as feedback it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from peerage._options import named
from peerage.errors import DataError, Problem
from peerage.reading.reshaping import cells_of
from peerage.reading.sources.cleaning import Cleaned, drop_rows, folded
from peerage.reading.table import Table

TEST_STUDENT = "student, test"


def suits(table: Table) -> bool:
    """Whether it is either of the two."""
    return is_gradebook(table) or {"assessor", "assessee"} <= {folded(name) for name in table.header}


def is_gradebook(table: Table) -> bool:
    """Whether the first columns are those of Canvas's grade book."""
    names = [folded(name) for name in table.header]
    return names[:2] == ["student", "id"] and bool({"sis login id", "section", "sis user id"} & set(names))


def cleaned(table: Table, given: Mapping[str, str]) -> Cleaned:
    """Peer reviews without those that were never written."""
    if is_gradebook(table):
        rule = "this is a Canvas grade book: it has a grade per student, and no reviews"
        fix = f"give it as {named('roster')}, and the reviews as the file; see docs/data.md"
        raise DataError(Problem(rule, fix=fix), source=table.source)
    roles = {"grader": _called(table, "assessor"), "item": _called(table, "assessee")}
    total = next((name for name in table.header if folded(name).startswith(("total score", "score"))), None)
    if total is not None and not given.get("score"):
        empty = cells_of(table, table.header.index(total)).is_null()
        table = drop_rows(table, empty, "reviews that were not written yet")
        roles["score"] = total
    return Cleaned(table, roles)


def _called(table: Table, name: str) -> str:
    return next(known for known in table.header if folded(known) == name)


def as_roster(table: Table) -> Table:
    """The people of a grade book: without the row of points possible and without the test student."""
    if not is_gradebook(table):
        return table
    names = cells_of(table, 0).str.to_lowercase()
    table = drop_rows(table, names == "points possible", "the points possible of Canvas")
    names = cells_of(table, 0).str.to_lowercase()
    return drop_rows(table, (names == TEST_STUDENT) | (names == "test student"), "the test student of Canvas")
