"""The course that the token opens: what it is called and when its clocks strike."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from peerage_web.api.validation import takes_json
from peerage_web.classes.api_access import REFUSALS, Name, RequestBody, Word, opens, scope_of
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.courses.services import change_course
from peerage_web.classes.permissions import Action

router = Router(tags=["classes"])


class CourseOut(Schema):
    """A course."""

    key: str
    name: str
    term: str
    time_zone: str
    language: str = Field(
        description="Language of e-mails to people who have not chosen one. Empty: the site default."
    )
    created_at: datetime
    role: str = Field(description="Current role of the person who created the token.")
    may_write: bool = Field(description="Whether the token can make changes.")


class CourseChange(RequestBody):
    """Fields that are left out stay unchanged."""

    name: Name | None = None
    term: Word | None = Field(None, max_length=60)
    time_zone: Word | None = Field(None, max_length=60, description="IANA name, for example Europe/Berlin.")
    language: Word | None = Field(None, max_length=10)


@router.get(
    "/courses",
    response=list[CourseOut],
    summary="The courses of this token",
    operation_id="courses",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_COURSE)
def courses(request: HttpRequest) -> list[CourseOut]:
    """The one course that the token gives access to. Start here."""
    return [_course(request)]


@router.get(
    "/courses/{course}",
    response=CourseOut,
    summary="A course",
    operation_id="course",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_COURSE)
def course(request: HttpRequest, course: str) -> CourseOut:
    """Its name, term, time zone and language."""
    return _course(request)


@router.patch(
    "/courses/{course}",
    response=CourseOut,
    summary="Change a course",
    operation_id="change_course",
    openapi_extra=REFUSALS,
)
@opens(Action.EDIT_COURSE)
@takes_json()
def change(request: HttpRequest, course: str, asked: CourseChange) -> Any:
    """Change the given fields."""
    scope = scope_of(request)
    changes = {name: value for name, value in asked.model_dump().items() if value is not None}
    change_course(course=scope.course, by=scope.person, **changes)
    return _course(request)


def _course(request: HttpRequest) -> CourseOut:
    scope = scope_of(request)
    member: Membership = scope.member
    course: Course = scope.course
    return CourseOut(
        key=course.key,
        name=course.name,
        term=course.term,
        time_zone=course.time_zone,
        language=course.language,
        created_at=course.created_at,
        role=member.role,
        may_write=scope.token is not None and scope.token.may_write,
    )
