"""Grades of an assignment: runs of the engine, what every student gets, grades that are set by hand."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from peerage_web.api.bodies import LARGEST_SEED, as_json, takes_json
from peerage_web.api.problems import problem
from peerage_web.classes.api_access import NO_NUL, REFUSALS, ListPart, RequestBody, opens, scope_of
from peerage_web.classes.enums import Phase
from peerage_web.classes.grading import services as run_services
from peerage_web.classes.grading import staff_grades
from peerage_web.classes.grading.final_grades import FinalGrade, final_grades
from peerage_web.classes.grading.models import GradingRun, Override
from peerage_web.classes.grading.queries import approved_run, last_run, runs_of
from peerage_web.classes.permissions import Action
from peerage_web.classes.reviewing.api import Someone
from peerage_web.classes.reviewing.queries import someone

router = Router(tags=["classes"])


class RunOut(Schema):
    """One run of the engine."""

    run: str = Field(description="Its key.")
    number: int
    purpose: str = Field(description="grades, or appeal: a look at what one would change.")
    state: str = Field(description="queued, running, done, failed or cancelled.")
    method: str
    version: str
    inputs_sha256: str
    made_at: datetime
    is_ready: bool = Field(description="Whether its grades can be read.")
    approved_at: datetime | None


class RunIn(RequestBody):
    """How to grade; the rest is in the plan of the assignment."""

    seed: int = Field(0, ge=0, le=LARGEST_SEED)


class GradeOut(Schema):
    """What one student gets; null where there is nothing to say it from."""

    student: Someone
    work: int | None
    points: float | None
    low: float | None = Field(description="The band; null where staff set the grade.")
    high: float | None
    letter: str
    by_hand: bool
    reviewing: float | None = Field(description="The mark for reviewing, 0 to 100.")
    total: float | None = Field(description="Both by their weights, on the scale of the points.")


class Grades(Schema):
    """Part of the list, and where it comes from."""

    run: RunOut
    is_released: bool = Field(description="Whether students see grades now.")
    scale: str
    count: int
    grades: list[GradeOut]


class WhichRun(ListPart):
    """Which run, and which part."""

    run: str = Field("", max_length=64, description="A run's key; empty: the approved one, else the newest.")


class GradeIn(RequestBody):
    """A grade by hand, on the scale of the plan, and why."""

    points: float = Field(ge=-1e6, le=1e6)
    reason: str = Field(min_length=1, max_length=1000, pattern=NO_NUL)
    member: int | None = Field(None, ge=1, description="One member of a team; null: all who made the work.")


class OverrideOut(Schema):
    """A grade that was set by hand."""

    work: int
    member: int | None
    points: float
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
    """All of them, newest first."""
    return [_run(one) for one in runs_of(scope_of(request).assignment)]


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
    """From what was handed in. Where a run has said that already, it is the answer."""
    found = scope_of(request)
    made = run_services.start_run(assignment=found.assignment, by=found.person, seed=asked.seed)
    return as_json(_run(made).model_dump_json(), status=202)


@router.get(
    "/courses/{course}/assignments/{assignment}/runs/{run}",
    response=RunOut,
    summary="A grading run",
    operation_id="run",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_GRADES)
def run(request: HttpRequest, course: str, assignment: str, run: str) -> RunOut:
    """How far it is."""
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
    """What a release shows from then on."""
    found = scope_of(request)
    run_services.approve_run(run=found.objects["run"], by=found.person)
    return _run(found.objects["run"])


@router.get(
    "/courses/{course}/assignments/{assignment}/grades",
    response=Grades,
    summary="What every student gets",
    operation_id="grades",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_GRADES)
def grades(request: HttpRequest, course: str, assignment: str, which: Query[WhichRun]) -> Any:
    """By the approved run, with grades set by hand; as a release would show them now."""
    where = scope_of(request).assignment
    run = runs_of(where).filter(key=which.run).first() if which.run.isascii() and which.run else None
    if not which.run:
        run = approved_run(where) or last_run(where)
    if run is None or run.drawn_at is None:
        return problem("not-now", "There are no grades yet: start a run, and wait until it is ready.")
    whole = final_grades(run)
    return Grades(
        run=_run(run),
        is_released=where.phase == Phase.RELEASED,
        scale=run.options.get("scale") or "",
        count=len(whole),
        grades=[_grade(one) for one in whole[which.offset : which.offset + which.limit]],
    )


@router.put(
    "/courses/{course}/assignments/{assignment}/works/{int:work}/grade",
    response=OverrideOut,
    summary="Set a grade by hand",
    operation_id="set_grade",
    openapi_extra=REFUSALS,
)
@opens(Action.OVERRIDE)
@takes_json()
def set_grade(request: HttpRequest, course: str, assignment: str, work: int, asked: GradeIn) -> Any:
    """It takes the place of the run's; what stood before is kept, with its end."""
    found = scope_of(request)
    member = None
    if asked.member is not None:
        member = found.course.memberships.filter(pk=asked.member).first()
        if member is None:
            return problem("request", f"Nobody in the course has the number {asked.member}.")
    made = staff_grades.set_grade(
        work=found.objects["work"],
        by=found.person,
        points=asked.points,
        reason=asked.reason,
        membership=member,
    )
    return _override(made)


@router.delete(
    "/courses/{course}/assignments/{assignment}/works/{int:work}/grade",
    response={204: None},
    summary="Take a grade back that was set by hand",
    operation_id="unset_grade",
    openapi_extra=REFUSALS,
)
@opens(Action.OVERRIDE)
def unset_grade(request: HttpRequest, course: str, assignment: str, work: int) -> HttpResponse:
    """The run's grade counts again, for all who made the work; where none was set, nothing changes."""
    found = scope_of(request)
    for one in Override.objects.filter(work=found.objects["work"], withdrawn_at=None):
        staff_grades.unset_grade(override=one, by=found.person)
    return HttpResponse(status=204)


def _run(one: GradingRun) -> RunOut:
    return RunOut(
        run=one.key,
        number=one.number,
        purpose=one.purpose,
        state=one.job.state,
        method=one.method,
        version=one.version,
        inputs_sha256=one.inputs_sha256,
        made_at=one.made_at,
        is_ready=one.drawn_at is not None,
        approved_at=one.approved_at,
    )


def _grade(one: FinalGrade) -> GradeOut:
    return GradeOut(
        student=Someone(**someone(one.membership)),
        work=one.work.pk if one.work is not None else None,
        points=one.points,
        low=one.low,
        high=one.high,
        letter=one.letter,
        by_hand=one.by_hand,
        reviewing=one.reviewing,
        total=one.total,
    )


def _override(one: Override) -> OverrideOut:
    return OverrideOut(
        work=one.work_id, member=one.membership_id, points=one.points, reason=one.reason, at=one.at
    )
