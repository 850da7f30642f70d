"""Requests that no page of ours sends: answered, never with an error of ours."""

import pytest
from django.db import transaction
from tests.web.classes.addresses import addresses

pytestmark = pytest.mark.both  # databases refuse different things
HUGE = "9" * 5000


def test_odd_addresses_and_questions_are_answered(cast):
    client, course = cast.client("instructor"), cast.course.key
    paths = [f"/c/{course}/people/{number}/" for number in ("0", "9" * 18, "9" * 19, "9" * 40)]
    for key in ("%00", "a%00b", "x" * 100, "%E2%98%83", "..", "%ED%A0%80"):
        paths += [f"/c/{key}/", f"/c/{course}/a/{key}/", f"/c/{course}/roster/{key}/"]

    assert [path for path in paths if client.get(path).status_code != 404] == []

    names = ("role", "section", "search", "page", "reviews_per_student")
    codes = {
        (text, page): client.get(f"/c/{course}/{page}", dict.fromkeys(names, text)).status_code
        for text in ("\0", "a\0b", HUGE, "%", "-1")
        for page in ("people", "activity-log", "")
    }

    assert {key: code for key, code in codes.items() if code != 200} == {}


def test_odd_forms_are_answered(cast, monkeypatch):
    monkeypatch.setattr("peerage_web.classes.roster.imports.ask_sandbox", lambda *args, **named: {})
    client = cast.client("instructor")
    values = {"course": cast.course.key, "assignment": cast.assignment.key, "member": cast.students[0].pk}
    names = (
        "title name email role section step due_at reviews_due_at in_teams file_kinds student_id sure "
        f"extension-member extension-due_at team-{cast.students[0].pk}"
    )
    asked = [
        one.path(**values)
        for one in addresses()
        if set(one.keys) <= set(values) and "POST" in one.view.rule.methods
    ]
    wrong = []

    for text in ("\0", HUGE, "٣", "2026-13-45T99:99", "[]"):
        sent = {**dict.fromkeys(names.split(), text), f"team-{HUGE}": "x"}
        with transaction.atomic():  # what one text changes, the next does not find changed
            wrong += [(path, text[:9]) for path in asked if client.post(path, sent).status_code >= 500]
            transaction.set_rollback(True)

    assert wrong == []
