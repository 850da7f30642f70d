"""Who may do what through the API for classes: every address x role of the token's author, and every phase.

What is expected is read from the table of rules, as for the pages: no token, 401; another course, 404; a role
that may not, a token that may only read, 403; another phase, 409. Everything else must let the token in.
"""

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from tests.web.classes.addresses import Address
from tests.web.classes.cast import Cast, move, objects_of

from peerage_web.accounts.services.tokens import Scope, add_token, revoke_token
from peerage_web.classes import api_access, permissions
from peerage_web.classes.api import ROUTERS
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.permissions import PERMISSIONS, Action
from peerage_web.classes.roster.services import drop_member
from peerage_web.classes.scope import OBJECTS
from peerage_web.shared.errors import Refused

ROLES = (Role.INSTRUCTOR, Role.ASSISTANT, Role.OBSERVER, Role.STUDENT)


class Operation(Address):
    """One method of one address; its name is the method."""

    @property
    def action(self) -> Action | None:
        return getattr(self.view, "rule", None)


OPERATIONS = [
    Operation("api/v1" + path.replace("{", "<").replace("}", ">"), method, one.view_func)
    for router in ROUTERS
    for path, found in router.path_operations.items()
    for one in found.operations
    for method in one.methods
]
(COURSES,) = (one for one in OPERATIONS if one.route == "api/v1/courses")


def test_every_address_declares_a_rule():
    """A view that forgets it is open to every token of the course."""
    for one in OPERATIONS:
        assert one.action in PERMISSIONS, f"{one}: put @opens(Action.…) above the body's decorator"
        assert {*one.keys} <= {"course", "assignment", *OBJECTS}, one
        assert PERMISSIONS[one.action].changes == (one.name != "GET"), one
        assert PERMISSIONS[one.action].phases == frozenset(Phase) or "assignment" in one.keys, one


@pytest.fixture
def own(cast) -> dict[str, object]:
    """What stands in the addresses."""
    return _objects(cast.assignment, cast.students[0], cast.people["instructor"])


def token_of(cast: Cast, role: Role, *, may_write: bool = True) -> str:
    scope = Scope(cast.course.pk, cast.people[role.value], may_write)
    return add_token(name=f"{role} {may_write}", days=9, scope=scope)


def _objects(where, owner, by) -> dict[str, object]:
    return {"course": where.course.key, "assignment": where.key, **objects_of(where, owner, by)}


def ask(one: Operation, token: str | None, values: dict[str, object]) -> int:
    """The status; what the request wrote is undone."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with transaction.atomic():
        answer = Client().generic(one.name, one.path(**values), b"{}", "application/json", headers=headers)
        transaction.set_rollback(True)
    return answer.status_code


def expected(one: Operation, role: Role, phase: Phase) -> set[int]:
    if role == Role.STUDENT and "assignment" in one.keys and phase == Phase.SETUP:
        return {404}
    if not permissions.may(one.action, role):
        # what somebody does not even see is not there
        return {403, 404} if {*one.keys} - {"course", "assignment"} else {403}
    if "assignment" in one.keys and not permissions.may(one.action, role, phase):
        return {409}
    return {200}


@pytest.fixture(autouse=True)
def patient(limits):
    limits(requests=100_000)


@pytest.fixture
def viewless(monkeypatch):
    """The guard decides, and whoever is let in gets an empty answer: what views do is tested elsewhere."""
    refusal = api_access._refusal
    monkeypatch.setattr(api_access, "_refusal", lambda *asked: refusal(*asked) or HttpResponse())


@pytest.mark.parametrize("phase", [Phase.SETUP, Phase.REVIEWING, Phase.RELEASED])
def test_every_address_follows_role_and_phase(cast, own, viewless, phase):
    """Every role in one phase; which phase each rule names is asked of the table, as for the pages."""
    wrong = []
    move(cast.assignment, phase)
    for role in ROLES if phase == Phase.REVIEWING else (Role.INSTRUCTOR, Role.STUDENT):
        token = token_of(cast, role)
        for one in OPERATIONS:
            got = ask(one, token, own)
            if got not in expected(one, role, phase):
                wrong.append(f"{one.name} {one.route} as {role}: {got}")
    assert wrong == []


def test_nobody_gets_in_without_a_token_of_the_course(own):
    strange = add_token(name="of the service", days=9)

    assert {ask(one, None, own) for one in OPERATIONS} == {401}
    assert {ask(one, strange, own) for one in OPERATIONS} == {403}


def test_nothing_of_another_course_is_there(cast, own):
    far = _objects(cast.elsewhere, cast.other_students[0], cast.people["stranger"])
    move(cast.assignment, Phase.REVIEWING)
    token = token_of(cast, Role.INSTRUCTOR)

    for one in OPERATIONS:
        cases = [{**own, name: far[name]} for name in one.keys]
        assert {ask(one, token, values) for values in cases} <= {404}, one


def test_a_token_that_may_only_read_writes_nothing(cast, own):
    reader = token_of(cast, Role.INSTRUCTOR, may_write=False)
    writing = [one for one in OPERATIONS if PERMISSIONS[one.action].changes]

    assert {ask(one, reader, own) for one in writing} == {403}
    assert ask(COURSES, reader, {}) == 200


def test_whoever_leaves_or_is_closed_takes_their_tokens_along(cast, own):
    left, closed = token_of(cast, Role.ASSISTANT), token_of(cast, Role.INSTRUCTOR)
    drop_member(member=cast.member("assistant"), by=cast.people["instructor"])

    assert {ask(one, left, own) for one in OPERATIONS} == {403}

    cast.people["instructor"].is_active = False
    cast.people["instructor"].save()

    assert {ask(one, closed, own) for one in OPERATIONS} == {403}


def test_without_classes_there_is_nothing(cast, own, settings):
    token = token_of(cast, Role.INSTRUCTOR)
    settings.CLASSES = False

    assert {ask(one, token, own) for one in OPERATIONS} == {404}


def test_a_token_of_a_course_opens_nothing_else(cast):
    token = {"Authorization": f"Bearer {token_of(cast, Role.INSTRUCTOR)}"}
    client = Client()

    assert client.get("/api/v1/methods", headers=token).status_code == 403
    assert client.post("/api/v1/grade", headers=token).status_code == 403
    assert client.get("/api/v1/problems/data", headers=token).status_code == 200
    assert client.get("/api/v1/openapi.json", headers=token).status_code == 200


def test_courses_may_call_their_tokens_alike_and_operators_revoke_one_by_its_first_letters(cast):
    token, other = (
        add_token(name="grade book", days=9, scope=Scope(where.pk, cast.people[who]))
        for where, who in ((cast.course, "instructor"), (cast.other, "stranger"))
    )
    with pytest.raises(Refused, match="no token"):
        revoke_token(name="grade book")

    add_token(name="grade book", days=9)
    revoke_token(name="grade book")  # that of the service
    revoke_token(name=token[:12])

    assert [ask(COURSES, one, {}) for one in (token, other)] == [401, 200]
