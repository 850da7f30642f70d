"""What is asked before the term: which methods there are, who reviews what, how many reviews per student."""

from functools import cache
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from pydantic import ConfigDict, Field, StringConstraints

from peerage.allocation.designs import DEFAULT, DesignName
from peerage_web.api.access import client_of
from peerage_web.api.validation import LARGEST_SEED, FieldsError, answer_from_sandbox, takes_json
from peerage_web.sandbox.work.allocation import allocate_reviews, list_methods, plan_workload
from peerage_web.shared.services.sandbox_slots import ask_sandbox


class MethodDescription(Schema):
    """A grading method."""

    code: str = Field(examples=["PL"])
    name: str = Field(examples=["PlackettLuce"])
    summary: str = Field(description="One-line description.")
    takes: list[Literal["orders", "pairs", "scores", "orders+scores"]]
    with_reliability: str | None = Field(
        description="The code that also estimates graders' reliability, if there is one.", examples=["PL+G"]
    )
    parameters: dict[str, Any] = Field(description="Parameters and their defaults.")


class AllocatedReview(Schema):
    """One assigned review."""

    grader: str
    item: str
    slot: int = Field(description="Position in the grader's list, starting at 1.")
    email: str | None = None


class AllocationQuality(Schema):
    """How good the allocation is for the estimator; docs/explanation/allocation.md explains the figures."""

    n_graders: int
    n_items: int
    n_reviews: int
    loads: dict[str, int] = Field(description="For each number of reviews, how many items receive it.")
    lists: dict[str, int] = Field(description="For each number of reviews, how many graders write it.")
    components: int
    repeated_pairs: int
    most_together: int
    covered_pairs: float
    spectral_gap: float


class AllocationResult(Schema):
    """Who reviews what."""

    design: str
    seed: int
    anchors: list[str]
    notes: list[str]
    quality: AllocationQuality
    reviews: list[AllocatedReview]


class Workload(Schema):
    """Expected accuracy for one number of reviews per student, in percent."""

    reviews_per_student: int
    reviews_per_item: float
    tau_error: float = Field(description="% of pairs ranked differently than infinitely many peers would.")
    tau_error_se: float
    staff_tau_error: float = Field(description="The same, against staff.")
    boundary_error: float = Field(description="% of submissions in the wrong band.")
    interval: float = Field(
        description="90% of submissions are within this many percentile points of their true rank."
    )


class PlanResult(Schema):
    """Expected accuracy for several workloads."""

    per_student: int
    workloads: list[Workload]


router = Router(tags=["before the term"])


@router.get(
    "/methods",
    response=list[MethodDescription],
    summary="Grading methods",
    operation_id="methods",
    tags=["methods"],
)
def methods(request: HttpRequest) -> Any:
    """Every method, with a one-line description, its input, and its parameters."""
    return _methods()


@cache
def _methods() -> Any:
    """They do not change while the service runs."""
    return ask_sandbox(list_methods)


PEOPLE = 5000
REVIEWS = 100  # per person
ALLOCATED_A_SECOND = 20_000  # about how fast they are allocated
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]


class RosterRow(Schema):
    """One row of the roster."""

    model_config = ConfigDict(extra="forbid", strict=True)

    student: Name
    group: Name | None = None
    section: Name | None = None
    email: Name | None = None
    conflicts: list[Name] = Field(
        default=[], max_length=200, description="Students or groups that this person must not review."
    )
    role: Literal["student", "staff", "external"] = "student"
    submits: bool | None = Field(
        None,
        description="Whether the person submits. Default: students do, staff and external reviewers do not.",
    )
    reviews: int | None = Field(
        None, ge=0, le=REVIEWS, description="Number of reviews for this person, if different."
    )


class AllocationRequest(Schema):
    """Give `students` (names) or `roster` (rows), and the number of reviews per grader."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"example": {"students": ["ada", "ben", "cem", "dia"], "per_grader": 2}},
    )

    per_grader: int = Field(ge=1, le=REVIEWS, description="Reviews per grader.")
    students: list[Name] | None = Field(None, max_length=PEOPLE)
    roster: list[RosterRow] | None = Field(None, max_length=PEOPLE)
    design: DesignName = DEFAULT
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="The same seed gives the same lists.")
    submissions: Literal["student", "group"] = "student"
    sections: Literal["pooled", "apart"] = "pooled"
    conflicts: Literal["mutual", "declared"] = "mutual"
    per_staff: int | None = Field(None, ge=0, le=REVIEWS)
    anchors: Annotated[int, Field(ge=1, le=PEOPLE)] | list[Name] = Field(
        5, description="For the design `calibrated`: how many anchors, or which ones."
    )


@router.post("/allocate", response=AllocationResult, summary="Allocate reviews", operation_id="allocate")
@takes_json()
def allocate(request: HttpRequest, asked: AllocationRequest) -> HttpResponse:
    """Allocate reviews so that the whole class is connected and few pairs repeat.

    Nobody reviews their own or their group's submission, one they have a conflict with, or an item twice. If
    the rules cannot all be met, the problem says who is affected, why, and what would help.
    """
    rules = asked.model_dump(exclude={"per_grader", "students", "roster"})
    columns = _columns(asked)
    return answer_from_sandbox(
        allocate_reviews,
        columns,
        asked.per_grader,
        rules,
        command="peerage allocate ROSTER",
        visitor=client_of(request),
        cost=len(columns["student"]) * asked.per_grader / ALLOCATED_A_SECOND,
    )


def _columns(asked: AllocationRequest) -> dict[str, list[Any]]:
    if (asked.students is None) == (asked.roster is None):
        raise FieldsError([("students", "or roster must be given, and not both")])
    if asked.roster is None:
        return {"student": list(asked.students or [])}
    rows = [person.model_dump() for person in asked.roster]
    columns = {name: [row[name] for row in rows] for name in RosterRow.model_fields}
    columns["conflicts"] = [_joined(names) for names in columns["conflicts"]]
    columns["submits"] = [{None: None, True: "yes", False: "no"}[cell] for cell in columns["submits"]]
    columns["reviews"] = [None if cell is None else str(cell) for cell in columns["reviews"]]
    return {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}


def _joined(names: list[str]) -> str | None:
    """As in the file; a name with a semicolon in it would become two."""
    for name in names:
        if ";" in name:
            raise FieldsError([("roster.conflicts", f"must not hold a semicolon: {name!r}")])
    return ";".join(names) or None


STUDENTS = 2000
PER_STUDENT = 50
PLANNED_A_SECOND = 8_000  # about how fast a class is planned


class PlanRequest(Schema):
    """A planned class."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"example": {"students": 120, "per_student": 5}}
    )

    students: int = Field(ge=2, le=STUDENTS, description="Students in the class; each of them reviews.")
    per_student: int = Field(5, ge=2, le=PER_STUDENT, description="Reviews per student.")
    items: int | None = Field(
        None, ge=3, le=STUDENTS, description="Number of submissions, if students work in groups."
    )
    reliability: float = Field(
        1.0, ge=0.01, le=100, description="Average reliability of a review; 1 is typical."
    )
    lazy: float = Field(0.0, ge=0, le=0.99, description="Share of students who grade at random.")
    feedback: Literal["orders", "scores"] = "orders"
    bands: int = Field(4, ge=2, le=50, description="Grade bands of equal size, for the boundary error.")
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="The same seed gives the same figures.")


@router.post("/plan", response=PlanResult, summary="How many reviews per student?", operation_id="plan")
@takes_json()
def plan(request: HttpRequest, asked: PlanRequest) -> HttpResponse:
    """Expected accuracy of several workloads, from simulated classes like this one."""
    cost = asked.students * asked.per_student / PLANNED_A_SECOND
    return answer_from_sandbox(
        plan_workload, asked.model_dump(), command="peerage plan", visitor=client_of(request), cost=cost
    )
