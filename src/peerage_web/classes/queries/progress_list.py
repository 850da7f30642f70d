"""The list of progress: which rows are shown and in which order, and the counts above it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from peerage_web.classes.queries.progress import Row
from peerage_web.classes.words import Standing, WorkState

LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)

# what can be shown: its name in addresses, on the page, and which rows it means
SHOWN: dict[str, tuple[Any, Callable[[Row], bool]]] = {
    "": (_("Everybody"), lambda row: True),
    "missing": (_("Work not handed in"), lambda row: row.is_student and row.work != WorkState.HANDED_IN),
    "late": (_("Work handed in late"), lambda row: row.work_is_late),
    "unfinished": (
        _("Reviews not finished"),
        lambda row: row.standing in (Standing.NOT_BEGUN, Standing.BEGUN),
    ),
    "not-begun": (_("Reviews not begun"), lambda row: row.standing == Standing.NOT_BEGUN),
    "begun": (_("Reviews begun, not handed in"), lambda row: row.standing == Standing.BEGUN),
    "finished": (_("Reviews handed in"), lambda row: row.standing == Standing.FINISHED),
}
_WORKS, _STANDINGS = list(WorkState), list(Standing)
SORTS: dict[str, Callable[[Row], Any]] = {
    "name": lambda row: row.name.casefold(),
    "section": lambda row: (row.section.casefold(), row.name.casefold()),
    "work": lambda row: (_WORKS.index(row.work), row.work_at or LONG_AGO),
    "reviews": lambda row: (_STANDINGS.index(row.standing), row.opened),
    "ranked": lambda row: row.ranked_at or LONG_AGO,
    "reminded": lambda row: row.reminded_at or LONG_AGO,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What somebody wants to see; unknown words mean everything, by name."""

    show: str = ""
    section: str = ""
    search: str = ""
    sort: str = "name"
    down: bool = False

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Choice:
        """Out of an address, where a minus before the order turns it round."""
        sort = given.get("sort", "")
        name = sort.removeprefix("-")
        return cls(
            given.get("show", "") if given.get("show", "") in SHOWN else "",
            given.get("section", ""),
            given.get("search", ""),
            name if name in SORTS else "name",
            sort.startswith("-") and name in SORTS,
        )


def chosen(rows: list[Row], choice: Choice) -> list[Row]:
    """The rows, in their order; what compares equal stays in that of the roster."""
    fits, text = SHOWN[choice.show][1], choice.search.casefold()
    found = [
        row
        for row in rows
        if fits(row)
        and (not choice.section or row.section == choice.section)
        and (not text or any(text in one.casefold() for one in (row.name, row.email, row.student_id)))
    ]
    return sorted(found, key=SORTS[choice.sort], reverse=choice.down)


def counts(rows: list[Row]) -> dict[str, int]:
    """Figures for the top of the page."""
    students = [row for row in rows if row.is_student]
    reviewers = [row for row in rows if row.reviews or row.ranked_at]
    return {
        "students": len(students),
        "handed_in": sum(row.work == WorkState.HANDED_IN for row in students),
        "drafts": sum(row.work == WorkState.DRAFT for row in students),
        "reviewers": len(reviewers),
        "opened": sum(row.opened > 0 for row in reviewers),
        "drafted": sum(row.drafted_at is not None for row in reviewers),
        "finished": sum(row.standing == Standing.FINISHED for row in reviewers),
    }
