"""Reviews of conferences: HotCRP's CSV of reviews, and Microsoft CMT's workbook of them.

Both have one row per review, the paper, who wrote it, and a column per question of the review form. The
overall judgement is taken; with several questions that could be it, the reader asks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

from peerage.reading.reshaping import cells_of
from peerage.reading.sources.cleaning import Cleaned, folded, who_answered
from peerage.reading.table import Table

OVERALL = re.compile(r"overall|recommendation|\brating\b|merit", re.IGNORECASE)
_SCORE = r"\s*[+-]?\d+(?:[.,]\d+)?(?:\s*[-–:.)].*)?"
PEOPLE = ("Reviewer Email", "email", "Reviewer Name", "reviewername", "Reviewer Number", "review")


def suits(table: Table) -> bool:
    """Whether papers and reviewers are named as either system does."""
    names = {folded(name) for name in table.header}
    hotcrp = {"paper", "title"} <= names and bool({"reviewername", "email", "review"} & names)
    cmt = "paper id" in names and any(name.startswith("reviewer ") for name in names)
    return hotcrp or cmt


def cleaned(table: Table, given: Mapping[str, str]) -> Cleaned:
    """The roles that the names alone leave open."""
    item = next(name for name in table.header if folded(name) in ("paper", "paper id"))
    roles = {"item": item}
    grader = who_answered(table, PEOPLE)
    if grader is not None:
        roles["grader"] = grader
    overall = [
        name
        for which, name in enumerate(table.header)
        if OVERALL.search(name) and name not in roles.values() and _numbered(cells_of(table, which))
    ]
    if len(overall) == 1:
        roles["score"] = overall[0]
    return Cleaned(table, roles)


def _numbered(cells: pl.Series) -> bool:
    known = cells.drop_nulls()
    return len(known) > 0 and bool(known.str.contains(f"^{_SCORE}$").all())
