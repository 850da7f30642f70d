"""Grades of an assignment: runs of the engine, what every student gets, grades that are set by hand."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from peerage_web.api.problems import problem
from peerage_web.api.validation import LARGEST_SEED, as_json, takes_json
from peerage_web.classes.api_access import NO_NUL, REFUSALS, ListPart, RequestBody, opens, scope_of
from peerage_web.classes.enums import GRADES_SHOWN
from peerage_web.classes.grading import services as run_services
from peerage_web.classes.grading import staff_grades
from peerage_web.classes.grading.final_grades import FinalGrade, final_grades
from peerage_web.classes.grading.models import GradingRun, Override, PointsRule
from peerage_web.classes.grading.queries import approved_run, last_run, runs_of, scale_text
from peerage_web.classes.permissions import Action
from peerage_web.classes.reviewing.api import Someone
from peerage_web.classes.reviewing.queries import someone

router = Router(tags=["classes"])
SCALED = (PointsRule.STAFF, PointsRule.CURVE, PointsRule.COMPLETE)  # whose totals are on a scale


class RunOut(Schema):
    """One grading run."""

    run: str = Field(description="The key of the run.")
    number: int
    purpose: str = Field(description="grades, or appeal (a preview of what an appeal would change).")
    state: str = Field(description="queued, running, done, failed or cancelled.")
    method: str
    version: str
    inputs_sha256: str
    made_at: datetime
    is_ready: bool = Field(description="Whether its grades are available.")
    approved_at: datetime | None


class RunIn(RequestBody):
    """Options of the run. Everything else comes from the grading settings of the assignment."""

    seed: int = Field(0, ge=0, le=LARGEST_SEED)


class GradeOut(Schema):
    """The grade of one student; null where there is no data, or no rule that makes points."""

    student: Someone
    submission: int | None
    points: float | None
    low: float | None = Field(description="Lower end of the likely range; null if staff set the grade.")
    high: float | None
    letter: str = Field(description="A letter, or `complete` or `incomplete`; empty if there is none.")
    rank_low: int | None = Field(description="The standing: the best rank that is likely.")
    rank_high: int | None
    by_hand: bool
    late_penalty: float = Field(
        description="Points deducted because the submission was late; points, low and high are after it."
    )
    reviewing: float | None = Field(description="Reviewing mark, 0 to 100.")
    total: float | None = Field(description="Weighted total of both, on the points scale.")


class Grades(Schema):
    """One page of the list, and the run it comes from."""

    run: RunOut
    is_released: bool = Field(description="Whether students can currently see their grades.")
    points_rule: str = Field(description="What made the grades: staff, curve, quotas, complete or standing.")
    scale: str
    count: int
    grades: list[GradeOut]


class WhichRun(ListPart):
    """Which run, and which page of the list."""

    run: str = Field(
        "",
        max_length=64,
        description="Key of a run. Empty: the approved run, or the newest if none is approved.",
    )


class GradeIn(RequestBody):
    """A grade set by hand, with a reason: points on the scale of the assignment, or a letter."""

    points: float | None = Field(None, ge=-1e6, le=1e6)
    letter: str = Field(
        "", max_length=20, pattern=NO_NUL, description="Instead of points, where the assignment gives none."
    )
    reason: str = Field(min_length=1, max_length=1000, pattern=NO_NUL)
    member: int | None = Field(None, ge=1, description="One member of a team; null: all authors.")


class OverrideOut(Schema):
    """A grade that was set by hand."""

    submission: int
    member: int | None
    points: float | None
    letter: str
    reason: str
    at: datetime


@router.get(
    "/courses/{course}/assignments/{assignment}/runs",
    response=list[RunOut],
    summary="Grading runs",
    operation_id="runs",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_GRADES)
def runs(request: HttpRequest, course: str, assignment: str) -> list[RunOut]:
    """All grading runs, newest first."""
    return [_run(run) for run in runs_of(scope_of(request).assignment)]


@router.post(
    "/courses/{course}/assignments/{assignment}/runs",
    response={202: RunOut},
    summary="Start a grading run",
    operation_id="start_run",
    openapi_extra=REFUSALS,
)
@opens(Action.GRADE)
@takes_json()
def start(request: HttpRequest, course: str, assignment: str, asked: RunIn) -> HttpResponse:
    """Grades what has been submitted. If an earlier run had the same input, that run is returned."""
    scope = scope_of(request)
    run = run_services.start_run(assignment=scope.assignment, by=scope.person, seed=asked.seed)
    return as_json(_run(run).model_dump_json(), status=202)


@router.get(
    "/courses/{course}/assignments/{assignment}/runs/{run}",
    response=RunOut,
    summary="A grading run",
    operation_id="run",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_GRADES)
def run(request: HttpRequest, course: str, assignment: str, run: str) -> RunOut:
    """The state of the run."""
    return _run(scope_of(request).objects["run"])


@router.post(
    "/courses/{course}/assignments/{assignment}/runs/{run}/approve",
    response=RunOut,
    summary="Approve a grading run",
    operation_id="approve_run",
    openapi_extra=REFUSALS,
)
@opens(Action.APPROVE_RUN)
def approve(request: HttpRequest, course: str, assignment: str, run: str) -> RunOut:
    """From then on, releases use the grades of this run."""
    scope = scope_of(request)
    run_services.approve_run(run=scope.objects["run"], by=scope.person)
    return _run(scope.objects["run"])


@router.get(
    "/courses/{course}/assignments/{assignment}/grades",
    response=Grades,
    summary="Grades of all students",
    operation_id="grades",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_GRADES)
def grades(request: HttpRequest, course: str, assignment: str, which: Query[WhichRun]) -> Any:
    """From the approved run, with grades set by hand: exactly what a release would show now."""
    where = scope_of(request).assignment
    run = runs_of(where).filter(key=which.run).first() if which.run.isascii() and which.run else None
    if not which.run:
        run = approved_run(where) or last_run(where)
    if run is None or run.drawn_at is None:
        return problem("not-now", "There are no grades yet: start a run, and wait until it is ready.")
    whole = final_grades(run)
    return Grades(
        run=_run(run),
        is_released=where.phase in GRADES_SHOWN,
        points_rule=run.points_rule.value,
        scale=scale_text(*run.scale) if run.points_rule in SCALED else "",
        count=len(whole),
        grades=[_grade(grade) for grade in whole[which.offset : which.offset + which.limit]],
    )


@router.put(
    "/courses/{course}/assignments/{assignment}/submissions/{int:submission}/grade",
    response=OverrideOut,
    summary="Set a grade by hand",
    operation_id="set_grade",
    openapi_extra=REFUSALS,
)
@opens(Action.OVERRIDE)
@takes_json()
def set_grade(request: HttpRequest, course: str, assignment: str, submission: int, asked: GradeIn) -> Any:
    """Overrides the grade of the run. An earlier grade set by hand stays in the history."""
    scope = scope_of(request)
    member = None
    if asked.member is not None:
        member = scope.course.memberships.filter(pk=asked.member).first()
        if member is None:
            return problem("request", f"Nobody in the course has the number {asked.member}.")
    override = staff_grades.set_grade(
        submission=scope.objects["submission"],
        by=scope.person,
        points=asked.points,
        letter=asked.letter,
        reason=asked.reason,
        membership=member,
    )
    return _override(override)


@router.delete(
    "/courses/{course}/assignments/{assignment}/submissions/{int:submission}/grade",
    response={204: None},
    summary="Remove a grade set by hand",
    operation_id="unset_grade",
    openapi_extra=REFUSALS,
)
@opens(Action.OVERRIDE)
def unset_grade(request: HttpRequest, course: str, assignment: str, submission: int) -> HttpResponse:
    """The grade of the run counts again for all authors. If no grade was set by hand, nothing changes."""
    scope = scope_of(request)
    for override in Override.objects.filter(submission=scope.objects["submission"], withdrawn_at=None):
        staff_grades.unset_grade(override=override, by=scope.person)
    return HttpResponse(status=204)


def _run(run: GradingRun) -> RunOut:
    return RunOut(
        run=run.key,
        number=run.number,
        purpose=run.purpose,
        state=run.job.state,
        method=run.method,
        version=run.version,
        inputs_sha256=run.inputs_sha256,
        made_at=run.made_at,
        is_ready=run.drawn_at is not None,
        approved_at=run.approved_at,
    )


def _grade(grade: FinalGrade) -> GradeOut:
    return GradeOut(
        student=Someone(**someone(grade.membership)),
        submission=grade.submission.pk if grade.submission is not None else None,
        points=grade.points,
        low=grade.low,
        high=grade.high,
        letter=grade.letter,
        rank_low=grade.grade.rank_low if grade.grade is not None else None,
        rank_high=grade.grade.rank_high if grade.grade is not None else None,
        by_hand=grade.by_hand,
        late_penalty=grade.late_penalty,
        reviewing=grade.reviewing,
        total=grade.total,
    )


def _override(override: Override) -> OverrideOut:
    return OverrideOut(
        submission=override.submission_id,
        member=override.membership_id,
        points=override.points,
        letter=override.letter,
        reason=override.reason,
        at=override.at,
    )
