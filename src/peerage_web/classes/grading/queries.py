"""What is known of grading: the settings, the runs, lists for pages, and labels for files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from peerage_web.classes.assignments.models import Assignment, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.models import (
    GradingPlan,
    GradingRun,
    Override,
    RunGrade,
    StaffGrade,
    StaffRanking,
)
from peerage_web.classes.submissions.models import Work
from peerage_web.files.models import Job
from peerage_web.sandbox.contract.jobs import JobOptions


def plan_of(assignment: Assignment) -> GradingPlan:
    """What staff decided; where nobody has decided anything, what is usual (not saved yet)."""
    found = GradingPlan.objects.filter(assignment=assignment).first()
    return found if found is not None else GradingPlan(assignment=assignment)


def scale_text(low: float, high: float) -> str:
    """As `peerage grade --scale` has it."""
    return f"{low:.10g}:{high:.10g}"


def options_of(plan: GradingPlan, *, seed: int = 0, staff_grades: bool = False) -> JobOptions:
    """What the library is asked for. A work that staff graded gets their grade, and others learn from it."""
    return JobOptions(
        method=plan.method or None,
        scale=scale_text(plan.scale_low, plan.scale_high),
        letters=plan.letters or None,
        seed=seed,
        anchors_as_evidence=staff_grades,
        title=plan.assignment.title,
    )


def weights_of(plan: GradingPlan) -> dict[str, Any]:
    """What a run keeps of the plan: per cents of the mark for reviewing, and of the whole."""
    quality = 100 - plan.completeness_weight - plan.helpfulness_weight
    return {
        "quality": quality,
        "completeness": plan.completeness_weight,
        "helpfulness": plan.helpfulness_weight,
        "reviewing": plan.assignment.review_weight,
    }


# -- Runs of an assignment -----------------------------------------------------------------------------


Purpose = GradingRun.Purpose


def runs_of(assignment: Assignment) -> QuerySet[GradingRun]:
    """All of them, newest first."""
    return GradingRun.objects.filter(assignment=assignment).select_related("job", "made_by", "approved_by")


def approved_run(assignment: Assignment) -> GradingRun | None:
    """The one whose grades a release shows: that which was approved last."""
    approved = runs_of(assignment).filter(approved_at__isnull=False)
    return approved.order_by("-approved_at", "-number").first()


def last_run(assignment: Assignment) -> GradingRun | None:
    """The newest that has grades; looks at what appeals would change do not count."""
    return runs_of(assignment).filter(purpose=Purpose.GRADES, drawn_at__isnull=False).first()


def undrawn(assignment: Assignment) -> list[GradingRun]:
    """Runs whose job is done and whose rows nobody has drawn yet."""
    return list(runs_of(assignment).filter(drawn_at=None, job__state=Job.State.DONE))


def others_than(run: GradingRun) -> list[GradingRun]:
    """Runs that this one can be compared with: those before it, the newest first, then those after it."""
    drawn = runs_of(run.assignment).filter(drawn_at__isnull=False).exclude(pk=run.pk)
    return sorted(drawn, key=lambda one: (one.number > run.number, -one.number))


# -- What the pages about grading list; a bounded number of queries, whatever the size of the class ----


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


# -- What files call people and submissions ------------------------------------------------------------
#
# Student numbers, else e-mail addresses; teams by their names. That is what gradebooks hold, so that a file
# leads back to its student without a key. Labels differ even where case is all that differs.


@dataclass(slots=True)
class Labels:
    """`people` and `works` by primary key."""

    people: dict[int, str] = field(default_factory=dict)
    works: dict[int, str] = field(default_factory=dict)
    makers: dict[int, list[int]] = field(default_factory=dict)  # of each work, members


def labels_of(assignment: Assignment) -> Labels:
    """Of everybody who ever was in the course, and every work of the assignment; four queries."""
    found = Labels()
    taken: set[str] = set()
    members = Membership.objects.filter(course=assignment.course_id).select_related("person").order_by("pk")
    numbered = sorted(members, key=lambda one: not one.student_id)  # a number is never somebody's second
    for one in numbered:
        found.people[one.pk] = unlike(one.student_id or one.person.email or f"member {one.pk}", taken)
    places: dict[int, list[int]] = {}
    for team, member in (
        TeamMember.objects.filter(assignment=assignment).order_by("pk").values_list("team", "membership")
    ):
        places.setdefault(team, []).append(member)
    for work in Work.objects.filter(assignment=assignment).select_related("team").order_by("pk"):
        if work.team is not None:
            found.works[work.pk] = unlike(work.team.name, taken)
            found.makers[work.pk] = places.get(work.team.pk, [])
        elif work.author_id is not None:
            found.works[work.pk] = found.people[work.author_id]
            found.makers[work.pk] = [work.author_id]
    return found


def unlike(text: str, taken: set[str]) -> str:
    """The text, or the text with a number, such that no other looks like it; `taken` gets it."""
    plain = " ".join(text.split()) or "?"
    label, number = plain, 1
    while label.casefold() in taken:
        number += 1
        label = f"{plain} ({number})"
    taken.add(label.casefold())
    return label


def owners(labels: Labels) -> Iterable[tuple[int, int]]:
    """Pairs of a member and the work that is theirs."""
    return ((member, work) for work, members in labels.makers.items() for member in members)
