"""Who is in the course: one by one, and the whole roster at once."""

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from peerage_web.api.problems import problem
from peerage_web.api.validation import as_json, takes_json
from peerage_web.classes import visibility
from peerage_web.classes.api_access import (
    MOST_PEOPLE,
    REFUSALS,
    Email,
    ListPart,
    RequestBody,
    Word,
    forbidden,
    opens,
    scope_of,
)
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.names import by_name
from peerage_web.classes.permissions import Action
from peerage_web.classes.roster import services
from peerage_web.classes.roster.imports import put_roster

router = Router(tags=["classes"])
RoleName = Literal["instructor", "assistant", "student", "observer"]
SHOWN_ERRORS = 200


class PersonOut(Schema):
    """A person in the course."""

    member: int = Field(description="Number of the membership; it is never reused.")
    role: str
    email: str
    name: str
    student_id: str
    section: str
    group: str
    invited_at: datetime | None


class People(Schema):
    """One page of the list, sorted by name."""

    count: int = Field(description="Total number of people.")
    people: list[PersonOut]


class PersonIn(RequestBody):
    """A new person."""

    email: Email
    name: Word = Field("", max_length=200)
    role: RoleName = "student"
    student_id: Word = ""
    section: Word = ""
    invite: bool = Field(False, description="Send an invitation immediately.")


class PersonChange(RequestBody):
    """Fields that are left out stay unchanged."""

    name: Word | None = Field(None, max_length=200)
    student_id: Word | None = None
    section: Word | None = None
    group: Word | None = None
    role: RoleName | None = None


class StudentIn(RequestBody):
    """One row of a roster. Columns that no row contains stay unchanged."""

    email: Word = Field("", max_length=254)
    student_id: Word = ""
    name: Word = Field("", max_length=200)
    section: Word = ""
    group: Word = ""


class RosterIn(RequestBody):
    """The whole roster."""

    students: list[StudentIn] = Field(max_length=MOST_PEOPLE)
    drop_missing: bool = Field(False, description="Drop students who are not in the list.")
    try_only: bool = Field(False, description="Report what would change, without changing anything.")


class RosterOut(Schema):
    """What has changed, or would change."""

    added: int
    changed: int
    taken_back: int
    as_before: int
    dropped: int
    staff: int = Field(description="Rows of people who are staff in this course. They stay unchanged.")
    repeated: int = Field(description="Rows that are the same as an earlier one. They are skipped.")


@router.get(
    "/courses/{course}/people",
    response=People,
    summary="People in a course",
    operation_id="people",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_PEOPLE)
def people(request: HttpRequest, course: str, part: Query[ListPart]) -> dict[str, Any]:
    """Everyone, including people who were dropped."""
    people = by_name(visibility.people_for(scope_of(request).member))
    rows = people[part.offset : part.offset + part.limit]
    return {"count": len(people), "people": [_person(row) for row in rows]}


@router.post(
    "/courses/{course}/people",
    response={201: PersonOut},
    summary="Add a person",
    operation_id="add_person",
    openapi_extra=REFUSALS,
)
@opens(Action.EDIT_STUDENTS)
@takes_json()
def add(request: HttpRequest, course: str, asked: PersonIn) -> Any:
    """Add a person, or re-add one who was dropped. Only instructors' tokens can add staff and observers."""
    scope = scope_of(request)
    if services.is_staff_role(asked.role) and not scope.may(Action.EDIT_STAFF):
        return forbidden(scope, Action.EDIT_STAFF)
    if asked.invite and not scope.may(Action.INVITE_STUDENTS):
        return forbidden(scope, Action.INVITE_STUDENTS)
    fields = asked.model_dump(exclude={"invite", "role"})
    member = services.add_member(course=scope.course, by=scope.person, role=Role(asked.role), **fields)
    if asked.invite:
        services.invite(members=[member], by=scope.person)
        member.refresh_from_db()
    return as_json(_person(member).model_dump_json(), status=201)


@router.get(
    "/courses/{course}/people/{int:member}",
    response=PersonOut,
    summary="A person in a course",
    operation_id="person",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_PEOPLE)
def person(request: HttpRequest, course: str, member: int) -> PersonOut:
    """One membership."""
    return _person(scope_of(request).objects["member"])


@router.patch(
    "/courses/{course}/people/{int:member}",
    response=PersonOut,
    summary="Change a person",
    operation_id="change_person",
    openapi_extra=REFUSALS,
)
@opens(Action.EDIT_STUDENTS)
@takes_json()
def change(request: HttpRequest, course: str, member: int, asked: PersonChange) -> Any:
    """Name, student number, section and group. Only instructors' tokens can change the role."""
    scope = scope_of(request)
    person: Membership = scope.objects["member"]
    if (asked.role is not None or services.is_staff_role(person.role)) and not scope.may(Action.EDIT_STAFF):
        return forbidden(scope, Action.EDIT_STAFF)
    changes = {name: value for name, value in asked.model_dump().items() if value is not None}
    role = changes.pop("role", None)
    services.change_member(member=person, by=scope.person, **changes)
    if role is not None:
        services.change_role(member=person, by=scope.person, role=Role(role))
    return _person(person)


@router.delete(
    "/courses/{course}/people/{int:member}",
    response={204: None},
    summary="Drop a person",
    operation_id="drop_person",
    openapi_extra=REFUSALS,
)
@opens(Action.EDIT_STUDENTS)
def drop(request: HttpRequest, course: str, member: int) -> HttpResponse:
    """They can no longer see the course; what they did is kept. Dropping a person twice has no effect."""
    scope = scope_of(request)
    person: Membership = scope.objects["member"]
    if services.is_staff_role(person.role) and not scope.may(Action.EDIT_STAFF):
        return forbidden(scope, Action.EDIT_STAFF)
    services.drop_member(member=person, by=scope.person)
    return HttpResponse(status=204)


@router.put(
    "/courses/{course}/roster",
    response=RosterOut,
    summary="Replace the roster",
    operation_id="put_roster",
    openapi_extra=REFUSALS,
)
@opens(Action.IMPORT_ROSTER)
@takes_json()
def roster(request: HttpRequest, course: str, asked: RosterIn) -> Any:
    """All or nothing, and idempotent. People are matched by student number, or else by e-mail address."""
    scope = scope_of(request)
    given = {name for student in asked.students for name in student.model_fields_set}
    rows = [{**student.model_dump(), "line": line} for line, student in enumerate(asked.students, start=1)]
    changes = put_roster(
        course=scope.course,
        by=scope.person,
        rows=rows,
        given=given,
        drop_missing=asked.drop_missing,
        try_only=asked.try_only,
    )
    if changes.errors:
        errors = changes.errors[:SHOWN_ERRORS]
        said = [{"line": error.line, "value": error.value, "rule": error.rule} for error in errors]
        detail = "; ".join(f"students.{error.line - 1}: {error.value!r} {error.rule}" for error in errors[:5])
        return problem("data", detail, problems=said)
    return RosterOut(
        added=len(changes.add),
        changed=len(changes.update),
        taken_back=len(changes.take_back),
        as_before=changes.same,
        dropped=len(changes.missing) if asked.drop_missing else 0,
        staff=len(changes.staff),
        repeated=len(changes.repeated),
    )


def _person(member: Membership) -> PersonOut:
    return PersonOut(
        member=member.pk,
        role=member.role,
        email=member.person.email,
        name=member.shown_name,
        student_id=member.student_id,
        section=member.section,
        group=member.group,
        invited_at=member.invited_at,
    )
