"""Every page asks the database as often for fifty rows as for five. New addresses are covered, too."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from tests.web.classes.addresses import addresses
from tests.web.classes.cast import move, objects_of
from tests.web.classes.crowd import Crowd

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment
from peerage_web.classes.words import Phase

FEW, MANY = 5, 50
WORDS = ("instructor", "observer", "student")
PARTS = ("peerage_web.classes.", "peerage_web.accounts.")
GET = [
    one
    for part in PARTS
    for one in addresses(part)
    if "GET" in getattr(getattr(one.view, "rule", None), "methods", ("GET",))
]


@pytest.fixture(autouse=True)
def sandboxless(monkeypatch):
    """What children answer costs no query, and time."""
    from peerage_web.sandbox.work.rosters import EMPTY

    monkeypatch.setattr("peerage_web.classes.services.roster.ask", lambda *args, **named: {**EMPTY})
    monkeypatch.setattr(
        "peerage_web.classes.views.planning.expected_error", lambda **named: {"problem": "no"}
    )


@pytest.fixture(autouse=True)
def no_new_hour(monkeypatch):
    """A sign-in is written down once an hour, and one may begin while a test runs."""
    monkeypatch.setattr("peerage_web.accounts.services.sessions.HOUR", timedelta(days=100_000))


@pytest.mark.once
@pytest.mark.parametrize("phase", [one for one in Phase if one != Phase.SETUP])
def test_queries_do_not_grow_with_rows(cast, phase):
    crowd = Crowd(cast)
    crowd.grow(FEW)
    move(cast.assignment, phase)
    Person.objects.filter(pk=cast.people["student"].pk).update(calendar_key="k" * 32)
    by = cast.people["instructor"]
    values = {
        "course": cast.course.key,
        "assignment": cast.assignment.key,
        "calendar_key": "k" * 32,
        "text": "gone",
        "number": 1,
        **objects_of(cast.assignment, cast.students[2], by),
        "review": cast.students[0].reviews.first().key,
        "run": crowd.run.key,
        "question": crowd.questions[0].pk,
    }
    clients = {word: cast.client(word) for word in WORDS}

    see(clients, values)
    few = alone_and_in_teams(cast.assignment, clients, values)
    crowd.grow(MANY)
    # a mail looks at each assignment that runs; a course may have had many, of which few run at a time
    Assignment.objects.filter(course=cast.course).exclude(pk=cast.assignment.pk).update(phase=Phase.CLOSED)
    many = alone_and_in_teams(cast.assignment, clients, values)

    assert len(few) > 50
    assert few.keys() == many.keys()
    assert all(few.values())  # whoever is signed in was looked up at least
    assert [f"{key}: {len(few[key])} -> {len(many[key])}, of which {more(few[key], many[key])}"
            for key in few if len(many[key]) > len(few[key])] == []  # fmt: skip


def alone_and_in_teams(assignment, clients, values) -> dict[str, list[str]]:
    """The queries of every page, whichever way the assignment is done."""
    found = {}
    for in_teams in (False, True):
        Assignment.objects.filter(pk=assignment.pk).update(in_teams=in_teams)
        found |= {f"{key}, in teams: {in_teams}": sql for key, sql in counts(clients, values).items()}
    return found


def see(clients, values) -> None:
    """Every page once, for everybody: what only the first look asks for is not counted."""
    for client in clients.values():
        for address in GET:
            read(client.get(address.path(**values)))


def counts(clients, values) -> dict[str, list[str]]:
    """Every page that is there, for everybody: its queries."""
    found = {}
    for word, client in clients.items():
        for address in GET:
            with CaptureQueriesContext(connection) as captured:
                status = read(client.get(address.path(**values)))
            if status == 200:
                found[f"{word} {address.route}"] = [one["sql"] for one in captured.captured_queries]
    return found


def read(answer) -> int:
    """To its end, so that files of it are closed; the status."""
    if answer.streaming:
        list(answer.streaming_content)
    return answer.status_code


def more(few: list[str], many: list[str]) -> list[str]:
    """The kinds of queries that became more, shortened."""
    kinds = [Counter(re.sub(r"\d+|'[^']*'", "…", sql)[:200] for sql in queries) for queries in (few, many)]
    return [sql for sql, count in kinds[1].items() if count > kinds[0][sql]][:2]
