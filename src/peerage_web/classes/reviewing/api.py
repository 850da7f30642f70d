"""Submissions and rankings of an assignment: who submitted, who ranked what how; ranking for somebody."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from peerage_web.api.problems import problem
from peerage_web.api.validation import takes_json
from peerage_web.classes import texts
from peerage_web.classes.api_access import NO_NUL, REFUSALS, ListPart, RequestBody, opens, scope_of
from peerage_web.classes.permissions import Action
from peerage_web.classes.reviewing import queries
from peerage_web.classes.reviewing.ranking_input import FIELD, MOST_SUBMISSIONS
from peerage_web.classes.reviewing.services import Incomplete, put_ranking
from peerage_web.classes.rubrics.services import MOST_CRITERIA

router = Router(tags=["classes"])


class Someone(Schema):
    """A person in the course."""

    member: int
    email: str
    student_id: str


class SubmissionOut(Schema):
    """A submission and its authors."""

    submission: int
    label: str = Field(description="Its label in exports and gradebooks.")
    team: str | None
    authors: list[Someone]
    version: int | None = Field(description="Number of the version that counts; null: not submitted yet.")
    submitted_at: datetime | None
    is_late: bool
    excluded: bool


class Submissions(Schema):
    """One page of the list."""

    count: int
    submissions: list[SubmissionOut]


class CommentOut(Schema):
    """A comment by a reviewer on a submission."""

    submission: int
    prompt: int | None = Field(description="The question it answers; null: a general comment.")
    question: str
    text: str


class ChosenLevelOut(Schema):
    """The level of the rubric that a reviewer chose for a submission."""

    submission: int
    criterion: int
    criterion_name: str
    level: int
    level_name: str
    points: float


class RankingOut(Schema):
    """The latest ranking that a reviewer submitted."""

    reviewer: Someone
    number: int
    receipt: str
    sha256: str
    submitted_at: datetime
    is_late: bool
    order: list[list[int]] = Field(description="Submissions, best first; those in the same list are tied.")
    comments: list[CommentOut]
    levels: list[ChosenLevelOut]


class Rankings(Schema):
    """One page of the list."""

    count: int
    rankings: list[RankingOut]


class CommentIn(RequestBody):
    """A comment. It is appended to an existing one, unless that already contains it."""

    submission: int = Field(ge=1)
    prompt: int | None = Field(None, ge=1)
    text: str = Field(max_length=FIELD, pattern=NO_NUL)


class ChosenLevelIn(RequestBody):
    """A level of the rubric. It replaces an earlier choice."""

    submission: int = Field(ge=1)
    criterion: int = Field(ge=1)
    level: int = Field(ge=1)


class RankingIn(RequestBody):
    """A complete ranking of the submissions assigned to the reviewer, best first."""

    order: list[list[int]] = Field(
        max_length=MOST_SUBMISSIONS,
        description="Every submission exactly once; those in the same list are tied.",
    )
    comments: list[CommentIn] = Field(default=[], max_length=MOST_SUBMISSIONS)
    levels: list[ChosenLevelIn] = Field(default=[], max_length=MOST_SUBMISSIONS * MOST_CRITERIA)


@router.get(
    "/courses/{course}/assignments/{assignment}/submissions",
    response=Submissions,
    summary="Submissions of an assignment",
    operation_id="submissions",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_SUBMISSIONS)
def submissions(request: HttpRequest, course: str, assignment: str, part: Query[ListPart]) -> dict[str, Any]:
    """Includes drafts that were not submitted."""
    count, rows = queries.submissions_part(scope_of(request).assignment, part.offset, part.limit)
    return {"count": count, "submissions": rows}


@router.get(
    "/courses/{course}/assignments/{assignment}/rankings",
    response=Rankings,
    summary="Submitted rankings",
    operation_id="rankings",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_ALLOCATION)
def rankings(request: HttpRequest, course: str, assignment: str, part: Query[ListPart]) -> dict[str, Any]:
    """Who ranked which submissions, in which order, their comments and the levels they chose."""
    count, rows = queries.rankings_part(scope_of(request).assignment, part.offset, part.limit)
    return {"count": count, "rankings": rows}


@router.put(
    "/courses/{course}/assignments/{assignment}/rankings/{int:member}",
    response=RankingOut,
    summary="Submit a ranking on behalf of a reviewer",
    operation_id="put_ranking",
    openapi_extra=REFUSALS,
)
@opens(Action.RANK_FOR_REVIEWER)
@takes_json()
def put(request: HttpRequest, course: str, assignment: str, member: int, asked: RankingIn) -> Any:
    """Counts as the reviewer's own; the activity log names the token's creator. Repeating it is safe."""
    scope = scope_of(request)
    reviewer = scope.objects["member"]
    try:
        submitted = put_ranking(
            assignment=scope.assignment,
            reviewer=reviewer,
            by=scope.person,
            order=asked.order,
            comments=[(comment.submission, comment.prompt, comment.text) for comment in asked.comments],
            levels=[(chosen.submission, chosen.criterion, chosen.level) for chosen in asked.levels],
        )
    except Incomplete as error:
        words = [texts.missing(missing.code, missing.labels, missing.least) for missing in error.missing]
        return problem("request", " ".join([str(error), *words]))
    return queries.one_ranking(scope.assignment, submitted)
