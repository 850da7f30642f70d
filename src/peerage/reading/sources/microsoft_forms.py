"""Microsoft Forms: an Excel file with `ID`, times, `Email` and `Name` before the questions.

A ranking is one cell with the items best first, each followed by a semicolon.
"""

from __future__ import annotations

from collections.abc import Mapping

from peerage.reading.sources.cleaning import Cleaned, folded, form
from peerage.reading.table import Table

SYSTEM = ("Start time", "Completion time", "Last modified time", "Total points", "Quiz feedback", "Language",
          "Grade posted time", "ID")  # fmt: skip


def suits(table: Table) -> bool:
    """Whether the system's columns are there."""
    return {"start time", "completion time"} <= {folded(name) for name in table.header}


def cleaned(table: Table, given: Mapping[str, str]) -> Cleaned:
    """Without times; people by their address or name, or by the number of their answer."""
    number = next((name for name in table.header if folded(name) == "id"), None)
    return form(table, given, system=SYSTEM, people=("Email", "Name"), fallback=number)
