"""What is known of grading: the settings, the runs, lists for pages, and labels for files."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import QuerySet

from peerage.grading.letters import COMPLETE, INCOMPLETE, parse_letters
from peerage.reading.reading import NONE, Reading
from peerage_web.classes.assignments.models import Assignment, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.models import (
    GradingPlan,
    GradingRun,
    Override,
    PointsRule,
    RunGrade,
    StaffGrade,
    StaffRanking,
)
from peerage_web.classes.names import name_key
from peerage_web.classes.submissions.models import Submission
from peerage_web.files.models import Job
from peerage_web.sandbox.contract.jobs import JobOptions


def plan_of(assignment: Assignment) -> GradingPlan:
    """What staff decided; where nobody has decided anything, what is usual (not saved yet)."""
    plan = GradingPlan.objects.filter(assignment=assignment).first()
    return plan if plan is not None else GradingPlan(assignment=assignment)


def scale_text(low: float, high: float) -> str:
    """As `peerage grade --scale` has it."""
    return f"{low:.10g}:{high:.10g}"


# what inputs.py writes: a team may be called "Total", and a list may be one tie, but nobody is asked about it
OWN_TABLE = Reading(
    format="long",
    columns={"grader": "grader", "item": "item", "rank": "rank"},
    direction="ranks",
    empty=(NONE,),
    totals=(NONE,),
)


WITH_SCORES = replace(OWN_TABLE, columns={**OWN_TABLE.columns, "score": "score"})
# where the rubric counts; the library's own choice would leave rankings out that contradict no score
BOTH = "COMBINED+G"


def options_of(
    plan: GradingPlan,
    *,
    seed: int = 0,
    staff_grades: bool = False,
    rubric_scale: tuple[float, float] | None = None,
) -> JobOptions:
    """What the library is asked. Submissions that staff graded get that grade, and others learn from it.

    `staff_grades` says whether there are enough of them; without, their rule gives a standing. With
    `rubric_scale` there are scores beside the rankings, on that scale.
    """
    rule = _rule_options(plan, staff_grades)
    if rubric_scale is not None and "anchors_as_evidence" in rule:
        rule["peer_scale"] = scale_text(*rubric_scale)
    return JobOptions(
        reading=OWN_TABLE if rubric_scale is None else WITH_SCORES,
        method=plan.method or (None if rubric_scale is None else BOTH),
        seed=seed,
        title=plan.assignment.title,
        **rule,
    )


def _rule_options(plan: GradingPlan, staff_grades: bool) -> dict[str, Any]:
    points = {"scale": scale_text(plan.scale_low, plan.scale_high), "letters": plan.letters or None}
    match plan.points_rule:
        case PointsRule.STAFF:
            return {**points, "anchors_as_evidence": True} if staff_grades else {}
        case PointsRule.CURVE:
            return {**points, "curve": scale_text(plan.curve_mean, plan.curve_sd)}
        case PointsRule.QUOTAS:
            return {"letters": plan.letters or None}
        case PointsRule.COMPLETE:
            return {"complete": True}
    return {}


def grades_by_hand(plan: GradingPlan) -> list[str]:
    """What staff choose from where they set a grade by hand and there are no points."""
    if plan.points_rule == PointsRule.COMPLETE:
        return [COMPLETE, INCOMPLETE]
    if plan.points_rule == PointsRule.QUOTAS and plan.letters:
        return list(parse_letters(plan.letters).names)
    return []


def weights_of(plan: GradingPlan) -> dict[str, Any]:
    """What a run keeps of the plan: per cents of the mark for reviewing and of the whole; scale and rules."""
    quality = 100 - plan.completeness_weight - plan.helpfulness_weight
    return {
        "quality": quality,
        "completeness": plan.completeness_weight,
        "helpfulness": plan.helpfulness_weight,
        "reviewing": plan.assignment.review_weight,
        "missing_get": plan.missing_get,
        "late_penalty": plan.late_penalty,
        "late_penalty_most": plan.late_penalty_most,
        "scale": scale_text(plan.scale_low, plan.scale_high),
    }


# -- Runs of an assignment -----------------------------------------------------------------------------


Purpose = GradingRun.Purpose


def runs_of(assignment: Assignment) -> QuerySet[GradingRun]:
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
    return sorted(drawn, key=lambda other: (other.number > run.number, -other.number))


# -- What the pages about grading list; a bounded number of queries, whatever the size of the class ----


@dataclass(slots=True)
class StaffReviewRow:
    """A submission, what the newest run says of it, and what staff say."""

    submission: Submission
    name: str
    grade: RunGrade | None = None
    staff: list[StaffGrade] = field(default_factory=list)
    mine: StaffGrade | None = None
    place: int | None = None  # in one's own order
    points: str = ""  # what stands in its fields, and why that cannot be saved
    reason: str = ""
    problem: str = ""

    @property
    def attention(self) -> int | None:
        """Its place on the library's list of where a staff review helps most."""
        return self.grade.attention if self.grade is not None else None


def names_of_submissions(assignment: Assignment) -> dict[int, str]:
    """Submission to what staff call its authors."""
    submissions = Submission.objects.filter(assignment=assignment).select_related("author__person", "team")
    return {submission.pk: name_of(submission) for submission in submissions}


def name_of(submission: Submission) -> str:
    if submission.team is not None:
        return submission.team.name
    assert submission.author is not None  # a constraint of the database
    return submission.author.shown_name


def submissions_to_review(
    assignment: Assignment, person: int
) -> tuple[GradingRun | None, list[StaffReviewRow]]:
    """All that count: submissions where a staff review helps most, then the others by name."""
    submissions = Submission.objects.filter(
        assignment=assignment, excluded_at=None, versions__submitted_at__isnull=False
    ).distinct()
    rows = {
        submission.pk: StaffReviewRow(submission, name_of(submission))
        for submission in submissions.select_related("author__person", "team")
    }
    run = last_run(assignment)
    for grade in run.grades.all() if run is not None else ():
        if grade.submission_id in rows:
            rows[grade.submission_id].grade = grade
    staff_grades = StaffGrade.objects.filter(submission__assignment=assignment, withdrawn_at=None)
    for staff_grade in staff_grades.select_related("by"):
        if staff_grade.submission_id in rows:
            rows[staff_grade.submission_id].staff.append(staff_grade)
            if staff_grade.by_id == person:
                row = rows[staff_grade.submission_id]
                row.mine, row.reason = staff_grade, staff_grade.reason
                row.points = f"{staff_grade.points:.15g}"
    for place, tier in enumerate(own_ranking(assignment, person), start=1):
        for submission in tier:
            if submission in rows:
                rows[submission].place = place
    last = len(rows) + 1
    return run, sorted(
        rows.values(), key=lambda row: (row.attention or last, name_key(row.name), row.submission.pk)
    )


def own_ranking(assignment: Assignment, person: int) -> list[list[int]]:
    """The order that somebody of the staff gave last."""
    mine = StaffRanking.objects.filter(assignment=assignment, by=person, withdrawn_at=None)
    newest = mine.order_by("-at", "-pk").first()
    return newest.tiers if newest is not None else []


def staff_figures(assignment: Assignment) -> dict[str, int]:
    """How much staff have said."""
    grades = StaffGrade.objects.filter(submission__assignment=assignment, withdrawn_at=None)
    rankings = StaffRanking.objects.filter(assignment=assignment, withdrawn_at=None)
    return {
        "graded": grades.order_by().values("submission").distinct().count(),
        "rankings": rankings.order_by().values("by").distinct().count(),
    }


def override_history(submission: Submission) -> list[Override]:
    """Every grade of the submission that was ever set by hand, newest first."""
    overrides = Override.objects.filter(submission=submission).select_related("by", "membership__person")
    return list(overrides.order_by("-at", "-pk"))


def without_grade(run: GradingRun) -> list[tuple[Submission, str]]:
    """Submissions that were submitted and are in, of which the run says nothing: nobody ranked them."""
    graded = set(run.grades.values_list("submission", flat=True))
    submissions = Submission.objects.filter(
        assignment=run.assignment_id, excluded_at=None, versions__submitted_at__isnull=False
    ).distinct()
    in_order: Any = submissions.select_related("author__person", "team").order_by("pk")
    return [(submission, name_of(submission)) for submission in in_order if submission.pk not in graded]


# -- What files call people and submissions ------------------------------------------------------------
#
# Student numbers, else e-mail addresses; teams by their names. That is what gradebooks hold, so that a file
# leads back to its student without a key. Labels differ even where case is all that differs.


@dataclass(slots=True)
class Labels:
    """`people` and `submissions` by primary key."""

    people: dict[int, str] = field(default_factory=dict)
    submissions: dict[int, str] = field(default_factory=dict)
    authors: dict[int, list[int]] = field(default_factory=dict)  # of each submission, members


def labels_of(assignment: Assignment) -> Labels:
    """Of everybody who ever was in the course, and every submission of the assignment; four queries."""
    labels = Labels()
    taken: set[str] = set()
    members = Membership.objects.filter(course=assignment.course_id).select_related("person").order_by("pk")
    # those with a number first: a number is never somebody's second
    for member in sorted(members, key=lambda member: not member.student_id):
        label = member.student_id or member.person.email or f"member {member.pk}"
        labels.people[member.pk] = unlike(label, taken)
    places: dict[int, list[int]] = {}
    in_teams = TeamMember.objects.filter(assignment=assignment).order_by("pk")
    for team, author in in_teams.values_list("team", "membership"):
        places.setdefault(team, []).append(author)
    for submission in Submission.objects.filter(assignment=assignment).select_related("team").order_by("pk"):
        if submission.team is not None:
            labels.submissions[submission.pk] = unlike(submission.team.name, taken)
            labels.authors[submission.pk] = places.get(submission.team.pk, [])
        elif submission.author_id is not None:
            labels.submissions[submission.pk] = labels.people[submission.author_id]
            labels.authors[submission.pk] = [submission.author_id]
    return labels


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
    """Pairs of a member and the submission that is theirs."""
    return ((member, submission) for submission, members in labels.authors.items() for member in members)
