"""Qualtrics: three header rows (names, questions, import ids) and a dozen columns about the answer itself.

Of `Q3_2` the second row says `Rank these posters - Poster B`: the question, a dash, what it is about.
Questions side by side have names such as `Q4#1_2`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from peerage.reading.reshaping import cells_of, noted, only_columns, only_rows
from peerage.reading.sources.cleaning import Cleaned, drop_rows, folded, form
from peerage.reading.table import Table

SYSTEM = (
    "StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)", "Finished",
    "RecordedDate", "ResponseId", "RecipientLastName", "RecipientFirstName", "RecipientEmail",
    "ExternalReference", "ExternalDataReference", "LocationLatitude", "LocationLongitude",
    "DistributionChannel", "UserLanguage", "Q_RecaptchaScore", "Q_TotalDuration",
)  # fmt: skip
PEOPLE = ("RecipientEmail", "ExternalReference", "ExternalDataReference")
_PART = re.compile(r"(.+?)(?:#(\d+))?_(\d+)(?:_TEXT|_\d+)?")
PREVIEWS = ("1", "survey preview", "preview", "spam", "8")


def suits(table: Table) -> bool:
    """Whether the columns are named as Qualtrics does, and the rows of questions and ids follow."""
    names = {folded(name) for name in table.header}
    if "responseid" not in names and not {"startdate", "recordeddate"} <= names:
        return False
    return _header_rows(table) > 0


def _header_rows(table: Table) -> int:
    """How many of the first rows are still header: 2 now, 1 in older exports."""
    first = table.load(range(len(table.header))).head(2)
    texts = [[str(cell or "") for cell in row] for row in first.rows()]
    if len(texts) > 1 and all("importid" in cell.lower() for cell in texts[1] if cell):
        return 2
    named = dict(zip((folded(name) for name in table.header), texts[0] if texts else [], strict=False))
    return 1 if folded(named.get("responseid", "")) in ("response id", "responseid") else 0


def cleaned(table: Table, given: Mapping[str, str]) -> Cleaned:
    """The questions as names, without header rows, previews, and what is about the answer itself."""
    many = _header_rows(table)
    first = table.load(range(len(table.header))).head(1)
    questions = [" ".join(str(cell or "").split()) for cell in first.row(0)]
    count = len(cells_of(table, 0))
    answers = only_rows(table, np.arange(many, count, dtype=np.int64))
    answers = noted(
        answers,
        f"{many} more header rows of Qualtrics left out" if many > 1 else "1 more header row left out",
    )
    answers = _without_previews(answers)
    fallback = next((name for name in table.header if folded(name) == "responseid"), None)
    found = form(answers, given, system=SYSTEM, people=PEOPLE, fallback=fallback)
    return Cleaned(_renamed(found.table, dict(zip(table.header, questions, strict=True))), found.roles)


def _without_previews(table: Table) -> Table:
    for which, name in enumerate(table.header):
        if folded(name) == "status":
            told = cells_of(table, which).str.to_lowercase().is_in(PREVIEWS)
            return drop_rows(table, told, "previews of the survey, no answers")
    return table


def _renamed(table: Table, questions: Mapping[str, str]) -> Table:
    """`Rank these - Poster B` as `Rank these [Poster B]`; order of display and timing are no answers."""
    kept, names = [], []
    for which, name in enumerate(table.header):
        if re.search(r"_DO(_|$)|_(?:First|Last) Click$|_Page Submit$|_Click Count$", name):
            continue
        kept.append(which)
        names.append(_name(name, questions.get(name, "")))
    return only_columns(table, kept, names)


def _name(name: str, question: str) -> str:
    part = _PART.fullmatch(name)
    if part is None or " - " not in question or folded(name) in (folded(own) for own in SYSTEM):
        return name
    text, _, item = question.rpartition(" - ")
    if (
        part[2] is not None and " - " in text
    ):  # side by side: question - column - row, or question - row - column
        text = text.replace(" - ", ": ")
    return f"{text} [{item}]"
