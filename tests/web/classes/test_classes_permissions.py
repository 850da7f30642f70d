"""Who may do what: the table itself, and that it is the table that decides at every address.

The table is asked for every action, role and phase. Addresses are asked in one phase for every role and for
own, others' and another course's objects; views are not run for that. What is expected is read from the table
and three sentences: nobody gets anywhere without a sign-in; what is not yours to see is not there (404); what
you see and may not do is forbidden (403), or not possible in this phase (409). All else lets you in.
"""

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from tests.web.classes.addresses import Address, addresses
from tests.web.classes.cast import Cast, allocate, assignment, move, objects_of, submit

from peerage_web.accounts.models import Person
from peerage_web.classes import access, permissions
from peerage_web.classes.courses.models import Membership, RosterImport
from peerage_web.classes.enums import STAFF, Phase, Role
from peerage_web.classes.permissions import PERMISSIONS, Action
from peerage_web.classes.roster.services import drop_member
from peerage_web.classes.scope import OBJECTS

MEMBERS = ("instructor", "assistant", "observer", "student")
ROLES = (*MEMBERS, "dropped", "stranger", "operator", None)
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"}
ADDRESSES = addresses()
ASKED = [one for one in ADDRESSES if not (getattr(one.view, "rule", None) and one.view.rule.by_key)]

# Who sees what is somebody else's in the same course; what is not named here, staff and whoever's it is.
OBSERVED = {"member", "team", "extension"}  # by observers, too
EVERYBODYS = {"example", "question", "criterion"}  # part of the assignment, nobody's own
UPLOADERS = {"roster_import"}  # by whoever brought it, and by no other staff
STAFFS = {"announcement", "run", "token", "webhook"}  # by all staff, for they are nobody's own


# -- the table -------------------------------------------------------------------------------------

# Instructor, Assistant, Observer, Student; the six phases; whether it writes. A change of the table is made
# here, too, by somebody who means it.
EXPECTED = """
SEE_COURSES              IAOS 123456 reads anybody
CREATE_COURSE            IAOS 123456 writes anybody
SEE_COURSE               IAOS 123456 reads
EDIT_COURSE              I--- 123456 writes
SEE_PEOPLE               IAO- 123456 reads
EDIT_STUDENTS            IA-- 123456 writes
IMPORT_ROSTER            IA-- 123456 writes
INVITE_STUDENTS          IA-- 123456 writes
EDIT_STAFF               I--- 123456 writes
SEE_ACTIVITY_LOG         IA-- 123456 reads
CREATE_ASSIGNMENT        IA-- 123456 writes
SEE_ANNOUNCEMENTS        IAOS 123456 reads
ANNOUNCE                 IA-- 123456 writes
SEE_ASSIGNMENT           IAOS 123456 reads
EDIT_ASSIGNMENT          IA-- 123456 writes
EDIT_DESIGN              IA-- 123--- writes
EDIT_DATES               IA-- 123456 writes
EDIT_TEAMS               IA-- 123--- writes
MOVE_PHASE               IA-- 123456 writes
VIEW_AS_STUDENT          IAO- 123456 reads
DUPLICATE_ASSIGNMENT     IA-- 123456 writes
DELETE_ASSIGNMENT        I--- 1----- writes
SUBMIT                   ---S -234-- writes
SUBMIT_FOR_STUDENT       IA-- -234-- writes
SEE_OWN_SUBMISSION       ---S -23456 reads
SEE_SUBMISSIONS          IA-- -23456 reads
EXCLUDE_SUBMISSION       IA-- -23456 writes
SEE_ALLOCATION           IA-- -23456 reads
ALLOCATE                 IA-- --3--- writes
REPAIR_ALLOCATION        IA-- ---4-- writes
CHANGE_ALLOCATION        IA-- --34-- writes
SEE_REVIEWS              ---S ---456 reads
RANK                     ---S ---4-- writes
SUBMIT_RANKING           ---S ---4-- writes
REVIEW_OWN_SUBMISSION    ---S ---4-- writes
REPORT_SUBMISSION        ---S ---4-- writes
RANK_FOR_REVIEWER        IA-- ---45- writes
PRACTISE                 ---S -23456 writes
EDIT_PRACTICE            IA-- 123456 writes
EDIT_RUBRIC              IA-- 123456 writes
SEE_PROGRESS             IAO- 123456 reads
REMIND                   IA-- 123456 writes
SEE_OWN_DATES            IAOS 123456 reads anybody
RENEW_CALENDAR           IAOS 123456 writes anybody
SEE_GRADES               IA-- ----56 reads
EDIT_GRADING             IA-- 123456 writes
GRADE                    IA-- ----56 writes
GRADE_AS_STAFF           IA-- ---456 writes
OVERRIDE                 I--- ----56 writes
APPROVE_RUN              I--- ----56 writes
SEE_RELEASE              IA-- ----56 reads
RELEASE                  I--- ----56 writes
HIDE_COMMENT             IA-- ---456 writes
RATE_HELPFULNESS         ---S -----6 writes
SEE_OWN_GRADE            ---S -----6 reads
REPORT_COMMENT           ---S -----6 writes
REPLY                    ---S -----6 writes
REPORT_REPLY             ---S -----6 writes
APPEAL                   ---S -----6 writes
SEE_APPEALS              IA-- ----56 reads
DECIDE_APPEAL            IA-- -----6 writes
EDIT_SURVEY              IA-- 123456 writes
ANSWER_SURVEY            ---S ----56 writes
SEE_SURVEY               IA-- ----56 reads
CODE_SURVEY              IA-- ----56 writes
EXPORT_GRADES            IA-- ----56 reads
EXPORT_DATA              I--- ----56 reads
EXPORT_COURSE            I--- 123456 reads
IMPORT_COURSE            IAOS 123456 writes anybody
EDIT_TOKENS_AND_WEBHOOKS I--- 123456 writes
SEE_PLATFORM             IA-- 123456 reads
SETTLE_PLATFORM_GRADES   I--- 123456 writes
EXPORT_PERSON            I--- 123456 reads
ERASE_PERSON             I--- 123456 writes
"""


def test_the_table_is_what_is_meant():
    assert "\n".join(_row(action) for action in Action) == EXPECTED.strip()


def _row(action: Action) -> str:
    """An action as it is decided: by `may`, asked for every role and phase."""
    roles = {"I": Role.INSTRUCTOR, "A": Role.ASSISTANT, "O": Role.OBSERVER, "S": Role.STUDENT}
    may = "".join(letter if permissions.may(action, role) else "-" for letter, role in roles.items())
    (phases,) = {_phases(action, role) for role in Role if permissions.may(action, role)}  # the same for all
    others = " anybody" if permissions.may(action, None) else ""
    others += " dropped" if permissions.may(action, Role.DROPPED) and not others else ""
    return f"{action.name:25}{may} {phases} {'writes' if PERMISSIONS[action].changes else 'reads'}{others}"


def _phases(action: Action, role: Role) -> str:
    return "".join(
        str(number) if permissions.may(action, role, phase) else "-" for number, phase in enumerate(Phase, 1)
    )


# -- every view has a rule -------------------------------------------------------------------------


def problems(address: Address) -> list[str]:
    """What is wrong with the way an address is guarded; a view that forgets it is open to the world."""
    rule = getattr(address.view, "rule", None)
    if rule is None:
        return [f"{address.route}: put @allowed(Action.…) before the view"]
    if rule.action not in PERMISSIONS:
        return [f"{address.route}: {rule.action!r} is not in the table"]
    found = []
    known = {"calendar_key"} if rule.by_key else {"course", "assignment", *OBJECTS}
    if unknown := set(address.keys) - known:
        found.append(f"{address.route}: scope.OBJECTS does not know {sorted(unknown)}")
    if PERMISSIONS[rule.action].phases != frozenset(Phase) and "assignment" not in address.keys:
        found.append(f"{address.route}: a rule with phases needs an assignment in the address")
    if rule.by_key and (rule.methods != ("GET",) or PERMISSIONS[rule.action].changes):
        found.append(f"{address.route}: who has a key may look, and nothing else")
    if "POST" not in rule.methods and PERMISSIONS[rule.action].changes and rule.methods != ("GET",):
        found.append(f"{address.route}: {rule.methods} write")
    return found


def test_every_view_declares_a_rule():
    assert [one for address in ADDRESSES for one in problems(address)] == []
    assert [one.name for one in ADDRESSES if one not in ASKED] == ["calendar-file"]


# -- the addresses ---------------------------------------------------------------------------------


@pytest.fixture
def viewless(monkeypatch):
    """The guard decides, and everybody gets an empty page: what views do and show is tested elsewhere."""
    refusal = access._refusal
    monkeypatch.setattr(access, "_refusal", lambda *asked: refusal(*asked) or HttpResponse())
    monkeypatch.setattr("django.template.backends.django.Template.render", lambda *asked: "")


def test_every_address_for_everybody(cast, viewless):
    stage, wrong = Stage(cast), []
    move(cast.assignment, Phase.REVIEWING)
    for word in ROLES:
        client = cast.client(word)
        for whose, address in _questions(word):
            expected = _expected(address, word, whose)
            got = _ask(client, address.view.rule.methods[0], address.path(**stage.values(whose, word)))
            if got != expected:
                wrong.append(f"{address.route} ({whose}) as {word}: {got}, not {expected}")
    assert wrong == []


def _questions(word: str | None) -> Iterator[tuple[str, Address]]:
    """Whose it is matters to members, and where the address holds something that can be another's."""
    for address in ASKED:
        yield "own", address
        if word in MEMBERS and set(address.keys) - {"course", "assignment"}:
            yield "other's", address
            yield "another course's", address


class Stage:
    """Objects of everybody, for the addresses; made once, for nothing that is asked changes them."""

    def __init__(self, cast: Cast) -> None:
        far = self._objects(cast.elsewhere, cast.other_students[0], cast.people["stranger"])
        self.made = {
            "own": self._objects(cast.assignment, cast.students[0], cast.people["instructor"]),
            "other's": self._objects(cast.assignment, cast.students[1], cast.people["operator"]),
            "another course's": {**far, "course": cast.course.key, "assignment": cast.assignment.key},
        }
        self.imports = {
            word: RosterImport.objects.create(course=cast.course, uploaded_by=person, file_name="r.csv").key
            for word, person in cast.people.items()
        }

    @staticmethod
    def _objects(where, owner: Membership, by) -> dict[str, object]:
        found = objects_of(where, owner, by)
        author = where.course.memberships.filter(role=Role.STUDENT).last()
        (review,) = allocate(where, owner, [submit(where, author)])
        return {"course": where.course.key, "assignment": where.key, **found, "review": review.key}

    def values(self, whose: str, word: str | None) -> dict[str, object]:
        """What stands in the addresses: of the one who asks, of a neighbour, or of another course in this."""
        if whose == "own" and word is not None:
            return {**self.made[whose], "roster_import": self.imports[word]}
        return self.made[whose]


def _expected(address: Address, word: str | None, whose: str) -> int | str:
    action = address.view.rule.action
    if word is None:
        return "sign-in"
    if "course" not in address.keys:
        return 200
    role = Role(word) if word in MEMBERS else None
    if role is None or not _exists(address, role, whose):
        return 404
    if not permissions.may(action, role):
        return 403
    if "assignment" in address.keys and not permissions.may(action, role, Phase.REVIEWING):
        return 409
    return 200


def _exists(address: Address, role: Role, whose: str) -> bool:
    """Whether everything in the address is there for this role."""
    if whose == "another course's":
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
    is_sign_in = answer.status_code == 302 and answer["Location"].startswith("/sign-in")
    return "sign-in" if is_sign_in else answer.status_code


# -- what no table says ----------------------------------------------------------------------------


def test_no_other_method_is_answered(cast):
    """Asked before anything else: OPTIONS tells nothing, PUT and DELETE do nothing."""
    client, values = cast.client(None), {**Stage(cast).values("own", None), "calendar_key": "x" * 32}
    got = {
        (method, address.route): client.generic(method, address.path(**values)).status_code
        for address in ADDRESSES
        for method in METHODS - {*address.view.rule.methods}
        if (method, "GET" in address.view.rule.methods) != ("HEAD", True)
    }

    assert {key: code for key, code in got.items() if code != 405} == {}


def test_who_was_dropped_or_closed_gets_nowhere_at_the_next_click(cast):
    path, pages = f"/c/{cast.course.key}/", [cast.client(word) for word in ("assistant", "student")]
    assert [_ask(client, "GET", path) for client in pages] == [200, 200]

    drop_member(member=cast.member("assistant"), by=cast.people["instructor"])
    Person.objects.filter(pk=cast.people["student"].pk).update(is_active=False)

    assert [_ask(client, "GET", path) for client in pages] == [404, "sign-in"]


def test_without_classes_there_is_nothing(cast, settings):
    settings.CLASSES = False
    client, values = cast.client("instructor"), Stage(cast).values("own", "instructor")
    paths = [one.path(**values, calendar_key="x") for one in ADDRESSES]

    assert {client.get(path).status_code for path in paths} == {404}


def test_courses_are_created_by_those_who_may(cast):
    codes = {
        word: [cast.client(word).get(f"/courses/{rest}").status_code for rest in ("new", "import")]
        for word in ("operator", "instructor")
    }

    assert codes == {"operator": [200, 200], "instructor": [403, 403]}


def test_nothing_opens_under_another_assignment_of_the_course(cast):
    """There it would be in another phase, under other rules."""
    submission, second = submit(cast.assignment, cast.students[0]), assignment(cast.course)
    for one in (cast.assignment, second):
        move(one, Phase.REVIEWING)
    (review,) = allocate(cast.assignment, cast.students[1], [submission])

    own = [cast.assignment.get_absolute_url(), second.get_absolute_url()]
    staff, reviewer = cast.client("instructor"), cast.client("neighbour")
    found = [staff.get(f"{place}submissions/{submission.pk}/").status_code for place in own]
    read = [reviewer.get(f"{place}reviews/{review.key}/").status_code for place in own]

    assert (found, read) == ([200, 404], [200, 404])
