"""POST plan: how many reviews per student?"""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from pydantic import ConfigDict, Field

from peerage_web.api.access import who_asks
from peerage_web.api.answers import answered
from peerage_web.api.bodies import LARGEST_SEED, takes_json
from peerage_web.planning.api.schemas import PlanResult
from peerage_web.sandbox.work.allocation import plan_workload

router = Router(tags=["before the term"])

STUDENTS = 2000
PER_STUDENT = 50
REVIEWS_A_SECOND = 8_000  # about how fast a class is planned


class PlanRequest(Schema):
    """A class that is yet to come."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"example": {"students": 120, "per_student": 5}}
    )

    students: int = Field(ge=2, le=STUDENTS, description="Students in the class; each of them reviews.")
    per_student: int = Field(5, ge=2, le=PER_STUDENT, description="Reviews that each would write.")
    items: int | None = Field(None, ge=3, le=STUDENTS, description="Submissions, where they work in groups.")
    reliability: float = Field(1.0, ge=0.01, le=100, description="What a review is worth; 1 is typical.")
    lazy: float = Field(0.0, ge=0, le=0.99, description="Share of students who would grade at random.")
    feedback: Literal["orders", "scores"] = "orders"
    bands: int = Field(4, ge=2, le=50, description="Grade bands of equal size, for the boundary error.")
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="The same seed gives the same figures.")


@router.post("/plan", response=PlanResult, summary="How many reviews per student?", operation_id="plan")
@takes_json()
def plan(request: HttpRequest, asked: PlanRequest) -> HttpResponse:
    """What accuracy to expect of several workloads, from simulated classes like this one."""
    cost = asked.students * asked.per_student / REVIEWS_A_SECOND
    return answered(
        plan_workload, asked.model_dump(), command="peerage plan", visitor=who_asks(request), cost=cost
    )
