"""Assignments: what they ask for, their dates, and their phase."""

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from peerage_web.api.validation import FieldsError, as_json, takes_json
from peerage_web.classes import permissions, visibility
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
from peerage_web.classes.phases.services import confirm_approved, take_step
from peerage_web.classes.scope import RequestScope

router = Router(tags=["classes"])
StepCode = Literal[
    "publish", "stop-submitting", "start-reviewing", "close", "release",
    "unpublish", "submit-again", "allocate-again", "review-again", "retract",
]  # fmt: skip
OF_RELEASES = ("release", "retract")
WHEN = ("opens_at", "due_at", "late_until", "reviews_due_at", "release_at")


class StepOut(Schema):
    """A step to another phase: its name, its automatic date, and what blocks it."""

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
    by_date: bool = Field(description="Whether dates advance it to the next phase automatically.")
    in_teams: bool
    opens_at: datetime | None
    due_at: datetime | None
    late_until: datetime | None
    reviews_due_at: datetime | None
    release_at: datetime | None
    reviews_per_student: int
    review_weight: int = Field(description="Reviewing, as a percentage of the total grade.")


class AssignmentState(AssignmentOut):
    """An assignment, the progress of the class, and the possible steps."""

    figures: dict[str, int] | None = Field(description="For staff and observers.")
    onward: StepOut | None = Field(description="For staff.")
    back: StepOut | None


class Dates(RequestBody):
    """Dates, in chronological order. Null removes a date; fields that are left out stay unchanged."""

    opens_at: Moment | None = None
    due_at: Moment | None = None
    late_until: Moment | None = None
    reviews_due_at: Moment | None = None
    release_at: Moment | None = None


class AssignmentIn(Dates):
    """A new assignment. It starts in the phase `setup`."""

    title: Name
    instructions: str = Field("", max_length=50_000, pattern=NO_NUL)
    in_teams: bool = False
    reviews_per_student: int = Field(5, ge=1, le=50)
    review_weight: int = Field(20, ge=0, le=100)


class AssignmentChange(Dates):
    """Fields that are left out stay unchanged."""

    title: Name | None = None
    instructions: str | None = Field(None, max_length=50_000, pattern=NO_NUL)
    reviews_per_student: int | None = Field(None, ge=1, le=50)
    review_weight: int | None = Field(None, ge=0, le=100)
    by_date: bool | None = None


class StepIn(RequestBody):
    """The step to take."""

    step: StepCode
    confirm: bool = Field(
        False,
        description="For `release`: unusual grades, such as many that fail, are meant as they are.",
    )


@router.get(
    "/courses/{course}/assignments",
    response=list[AssignmentOut],
    summary="The assignments of a course",
    operation_id="assignments",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_COURSE)
def assignments(request: HttpRequest, course: str) -> list[dict[str, Any]]:
    """All assignments that the creator of the token can see."""
    return [_fields(assignment) for assignment in visibility.assignments_for(scope_of(request).member)]


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
    """It starts in the phase `setup`, with the two default questions for reviewers.

    Only instructors' tokens can set `release_at`.
    """
    scope = scope_of(request)
    if asked.release_at is not None and not permissions.may(Action.RELEASE, scope.role):
        return forbidden(scope, Action.RELEASE)
    prompts = [(text, False) for text in services.default_prompts()]
    scope.at = services.create_assignment(
        course=scope.course, by=scope.person, prompts=prompts, **asked.model_dump()
    )
    return as_json(_state(scope).model_dump_json(), status=201)


@router.get(
    "/courses/{course}/assignments/{assignment}",
    response=AssignmentState,
    summary="An assignment",
    operation_id="assignment",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_ASSIGNMENT)
def assignment(request: HttpRequest, course: str, assignment: str) -> AssignmentState:
    """Its phase, dates and figures. Staff also get the possible steps and what blocks them."""
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
    """Change the given fields. The activity log of the course records every change.

    Only instructors' tokens can change `release_at`, or turn `by_date` on where it is set.
    """
    scope = scope_of(request)
    changes = asked.model_dump(exclude_unset=True)
    empty = [name for name, value in changes.items() if value is None and name not in WHEN]
    if empty:
        raise FieldsError(
            [(name, "must not be null; leave it out to keep the current value") for name in empty]
        )
    if changes.keys() & set(WHEN) and not scope.may(Action.EDIT_DATES):
        return forbidden(scope, Action.EDIT_DATES)
    releases = services.schedules_release(scope.assignment, changes)
    if releases and not permissions.may(Action.RELEASE, scope.role):
        return forbidden(scope, Action.RELEASE)
    services.change_assignment(assignment=scope.assignment, by=scope.person, **changes)
    return _state(scope)


@router.post(
    "/courses/{course}/assignments/{assignment}/phase",
    response=AssignmentState,
    summary="Move an assignment to another phase",
    operation_id="take_step",
    openapi_extra=REFUSALS,
)
@opens(Action.MOVE_PHASE)
@takes_json()
def phase(request: HttpRequest, course: str, assignment: str, asked: StepIn) -> Any:
    """Take a step; 422 lists everything that blocks it. Only instructors' tokens can release grades."""
    scope = scope_of(request)
    if asked.step in OF_RELEASES and not scope.may(Action.RELEASE):
        return forbidden(scope, Action.RELEASE)
    if asked.step == "release" and asked.confirm:
        confirm_approved(assignment=scope.assignment, by=scope.person)
    take_step(assignment=scope.assignment, code=asked.step, by=scope.person)
    return _state(scope)


def _fields(assignment: Assignment) -> dict[str, Any]:
    return {name: getattr(assignment, name) for name in AssignmentOut.model_fields}


def _state(scope: RequestScope) -> AssignmentState:
    assignment = scope.assignment
    moves, sees = scope.may(Action.MOVE_PHASE), scope.may(Action.SEE_PROGRESS)
    return AssignmentState(
        **_fields(assignment),
        figures=stepper.figures(assignment) if sees else None,
        onward=_step(stepper.next_step(assignment)) if moves else None,
        back=_step(stepper.previous_step(assignment)) if moves else None,
    )


def _step(offer: stepper.StepOffer | None) -> StepOut | None:
    if offer is None:
        return None
    target = state_machine.BY_CODE[offer.step.code].target.value
    return StepOut(
        step=offer.step.code, to=target, at=offer.at, blockers=offer.blockers, warnings=offer.warnings
    )
