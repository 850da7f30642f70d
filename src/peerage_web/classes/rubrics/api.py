"""The rubric of an assignment, to read."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from peerage_web.classes.api_access import REFUSALS, opens, scope_of
from peerage_web.classes.permissions import Action
from peerage_web.classes.rubrics.queries import criteria_of

router = Router(tags=["classes"])


class LevelOut(Schema):
    """A level of a criterion."""

    level: int
    name: str
    description: str
    points: float


class CriterionOut(Schema):
    """A criterion of the rubric."""

    criterion: int
    name: str
    description: str
    required: bool = Field(description="Whether reviewers must choose a level before they submit.")
    levels: list[LevelOut]


@router.get(
    "/courses/{course}/assignments/{assignment}/rubric",
    response=list[CriterionOut],
    summary="Rubric of an assignment",
    operation_id="rubric",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_ASSIGNMENT)
def rubric(request: HttpRequest, course: str, assignment: str) -> list[dict[str, Any]]:
    """Its criteria and their levels, in the order in which reviewers see them."""
    return [
        {
            "criterion": criterion.pk,
            "name": criterion.name,
            "description": criterion.description,
            "required": criterion.required,
            "levels": [
                {
                    "level": level.pk,
                    "name": level.name,
                    "description": level.description,
                    "points": level.points,
                }
                for level in criterion.levels.all()
            ],
        }
        for criterion in criteria_of(scope_of(request).assignment)
    ]
