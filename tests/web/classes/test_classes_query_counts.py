"""Every page asks the database as often for nine rows as for six. New addresses are covered, too."""

import re
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection, reset_queries
from django.test.utils import CaptureQueriesContext
from tests.web.classes.addresses import Address, addresses
from tests.web.classes.cast import Cast, objects_of
from tests.web.classes.crowd import Crowd

from peerage_web.accounts.models import Person
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.enums import Phase
from peerage_web.sandbox.work.rosters import EMPTY_ROSTER

FEW, MANY = 6, 9  # answers to a survey are shown from five on
# they lead elsewhere, or need files of a real run or the right to create courses
NEVER = {
    "sign-in", "sign-out", "one-time-link", "end-session", "end-other-sessions", "reminders-off",
    "course-new", "course-import", "course-copy", "rank-for-submission", "ranking-receipt",
    "practice-download", "practice-picture", "grading-explain", "grading-file", "grading-progress",
    "grading-report", "grading-rows-graders", "grading-rows-grades", "export-book", "export-data",
    "export-data-file",
}  # fmt: skip
WORDS = ("instructor", "observer", "student")
GET = [
    one
    for one in addresses(("peerage_web.classes.", "peerage_web.accounts."))
    if "GET" in getattr(getattr(one.view, "rule", None), "methods", ("GET",))
]
(MATRIX,) = [one for one in GET if one.name == "allocation-matrix"]
GET += [replace(MATRIX, route=f"{MATRIX.route}?by={view}") for view in ("submission", "grid")]


@pytest.fixture(autouse=True)
def sandboxless(monkeypatch):
    """What children answer costs no query, and time; and a sign-in, once an hour, none in the middle."""
    classes = "peerage_web.classes"
    monkeypatch.setattr(f"{classes}.roster.imports.ask_sandbox", lambda *args, **named: EMPTY_ROSTER.copy())
    monkeypatch.setattr(f"{classes}.assignments.views.expected_error", lambda **named: {"problem": "no"})
    monkeypatch.setattr("peerage_web.accounts.services.sign_in.HOUR", timedelta(days=100_000))


# every page is there in one of these, most in both of the first two
LOOKS = [(Phase.RELEASED, True), (Phase.REVIEWING, False), (Phase.ALLOCATING, True)]
Page = tuple[int, str, Address]  # in which look, for whom


def test_queries_do_not_grow_with_rows(cast):
    crowd = Crowd(cast)
    crowd.grow(FEW)
    Person.objects.filter(pk=cast.people["student"].pk).update(calendar_key="k" * 32)
    values = {
        "course": cast.course.key,
        "assignment": cast.assignment.key,
        "calendar_key": "k" * 32,
        "text": "gone",
        "number": 1,
        **objects_of(cast.assignment, cast.students[2], cast.people["instructor"]),
        "review": cast.students[0].reviews.first().key,
        "run": crowd.run.key,
        "question": crowd.questions[0].pk,
    }
    reader = Reader(cast, values)
    reader.close_others()

    pages = reader.pages()  # the first look at a page, and what only that asks for is not counted
    few = reader.queries(pages)
    crowd.grow(MANY)
    reader.close_others()
    many = reader.queries(pages)

    assert {one.name for one in GET} - {address.name for _, _, address in pages} == NEVER
    assert all(few.values())  # whoever is signed in was looked up at least
    assert [f"{key}: {len(few[key])} -> {len(many[key])}, of which {more(few[key], many[key])}"
            for key in few if len(many[key]) > len(few[key])] == []  # fmt: skip


class Reader:
    """Opens pages of an assignment as everybody."""

    def __init__(self, cast: Cast, values: dict[str, object]) -> None:
        self.assignment, self.values = cast.assignment, values
        self.clients = {word: cast.client(word) for word in WORDS}

    def pages(self) -> list[Page]:
        """Those that are there; the third look is for those that are not in the others."""
        found: list[Page] = []
        for look in range(len(LOOKS)):
            self._take(look)
            seen = {(word, address.route) for at, word, address in found} if look == 2 else set()
            asked = [(word, one) for word in WORDS for one in GET if (word, one.route) not in seen]
            found += [(look, word, one) for word, one in asked if self._read(word, one) == 200]
        return found

    def queries(self, pages: list[Page]) -> dict[str, list[str]]:
        found = {}
        for look, word, address in pages:
            self._take(look)
            reset_queries()
            with CaptureQueriesContext(connection) as captured:
                assert self._read(word, address) == 200
            found[f"{word} {address.route} in look {look}"] = [one["sql"] for one in captured]
        return found

    def close_others(self) -> None:
        """A mail looks at each assignment that runs; of the many of a course few run at a time."""
        others = Assignment.objects.filter(course=self.assignment.course).exclude(pk=self.assignment.pk)
        others.update(phase=Phase.CLOSED)

    def _take(self, look: int) -> None:
        phase, in_teams = LOOKS[look]
        Assignment.objects.filter(pk=self.assignment.pk).update(phase=phase, in_teams=in_teams)

    def _read(self, word: str, address: Address) -> int:
        """To its end, so that files of it are closed; the status."""
        answer = self.clients[word].get(address.path(**self.values))
        if answer.streaming:
            list(answer.streaming_content)
        return answer.status_code


def more(few: list[str], many: list[str]) -> list[str]:
    """The kinds of queries that became more, shortened."""
    kinds = [Counter(re.sub(r"\d+|'[^']*'", "…", sql)[:200] for sql in queries) for queries in (few, many)]
    return [sql for sql, count in kinds[1].items() if count > kinds[0][sql]][:2]
