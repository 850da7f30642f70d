"""What the pages about grading list; a bounded number of queries, whatever the size of the class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from peerage_web.classes.models import (
    Assignment,
    GradingRun,
    Override,
    RunGrade,
    StaffGrade,
    StaffRanking,
    Work,
)
from peerage_web.classes.queries.grading.runs import last_run


@dataclass(slots=True)
class WorkRow:
    """A work, what the newest run says of it, and what staff say."""

    work: Work
    name: str
    grade: RunGrade | None = None
    staff: list[StaffGrade] = field(default_factory=list)
    mine: StaffGrade | None = None
    place: int | None = None  # in one's own order

    @property
    def attention(self) -> int | None:
        """Its place on the library's list of where a look helps most."""
        return self.grade.attention if self.grade is not None else None


def names_of_works(assignment: Assignment) -> dict[int, str]:
    """Work to what staff call its makers."""
    works = Work.objects.filter(assignment=assignment).select_related("author__person", "team")
    return {work.pk: name_of(work) for work in works}


def name_of(work: Work) -> str:
    """The team, or who made it."""
    if work.team is not None:
        return work.team.name
    assert work.author is not None  # a constraint of the database
    return work.author.shown_name


def works_to_judge(assignment: Assignment, person: int) -> tuple[GradingRun | None, list[WorkRow]]:
    """Every work that was handed in and is in: those where a look helps most, then the others by name."""
    works = Work.objects.filter(
        assignment=assignment, taken_out_at=None, submissions__handed_in_at__isnull=False
    ).distinct()
    rows = {one.pk: WorkRow(one, name_of(one)) for one in works.select_related("author__person", "team")}
    run = last_run(assignment)
    for grade in run.grades.all() if run is not None else ():
        if grade.work_id in rows:
            rows[grade.work_id].grade = grade
    given = StaffGrade.objects.filter(work__assignment=assignment, withdrawn_at=None).select_related("by")
    for one in given:
        if one.work_id in rows:
            rows[one.work_id].staff.append(one)
            if one.by_id == person:
                rows[one.work_id].mine = one
    for place, bin_ in enumerate(own_ranking(assignment, person), start=1):
        for work in bin_:
            if work in rows:
                rows[work].place = place
    last = len(rows) + 1
    return run, sorted(
        rows.values(), key=lambda row: (row.attention or last, row.name.casefold(), row.work.pk)
    )


def own_ranking(assignment: Assignment, person: int) -> list[list[int]]:
    """The order that somebody of the staff gave last."""
    mine = StaffRanking.objects.filter(assignment=assignment, by=person, withdrawn_at=None)
    newest = mine.order_by("-at", "-pk").first()
    return newest.bins if newest is not None else []


def staff_figures(assignment: Assignment) -> dict[str, int]:
    """How much staff have said."""
    grades = StaffGrade.objects.filter(work__assignment=assignment, withdrawn_at=None)
    rankings = StaffRanking.objects.filter(assignment=assignment, withdrawn_at=None)
    return {
        "graded": grades.order_by().values("work").distinct().count(),
        "rankings": rankings.order_by().values("by").distinct().count(),
    }


def override_history(work: Work) -> list[Override]:
    """Every grade of the work that was ever set by hand, newest first."""
    found = Override.objects.filter(work=work).select_related("by", "membership__person")
    return list(found.order_by("-at", "-pk"))


def without_grade(run: GradingRun) -> list[tuple[Work, str]]:
    """Works that were handed in and are in, of which the run says nothing: nobody ranked them."""
    graded = set(run.grades.values_list("work", flat=True))
    works = Work.objects.filter(
        assignment=run.assignment_id, taken_out_at=None, submissions__handed_in_at__isnull=False
    ).distinct()
    found: Any = works.select_related("author__person", "team").order_by("pk")
    return [(one, name_of(one)) for one in found if one.pk not in graded]
