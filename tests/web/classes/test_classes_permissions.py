"""Who may do what: every address x role x phase x own, other's and other course's object.

What is expected is read from the table of rules and three sentences: nobody gets anywhere without a sign-in;
what is not yours to see is not there (404); what you see and may not do is forbidden (403), or not possible
in this phase (409). Everything else must let you in.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import path
from tests.web.classes.addresses import Address, addresses
from tests.web.classes.cast import Cast, allocate, hand_in, move, objects_of

from peerage_web.classes import rules, urls
from peerage_web.classes.models import Membership, RosterImport
from peerage_web.classes.rules import TABLE, Action
from peerage_web.classes.services.people import change_role, drop_member
from peerage_web.classes.views.access import OBJECTS
from peerage_web.classes.words import STAFF, Phase, Role

ROLES = ("instructor", "assistant", "observer", "student", "dropped", "stranger", "operator", None)
WHOSE = ("own", "other's", "other course's")
LET_IN = {200, 302, 400, 422}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
ADDRESSES = addresses()
BY_KEY = [one for one in ADDRESSES if getattr(one.view, "rule", None) and one.view.rule.by_key]
ASKED = [one for one in ADDRESSES if one not in BY_KEY]

# Who sees what stands in addresses and is somebody else's, in the same course. What is not named here only
# staff see, and whose it is.
OBSERVED = {"member", "team", "extension"}  # by observers, too
EVERYBODYS = {"example", "question"}  # part of the assignment, nobody's own
CREATING = {Action.CREATE_COURSE, Action.IMPORT_COURSE}  # and `may_create_courses`
UPLOADERS = {"roster_import"}  # by whoever brought it, and by no other staff
STAFFS = {"run", "token", "webhook"}  # by all staff, for they are nobody's own


# -- every view has a rule -------------------------------------------------------------------------


def problems(address: Address) -> list[str]:
    """What is wrong with the way an address is guarded; a view that forgets it is open to the world."""
    rule = getattr(address.view, "rule", None)
    if rule is None:
        return [f"{address.route}: put @allowed(Action.…) before the view"]
    if rule.action not in TABLE:
        return [f"{address.route}: {rule.action!r} is not in the table"]
    found = []
    known = {"calendar_key"} if rule.by_key else {"course", "assignment", *OBJECTS}
    if unknown := set(address.keys) - known:
        found.append(f"{address.route}: access.OBJECTS does not know {sorted(unknown)}")
    if TABLE[rule.action].phases != frozenset(Phase) and "assignment" not in address.keys:
        found.append(f"{address.route}: a rule with phases needs an assignment in the address")
    if rule.by_key and (rule.methods != ("GET",) or TABLE[rule.action].changes):
        found.append(f"{address.route}: who has a key may look, and nothing else")
    if "POST" not in rule.methods and TABLE[rule.action].changes and rule.methods != ("GET",):
        found.append(f"{address.route}: {rule.methods} write")
    return found


def test_there_are_addresses():
    assert len(ADDRESSES) > 35
    assert {"course", "assignment", "progress", "calendar-file"} <= {one.name for one in ADDRESSES}


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda one: one.name)
def test_every_view_declares_a_rule(address):
    assert problems(address) == []


def test_a_new_view_without_a_rule_is_noticed():
    """As if somebody had added one to the URL configuration and thought no further."""

    def careless(request, course: str) -> HttpResponse:
        return HttpResponse("everything")

    careless.__module__ = "peerage_web.classes.views.careless"
    urls.course_patterns.append(path("all", careless))
    try:
        found = [one for address in addresses() for one in problems(address)]
    finally:
        urls.course_patterns.pop()

    assert found == ["c/<str:course>/all: put @allowed(Action.…) before the view"]


def test_a_new_name_in_addresses_is_noticed():
    (view,) = {one.view for one in ADDRESSES if one.name == "course"}

    assert problems(Address("c/<str:course>/<str:secret>", "new", view)) == [
        "c/<str:course>/<str:secret>: access.OBJECTS does not know ['secret']"
    ]


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


# -- the matrix ------------------------------------------------------------------------------------


# three thousand questions each; both databases have to answer those of one phase
EVERY_PHASE = [one if one == Phase.REVIEWING else pytest.param(one, marks=pytest.mark.once) for one in Phase]


@pytest.mark.parametrize("phase", EVERY_PHASE)
def test_every_address_for_everybody(cast, phase, sandboxless):
    """Requests are undone one by one, so that none prepares the way of the next."""
    stage = Stage(cast)
    move(cast.assignment, phase)
    move(cast.elsewhere, phase)
    asked = [one for one in ASKED if phase == Phase.SETUP or "assignment" in one.keys]
    wrong = []
    for word in ROLES:
        client = cast.client(word)
        client.get("/")  # notes who was there and when, which each of the requests below would do again
        for whose, address, method in _questions(asked):
            expected = _expected(address, word, phase, whose)
            got = _ask(client, method, address.path(**stage.values(whose, word)))
            if got not in expected:
                wrong.append(f"{method} {address.route} ({whose}) as {word}: {got}, not {sorted(expected)}")
    assert wrong == []


def _questions(asked: list[Address]) -> Iterator[tuple[str, Address, str]]:
    """Addresses that hold nothing but themselves are the same whosever they are."""
    for whose in WHOSE:
        for address in asked:
            if address.keys or whose == "own":
                yield from ((whose, address, method) for method in address.view.rule.methods)


class Stage:
    """Objects of everybody, for the addresses; made once, for nothing that is asked changes them."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        mine = cast.people["instructor"]
        self.made = {
            "own": self._objects(cast.assignment, cast.students[0], mine),
            "other's": self._objects(cast.assignment, cast.students[1], cast.people["operator"]),
            "other course's": self._objects(cast.elsewhere, cast.other_students[0], cast.people["stranger"]),
        }
        self.imports = {word: self._import(person) for word, person in cast.people.items()}

    @staticmethod
    def _objects(where, owner: Membership, by) -> dict[str, object]:
        found = objects_of(where, owner, by)
        author = where.course.memberships.filter(role=Role.STUDENT).last()
        (review,) = allocate(where, owner, [hand_in(where, author)])
        return {"course": where.course.key, "assignment": where.key, **found, "review": review.key}

    def _import(self, person) -> str:
        kept = RosterImport.objects.create(
            course=self.cast.course, uploaded_by=person, file_name="roster.csv"
        )
        return kept.key

    def values(self, whose: str, word: str | None) -> dict[str, object]:
        """What stands in the addresses: of the one who asks, of a neighbour, or of another course."""
        if whose == "own" and word is not None:
            return {**self.made[whose], "roster_import": self.imports[word]}
        return self.made[whose]


def test_the_stage_has_an_object_for_every_name(cast):
    assert set(OBJECTS) <= set(Stage(cast).made["own"]), "add one to cast.objects_of"


def _expected(address: Address, word: str | None, phase: Phase, whose: str) -> set[int | str]:
    action = address.view.rule.action
    if word is None:
        return {"sign-in"}
    if "course" not in address.keys:
        return LET_IN if action not in CREATING or word == "operator" else {403}
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
    if role == Role.STUDENT and "assignment" in address.keys and phase == Phase.SETUP:
        return False
    names = set(address.keys) - {"course", "assignment"} - EVERYBODYS
    if names & UPLOADERS:
        return role in STAFF and whose != "other's"
    if names & STAFFS:
        return role in STAFF
    if not names or role in STAFF:
        return True
    return whose == "own" if role == Role.STUDENT else names <= OBSERVED


def _ask(client: Client, method: str, path: str) -> int | str:
    """The status; what the request wrote is undone."""
    with transaction.atomic():
        answer = client.generic(method, path)
        transaction.set_rollback(True)
    if answer.streaming:
        list(answer.streaming_content)
    if answer.status_code == 302 and answer["Location"].startswith("/sign-in"):
        return "sign-in"
    return answer.status_code


# -- methods ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["instructor", "student", None])
def test_no_other_method_is_answered(cast, word, sandboxless):
    """Not even with who may: OPTIONS tells nothing, PUT and DELETE do nothing, HEAD is GET without a body."""
    stage, client, wrong = Stage(cast), cast.client(word), []
    move(cast.assignment, Phase.REVIEWING)
    values = {**stage.values("own", word), "calendar_key": "x" * 32}
    for address in ADDRESSES:
        declared = address.view.rule.methods
        taken = {*declared, "HEAD"} if "GET" in declared else set(declared)
        for method in set(METHODS) - taken:
            got = _ask(client, method, address.path(**values))
            if got != 405:
                wrong.append(f"{method} {address.route}: {got}, not 405")
        if "GET" in declared:
            got = [_ask(client, method, address.path(**values)) for method in ("GET", "HEAD")]
            if got[0] != got[1]:
                wrong.append(f"{address.route}: GET {got[0]}, HEAD {got[1]}")
    assert wrong == []


# -- what opens without a sign-in ------------------------------------------------------------------


@pytest.mark.parametrize("word", ROLES)
def test_a_key_opens_what_is_its_persons_whoever_asks(cast, word):
    """Programs that subscribe cannot sign in; a key that is not there opens nothing, signed in or not."""
    cast.people["student"].calendar_key = "k" * 32
    cast.people["student"].save()
    client = cast.client(word)

    assert {one.name for one in BY_KEY} == {"calendar-file"}
    for address in BY_KEY:
        assert _ask(client, "GET", address.path(calendar_key="k" * 32)) == 200
        assert _ask(client, "GET", address.path(calendar_key="x" * 32)) == 404


def test_scripts_are_told_that_they_are_signed_out(cast, sandboxless):
    client, values = cast.client(None), Stage(cast).values("own", None)

    codes = {
        client.generic(method, one.path(**values), headers={"Accept": "application/json"}).status_code
        for one in ASKED
        for method in one.view.rule.methods
    }

    assert codes == {401}


# -- roles that are taken away ---------------------------------------------------------------------


@pytest.mark.parametrize("word", ["assistant", "observer", "student"])
def test_a_role_that_is_taken_away_is_gone_at_the_next_click(cast, word, sandboxless):
    stage, client = Stage(cast), cast.client(word)
    move(cast.assignment, Phase.REVIEWING)
    within = [one for one in ASKED if "course" in one.keys]
    values = stage.values("own", word)
    before = [_ask(client, one.view.rule.methods[0], one.path(**values)) for one in within]
    assert set(before) & LET_IN

    drop_member(member=cast.member(word), by=cast.people["instructor"])

    after = {_ask(client, one.view.rule.methods[0], one.path(**values)) for one in within}
    assert after == {404}


def test_a_lesser_role_holds_at_the_next_click(cast):
    second = cast.member("assistant")
    change_role(member=second, by=cast.people["instructor"], role=Role.INSTRUCTOR)
    client, path = cast.client("assistant"), f"/c/{cast.course.key}/settings"
    assert client.get(path).status_code == 200

    for role, code in ((Role.ASSISTANT, 403), (Role.OBSERVER, 403), (Role.STUDENT, 403)):
        change_role(member=cast.member("assistant"), by=cast.people["instructor"], role=role)
        assert client.get(path).status_code == code


def test_a_closed_account_gets_nowhere_at_once(cast):
    client = cast.client("student")
    cast.people["student"].is_active = False
    cast.people["student"].save()

    assert _ask(client, "GET", f"/c/{cast.course.key}/") == "sign-in"


def test_without_classes_there_is_nothing(cast, settings):
    settings.CLASSES = False
    client, values = cast.client("instructor"), Stage(cast).values("own", "instructor")
    paths = [one.path(**values, calendar_key="x") for one in ADDRESSES]

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
