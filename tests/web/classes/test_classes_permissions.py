"""Who may do what: every address x role x phase x own, other's and other course's object.

What is expected is read from the table of rules and three sentences: nobody gets anywhere without a sign-in;
what is not yours to see is not there (404); what you see and may not do is forbidden (403), or not possible
in this phase (409). Everything else must let you in.
"""

from __future__ import annotations

import pytest
from django.db import transaction
from tests.web.classes.addresses import Address, addresses
from tests.web.classes.cast import allocate, hand_in, move, objects_of

from peerage_web.classes import rules
from peerage_web.classes.rules import TABLE, Action
from peerage_web.classes.views.access import OBJECTS
from peerage_web.classes.words import STAFF, Phase, Role

ROLES = ("instructor", "assistant", "observer", "student", "dropped", "stranger", "operator", None)
LET_IN = {200, 302, 422}
ADDRESSES = addresses()
STAFF_SEES = frozenset({"member", "team", "extension", "work", "review"})


def test_there_are_addresses():
    assert len(ADDRESSES) > 25
    assert {"course", "assignment"} <= {one.name for one in ADDRESSES}


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda one: one.name)
def test_every_view_declares_a_rule(address):
    """A view that forgets to is open to the world; this test is what stands in its way."""
    assert hasattr(address.view, "rule"), f"{address.route}: put @allowed(Action.…) before the view"
    assert address.view.rule.action in TABLE
    assert set(address.keys) <= {"course", "assignment", *OBJECTS}, "access.OBJECTS does not know this key"
    if TABLE[address.view.rule.action].phases != frozenset(Phase):
        assert "assignment" in address.keys, "a rule with phases needs an assignment in the address"


def test_every_action_is_in_the_table():
    assert set(TABLE) == set(Action)


def test_no_rule_writes_for_observers_and_dropped():
    for action, rule in TABLE.items():
        assert Role.DROPPED not in rule.roles, action
        assert not (rule.changes and Role.OBSERVER in rule.roles), action


def test_students_see_nothing_of_others_by_rule():
    """The blind rests on these."""
    closed = {
        Action.SEE_PEOPLE,
        Action.SEE_ALLOCATION,
        Action.SEE_ALL_WORKS,
        Action.SEE_PROGRESS,
        Action.SEE_RECORD,
    }
    assert not [action for action in closed if Role.STUDENT in TABLE[action].roles]


def test_what_is_not_in_the_table_nobody_may(monkeypatch):
    monkeypatch.delitem(TABLE, Action.EDIT_COURSE)

    assert not rules.may(Action.EDIT_COURSE, Role.INSTRUCTOR)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("whose", ["own", "other's", "other course's"])
def test_every_address_for_everybody(cast, phase, whose, sandboxless):
    """Requests are undone one by one, so that none prepares the way of the next."""
    values = {word: _values(cast, whose, word) for word in ROLES}
    move(cast.assignment, phase)
    move(cast.elsewhere, phase)
    wrong = []
    for word in ROLES:
        client = cast.client(word)
        for address in _asked_in(phase):
            for method in address.view.rule.methods:
                expected = _expected(address, word, phase, whose)
                got = _ask(client, method, address.path(**values[word]))
                if got not in expected:
                    wrong.append(f"{method} {address.route} as {word}: {got}, not {sorted(expected)}")
    assert wrong == []


def _asked_in(phase: Phase) -> list[Address]:
    """All of them in the first phase; those that know no phase are not asked again in the others."""
    return [one for one in ADDRESSES if phase == Phase.SETUP or "assignment" in one.keys]


def test_without_classes_there_is_nothing(cast, settings):
    settings.CLASSES = False
    client, values = cast.client("instructor"), {"course": cast.course.key, "assignment": cast.assignment.key}
    paths = [one.path(**values) for one in ADDRESSES if set(one.keys) <= set(values)]

    assert {client.get(path).status_code for path in paths} == {404}


@pytest.fixture
def sandboxless(monkeypatch):
    """What children answer is not the question here, and each would cost a second."""
    from peerage_web.sandbox.work.rosters import EMPTY

    monkeypatch.setattr("peerage_web.classes.services.roster.ask", lambda *args, **named: {**EMPTY})
    made = {"problem": {"code": "library", "text": "no"}, "add": [], "remove": [], "extra": {}}
    for part in ("allocation", "mending"):
        monkeypatch.setattr(
            f"peerage_web.classes.services.{part}.ask",
            lambda *args, **named: {**made, "coverage": 0, "quality": {}},
        )
    monkeypatch.setattr(
        "peerage_web.classes.views.planning.expected_error", lambda **named: {"problem": "no"}
    )


def _values(cast, whose: str, word: str | None) -> dict[str, object]:
    """What stands in the addresses: objects of the one who asks, of a neighbour, or of another course."""
    if whose == "other course's":
        return _made(cast, cast.elsewhere, cast.other_students[0], cast.people["stranger"])
    owner = cast.students[0] if whose == "own" else cast.students[1]
    by = cast.people.get(word or "", cast.people["instructor"])
    uploader = by if whose == "own" else cast.people["operator"]
    return _made(cast, cast.assignment, owner, uploader)


def _made(cast, where, owner, by) -> dict[str, object]:
    """Made once for each owner; roster imports belong to whoever uploaded them."""
    key = (where.pk, owner.pk, by.pk)
    made = cast.__dict__.setdefault("made", {})
    if key not in made:
        with_others = next((known for other, known in made.items() if other[:2] == key[:2]), None)
        made[key] = _fresh(where, owner, by, with_others)
    return {"course": where.course.key, "assignment": where.key, **made[key]}


def _fresh(where, owner, by, before) -> dict[str, object]:
    from peerage_web.classes.models import RosterImport

    if before is not None:
        kept = RosterImport.objects.create(course=where.course, uploaded_by=by, file_name="roster.csv")
        return {**before, "roster_import": kept.key}
    found = objects_of(where, owner, by)
    author = where.course.memberships.filter(role=Role.STUDENT).last()
    (review,) = allocate(where, owner, [hand_in(where, author)])
    return {**found, "review": review.key}


def _expected(address: Address, word: str | None, phase: Phase, whose: str) -> set[int]:
    action = address.view.rule.action
    if word is None:
        return {"sign-in"}
    if "course" not in address.keys:
        return LET_IN if action != Action.CREATE_COURSE or word == "operator" else {403}
    role = _role(word, whose)
    if role is None or not _exists(address, role, phase, whose):
        return {404}
    if not rules.may(action, role):
        return {403}
    if "assignment" in address.keys and not rules.may(action, role, phase):
        return {409}
    return LET_IN


def _role(word: str, whose: str) -> Role | None:
    if whose == "other course's":
        return Role.INSTRUCTOR if word == "stranger" else None
    return Role(word) if word in ("instructor", "assistant", "observer", "student") else None


def _exists(address: Address, role: Role, phase: Phase, whose: str) -> bool:
    """Whether everything in the address is there for this role."""
    keys = set(address.keys) - {"course"}
    if role == Role.STUDENT and "assignment" in keys and phase == Phase.SETUP:
        return False
    if "roster_import" in keys:
        return role in STAFF and whose != "other's"
    if role == Role.STUDENT and keys & STAFF_SEES:
        return whose == "own"
    return not (role == Role.OBSERVER and keys & {"work", "review"})


def _ask(client, method: str, path: str) -> int | str:
    """The status; what the request wrote is undone."""
    with transaction.atomic():
        answer = client.get(path) if method == "GET" else client.post(path, {})
        transaction.set_rollback(True)
    if answer.status_code == 302 and answer["Location"].startswith("/sign-in"):
        return "sign-in"
    return answer.status_code
