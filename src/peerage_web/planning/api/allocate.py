"""POST allocate: who reviews what."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from pydantic import ConfigDict, Field, StringConstraints

from peerage.allocation.designs import DEFAULT, DesignName
from peerage_web.api.access import who_asks
from peerage_web.api.answers import answered
from peerage_web.api.bodies import LARGEST_SEED, takes_json
from peerage_web.api.invalid import FieldsError
from peerage_web.planning.api.schemas import Allocation
from peerage_web.sandbox.work.allocation import allocate_reviews

router = Router(tags=["before the term"])

PEOPLE = 5000
REVIEWS = 100  # per person
REVIEWS_A_SECOND = 20_000  # about how fast they are allocated
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]


class Person(Schema):
    """One row of the roster."""

    model_config = ConfigDict(extra="forbid", strict=True)

    student: Name
    group: Name | None = None
    section: Name | None = None
    email: Name | None = None
    conflicts: list[Name] = Field(default=[], max_length=200, description="Students or groups not to review.")
    role: Literal["student", "staff", "external"] = "student"
    submits: bool | None = Field(None, description="By default students do, staff and externals do not.")
    reviews: int | None = Field(None, ge=0, le=REVIEWS, description="The person's own number.")


class AllocationRequest(Schema):
    """Give `students` (names) or `roster` (rows), and how many reviews everybody gives."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"example": {"students": ["ada", "ben", "cem", "dia"], "per_grader": 2}},
    )

    per_grader: int = Field(ge=1, le=REVIEWS, description="Reviews per grader.")
    students: list[Name] | None = Field(None, max_length=PEOPLE)
    roster: list[Person] | None = Field(None, max_length=PEOPLE)
    design: DesignName = DEFAULT
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="The same seed gives the same lists.")
    submissions: Literal["student", "group"] = "student"
    sections: Literal["pooled", "apart"] = "pooled"
    conflicts: Literal["mutual", "declared"] = "mutual"
    per_staff: int | None = Field(None, ge=0, le=REVIEWS)
    anchors: Annotated[int, Field(ge=1, le=PEOPLE)] | list[Name] = Field(
        5, description="With the design calibrated: how many anchors, or which."
    )


@router.post("/allocate", response=Allocation, summary="Who reviews what", operation_id="allocate")
@takes_json()
def allocate(request: HttpRequest, asked: AllocationRequest) -> HttpResponse:
    """Lists that connect the class, bring the same pair together rarely, and keep every rule.

    Nobody gets their own work, their group's, work they have a conflict with, or an item twice. If that
    cannot be, the problem says who is in the way, why, and what would help.
    """
    rules = asked.model_dump(exclude={"per_grader", "students", "roster"})
    columns = _columns(asked)
    return answered(
        allocate_reviews,
        columns,
        asked.per_grader,
        rules,
        command="peerage allocate ROSTER",
        visitor=who_asks(request),
        cost=len(columns["student"]) * asked.per_grader / REVIEWS_A_SECOND,
    )


def _columns(asked: AllocationRequest) -> dict[str, list[Any]]:
    if (asked.students is None) == (asked.roster is None):
        raise FieldsError([("students", "or roster must be given, and not both")])
    if asked.roster is None:
        return {"student": list(asked.students or [])}
    rows = [person.model_dump() for person in asked.roster]
    columns = {name: [row[name] for row in rows] for name in Person.model_fields}
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
