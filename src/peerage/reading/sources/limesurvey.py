"""LimeSurvey: `id` and dates before the questions. A ranking has a column per place, `Question [Rank 1]`."""

from __future__ import annotations

from collections.abc import Mapping

from peerage.reading.sources.cleaning import Cleaned, folded, form
from peerage.reading.table import Table

SYSTEM = (
    "id", "Response ID", "submitdate", "Date submitted", "lastpage", "Last page", "startlanguage",
    "Start language", "seed", "Seed", "startdate", "Date started", "datestamp", "Date last action", "ipaddr",
    "IP address", "refurl", "Referrer URL",
)  # fmt: skip
PEOPLE = ("token", "Access code", "email", "Email address")


def suits(table: Table) -> bool:
    """Whether the system's columns are there, under their short or their long names."""
    names = {folded(name) for name in table.header}
    return bool(names & {"submitdate", "date submitted"}) and bool(
        names & {"startlanguage", "start language"}
    )


def cleaned(table: Table, given: Mapping[str, str]) -> Cleaned:
    """Without dates and languages; people by their access code, or by the number of their answer."""
    number = next((name for name in table.header if folded(name) in ("id", "response id")), None)
    return form(table, given, system=SYSTEM, people=PEOPLE, fallback=number)
