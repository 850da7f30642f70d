"""Assignments: what they ask for, their dates, and their phase."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from peerage_web.api.bodies import as_json, takes_json
from peerage_web.api.validation import FieldsError
from peerage_web.classes import visibility
from peerage_web.classes.api_access import (
    NO_NUL,
    REFUSALS,
    Moment,
    Name,
    RequestBody,
    forbidden,
    opens,
    scope_of,
)
from peerage_web.classes.assignments import services
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.permissions import Action
from peerage_web.classes.phases import queries as stepper
from peerage_web.classes.phases import state_machine
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.scope import RequestScope

router = Router(tags=["classes"])
StepCode = Literal[
    "publish", "stop-submitting", "start-reviewing", "close", "release",
    "unpublish", "submit-again", "allocate-again", "review-again", "retract",
]  # fmt: skip
OF_RELEASES = ("release", "retract")
WHEN = ("opens_at", "due_at", "late_until", "reviews_due_at", "release_at")


class StepOut(Schema):
    """A step to another phase: what it is called, when it is taken by itself, what is in its way."""

    step: str
    to: str
    at: datetime | None
    blockers: list[str]
    warnings: list[str]


class AssignmentOut(Schema):
    """An assignment."""

    key: str
    title: str
    instructions: str = Field(description="Markdown.")
    phase: str = Field(description="setup, submitting, allocating, reviewing, closed or released.")
    phase_since: datetime | None
    by_date: bool = Field(description="Whether dates move it on.")
    in_teams: bool
    opens_at: datetime | None
    due_at: datetime | None
    late_until: datetime | None
    reviews_due_at: datetime | None
    release_at: datetime | None
    reviews_per_student: int
    review_weight: int = Field(description="Per cent of the mark, for reviewing.")


class AssignmentState(AssignmentOut):
    """An assignment, how far the class is, and the steps from here."""

    figures: dict[str, int] | None = Field(description="For staff and observers.")
    onward: StepOut | None = Field(description="For staff.")
    back: StepOut | None


class Dates(RequestBody):
    """Dates in their order; null takes one away, what is not named stays."""

    opens_at: Moment | None = None
    due_at: Moment | None = None
    late_until: Moment | None = None
    reviews_due_at: Moment | None = None
    release_at: Moment | None = None


class AssignmentIn(Dates):
    """A new assignment, in the phase setup."""

    title: Name
    instructions: str = Field("", max_length=50_000, pattern=NO_NUL)
    in_teams: bool = False
    reviews_per_student: int = Field(5, ge=1, le=50)
    review_weight: int = Field(20, ge=0, le=100)


class AssignmentChange(Dates):
    """What is not named stays as it is."""

    title: Name | None = None
    instructions: str | None = Field(None, max_length=50_000, pattern=NO_NUL)
    reviews_per_student: int | None = Field(None, ge=1, le=50)
    review_weight: int | None = Field(None, ge=0, le=100)
    by_date: bool | None = None


class StepIn(RequestBody):
    """Which step."""

    step: StepCode


@router.get(
    "/courses/{course}/assignments",
    response=list[AssignmentOut],
    summary="The assignments of a course",
    operation_id="assignments",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_COURSE)
def assignments(request: HttpRequest, course: str) -> list[dict[str, Any]]:
    """All that the token's maker sees."""
    return [_fields(one) for one in visibility.assignments_for(scope_of(request).member)]


@router.post(
    "/courses/{course}/assignments",
    response={201: AssignmentState},
    summary="Create an assignment",
    operation_id="create_assignment",
    openapi_extra=REFUSALS,
)
@opens(Action.CREATE_ASSIGNMENT)
@takes_json()
def create(request: HttpRequest, course: str, asked: AssignmentIn) -> Any:
    """In the phase setup, with the usual two questions to reviewers."""
    found = scope_of(request)
    prompts = [(text, False) for text in services.default_prompts()]
    found.at = services.create_assignment(
        course=found.course, by=found.person, prompts=prompts, **asked.model_dump()
    )
    return as_json(_state(found).model_dump_json(), status=201)


@router.get(
    "/courses/{course}/assignments/{assignment}",
    response=AssignmentState,
    summary="An assignment",
    operation_id="assignment",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_ASSIGNMENT)
def assignment(request: HttpRequest, course: str, assignment: str) -> AssignmentState:
    """Its phase, dates and figures; for staff the steps from here, and what is in their way."""
    return _state(scope_of(request))


@router.patch(
    "/courses/{course}/assignments/{assignment}",
    response=AssignmentState,
    summary="Change an assignment",
    operation_id="change_assignment",
    openapi_extra=REFUSALS,
)
@opens(Action.EDIT_ASSIGNMENT)
@takes_json()
def change(request: HttpRequest, course: str, assignment: str, asked: AssignmentChange) -> Any:
    """Change what is named; every change is in the record of the course."""
    found = scope_of(request)
    given = asked.model_dump(exclude_unset=True)
    empty = [name for name, value in given.items() if value is None and name not in WHEN]
    if empty:
        raise FieldsError([(name, "must not be null; leave it out to keep it") for name in empty])
    if given.keys() & set(WHEN) and not found.may(Action.EDIT_DATES):
        return forbidden(found, Action.EDIT_DATES)
    services.change_assignment(assignment=found.assignment, by=found.person, **given)
    return _state(found)


@router.post(
    "/courses/{course}/assignments/{assignment}/phase",
    response=AssignmentState,
    summary="Move an assignment on or back",
    operation_id="take_step",
    openapi_extra=REFUSALS,
)
@opens(Action.MOVE_PHASE)
@takes_json()
def phase(request: HttpRequest, course: str, assignment: str, asked: StepIn) -> Any:
    """Take a step; 422 with all that is in its way. Grades are released by instructors' tokens only."""
    found = scope_of(request)
    if asked.step in OF_RELEASES and not found.may(Action.RELEASE):
        return forbidden(found, Action.RELEASE)
    take_step(assignment=found.assignment, code=asked.step, by=found.person)
    return _state(found)


def _fields(one: Assignment) -> dict[str, Any]:
    return {name: getattr(one, name) for name in AssignmentOut.model_fields}


def _state(found: RequestScope) -> AssignmentState:
    one = found.assignment
    moves, sees = found.may(Action.MOVE_PHASE), found.may(Action.SEE_PROGRESS)
    return AssignmentState(
        **_fields(one),
        figures=stepper.figures(one) if sees else None,
        onward=_step(stepper.next_step(one)) if moves else None,
        back=_step(stepper.previous_step(one)) if moves else None,
    )


def _step(offer: stepper.StepOffer | None) -> StepOut | None:
    if offer is None:
        return None
    target = state_machine.BY_CODE[offer.step.code].target.value
    return StepOut(
        step=offer.step.code, to=target, at=offer.at, blockers=offer.blockers, warnings=offer.warnings
    )
