"""Who is in the course: one by one, and the whole roster at once."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from peerage_web.api.bodies import as_json, takes_json
from peerage_web.api.problems import problem
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
from peerage_web.classes.permissions import Action
from peerage_web.classes.roster import services
from peerage_web.classes.roster.imports import put_roster

router = Router(tags=["classes"])
RoleName = Literal["instructor", "assistant", "student", "observer"]
SHOWN_ERRORS = 200


class PersonOut(Schema):
    """Somebody in the course."""

    member: int = Field(description="The number of their place in the course; never another's.")
    role: str
    email: str
    name: str
    student_id: str
    section: str
    group: str
    invited_at: datetime | None


class People(Schema):
    """Part of the list, sorted by name."""

    count: int = Field(description="Of all of them.")
    people: list[PersonOut]


class PersonIn(RequestBody):
    """Somebody new."""

    email: Email
    name: Word = Field("", max_length=200)
    role: RoleName = "student"
    student_id: Word = ""
    section: Word = ""
    invite: bool = Field(False, description="Send them an invitation at once.")


class PersonChange(RequestBody):
    """What is not named stays as it is."""

    name: Word | None = Field(None, max_length=200)
    student_id: Word | None = None
    section: Word | None = None
    group: Word | None = None
    role: RoleName | None = None


class StudentIn(RequestBody):
    """One row of a roster; columns that no row has change nothing."""

    email: Word = Field("", max_length=254)
    student_id: Word = ""
    name: Word = Field("", max_length=200)
    section: Word = ""
    group: Word = ""


class RosterIn(RequestBody):
    """The whole roster."""

    students: list[StudentIn] = Field(max_length=MOST_PEOPLE)
    drop_missing: bool = Field(False, description="Drop students who are not in the list.")
    try_only: bool = Field(False, description="Say what would change, and change nothing.")


class RosterOut(Schema):
    """What has changed, or would."""

    added: int
    changed: int
    taken_back: int
    as_before: int
    dropped: int
    staff: int = Field(description="Rows of people who are staff here, and stay as they are.")


@router.get(
    "/courses/{course}/people",
    response=People,
    summary="Who is in a course",
    operation_id="people",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_PEOPLE)
def people(request: HttpRequest, course: str, part: Query[ListPart]) -> dict[str, Any]:
    """Everybody, also who has dropped the course."""
    found = visibility.people_for(scope_of(request).member).order_by("name", "pk")
    rows = found[part.offset : part.offset + part.limit]
    return {"count": found.count(), "people": [_person(one) for one in rows]}


@router.post(
    "/courses/{course}/people",
    response={201: PersonOut},
    summary="Add somebody",
    operation_id="add_person",
    openapi_extra=REFUSALS,
)
@opens(Action.EDIT_STUDENTS)
@takes_json()
def add(request: HttpRequest, course: str, asked: PersonIn) -> Any:
    """Add somebody, or take them back; only instructors' tokens may add staff and observers."""
    found = scope_of(request)
    if services.is_staff_role(asked.role) and not found.may(Action.EDIT_STAFF):
        return forbidden(found, Action.EDIT_STAFF)
    if asked.invite and not found.may(Action.INVITE_STUDENTS):
        return forbidden(found, Action.INVITE_STUDENTS)
    fields = asked.model_dump(exclude={"invite", "role"})
    member = services.add_member(course=found.course, by=found.person, role=Role(asked.role), **fields)
    if asked.invite:
        services.invite(members=[member], by=found.person)
        member.refresh_from_db()
    return as_json(_person(member).model_dump_json(), status=201)


@router.get(
    "/courses/{course}/people/{int:member}",
    response=PersonOut,
    summary="Somebody in a course",
    operation_id="person",
    openapi_extra=REFUSALS,
)
@opens(Action.SEE_PEOPLE)
def person(request: HttpRequest, course: str, member: int) -> PersonOut:
    """One place in the course."""
    return _person(scope_of(request).objects["member"])


@router.patch(
    "/courses/{course}/people/{int:member}",
    response=PersonOut,
    summary="Change somebody's place",
    operation_id="change_person",
    openapi_extra=REFUSALS,
)
@opens(Action.EDIT_STUDENTS)
@takes_json()
def change(request: HttpRequest, course: str, member: int, asked: PersonChange) -> Any:
    """Name, number, section, group; the role only with a token of an instructor."""
    found = scope_of(request)
    one: Membership = found.objects["member"]
    if (asked.role is not None or services.is_staff_role(one.role)) and not found.may(Action.EDIT_STAFF):
        return forbidden(found, Action.EDIT_STAFF)
    given = {name: value for name, value in asked.model_dump().items() if value is not None}
    role = given.pop("role", None)
    services.change_member(member=one, by=found.person, **given)
    if role is not None:
        services.change_role(member=one, by=found.person, role=Role(role))
    return _person(one)


@router.delete(
    "/courses/{course}/people/{int:member}",
    response={204: None},
    summary="Drop somebody",
    operation_id="drop_person",
    openapi_extra=REFUSALS,
)
@opens(Action.EDIT_STUDENTS)
def drop(request: HttpRequest, course: str, member: int) -> HttpResponse:
    """They see nothing of the course any more; what they did stays. Who was dropped already stays so."""
    found = scope_of(request)
    one: Membership = found.objects["member"]
    if services.is_staff_role(one.role) and not found.may(Action.EDIT_STAFF):
        return forbidden(found, Action.EDIT_STAFF)
    services.drop_member(member=one, by=found.person)
    return HttpResponse(status=204)


@router.put(
    "/courses/{course}/roster",
    response=RosterOut,
    summary="Put the roster",
    operation_id="put_roster",
    openapi_extra=REFUSALS,
)
@opens(Action.IMPORT_ROSTER)
@takes_json()
def roster(request: HttpRequest, course: str, asked: RosterIn) -> Any:
    """All or nothing; the same list twice changes nothing. People are known by number, else by address."""
    found = scope_of(request)
    given = {name for one in asked.students for name in one.model_fields_set}
    rows = [{**one.model_dump(), "line": line} for line, one in enumerate(asked.students, start=1)]
    changes = put_roster(
        course=found.course,
        by=found.person,
        rows=rows,
        given=given,
        drop_missing=asked.drop_missing,
        try_only=asked.try_only,
    )
    if changes.errors:
        errors = changes.errors[:SHOWN_ERRORS]
        said = [{"line": one.line, "value": one.value, "rule": one.rule} for one in errors]
        detail = "; ".join(f"students.{one.line - 1}: {one.value!r} {one.rule}" for one in errors[:5])
        return problem("data", detail, problems=said)
    return RosterOut(
        added=len(changes.add),
        changed=len(changes.update),
        taken_back=len(changes.take_back),
        as_before=changes.same,
        dropped=len(changes.missing) if asked.drop_missing else 0,
        staff=len(changes.staff),
    )


def _person(one: Membership) -> PersonOut:
    return PersonOut(
        member=one.pk,
        role=one.role,
        email=one.person.email,
        name=one.shown_name,
        student_id=one.student_id,
        section=one.section,
        group=one.group,
        invited_at=one.invited_at,
    )
