"""Works and rankings of an assignment: who handed in what, who ranked what how; handing in for somebody."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from peerage_web.api.bodies import takes_json
from peerage_web.api.problems import problem
from peerage_web.classes import texts
from peerage_web.classes.api_access import NO_NUL, REFUSALS, ListPart, RequestBody, opens, scope_of
from peerage_web.classes.permissions import Action
from peerage_web.classes.reviewing import queries
from peerage_web.classes.reviewing.ranking_input import FIELD, MOST_WORKS
from peerage_web.classes.reviewing.services import Incomplete, put_ranking

router = Router(tags=["classes"])


class Someone(Schema):
    """Somebody of the course."""

    member: int
    email: str
    student_id: str


class WorkOut(Schema):
    """A work, and who made it."""

    work: int
    label: str = Field(description="As exports and grade books call it.")
    team: str | None
    makers: list[Someone]
    submission: int | None = Field(description="The number of the one that counts; null: not handed in.")
    handed_in_at: datetime | None
    is_late: bool
    taken_out: bool


class Works(Schema):
    """Part of the list."""

    count: int
    works: list[WorkOut]


class CommentOut(Schema):
    """What a reviewer wrote about a work."""

    work: int
    prompt: int | None = Field(description="The question that it answers; null: in general.")
    question: str
    text: str


class RankingOut(Schema):
    """A ranking as it was handed in; of each reviewer, the newest."""

    reviewer: Someone
    number: int
    receipt: str
    sha256: str
    handed_in_at: datetime
    is_late: bool
    order: list[list[int]] = Field(description="Works, best first; those that share a place are tied.")
    comments: list[CommentOut]


class Rankings(Schema):
    """Part of the list."""

    count: int
    rankings: list[RankingOut]


class CommentIn(RequestBody):
    """A comment; added to what stands there already, unless that holds it."""

    work: int = Field(ge=1)
    prompt: int | None = Field(None, ge=1)
    text: str = Field(max_length=FIELD, pattern=NO_NUL)


class RankingIn(RequestBody):
    """A whole order of the works that the reviewer holds, best first."""

    order: list[list[int]] = Field(
        max_length=MOST_WORKS, description="Works, each once; those that share a place are tied."
    )
    comments: list[CommentIn] = Field(default=[], max_length=MOST_WORKS)


@router.get(
    "/courses/{course}/assignments/{assignment}/works",
    response=Works,
    summary="The works of an assignment",
    operation_id="works",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_ALL_WORKS)
def works(request: HttpRequest, course: str, assignment: str, part: Query[ListPart]) -> dict[str, Any]:
    """Also those that were begun and not handed in."""
    count, rows = queries.works_part(scope_of(request).assignment, part.offset, part.limit)
    return {"count": count, "works": rows}


@router.get(
    "/courses/{course}/assignments/{assignment}/rankings",
    response=Rankings,
    summary="The rankings that were handed in",
    operation_id="rankings",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_ALLOCATION)
def rankings(request: HttpRequest, course: str, assignment: str, part: Query[ListPart]) -> dict[str, Any]:
    """Who ranked which works how, and what they wrote."""
    count, rows = queries.rankings_part(scope_of(request).assignment, part.offset, part.limit)
    return {"count": count, "rankings": rows}


@router.put(
    "/courses/{course}/assignments/{assignment}/rankings/{int:member}",
    response=RankingOut,
    summary="Hand in a ranking for somebody",
    operation_id="put_ranking",
    openapi_extra=REFUSALS,
)
@opens(Action.JUDGE_FOR)
@takes_json()
def put(request: HttpRequest, course: str, assignment: str, member: int, asked: RankingIn) -> Any:
    """It counts as the reviewer's, and the record says whose token did it. The same twice is one receipt."""
    found = scope_of(request)
    reviewer = found.objects["member"]
    try:
        handed_in = put_ranking(
            assignment=found.assignment,
            reviewer=reviewer,
            by=found.person,
            order=asked.order,
            comments=[(one.work, one.prompt, one.text) for one in asked.comments],
        )
    except Incomplete as error:
        words = [texts.missing(one.code, one.labels) for one in error.missing]
        return problem("request", " ".join([str(error), *words]))
    return queries.one_ranking(found.assignment, handed_in)
