"""Requests that no page of ours sends: answered, never with an error of ours."""

from __future__ import annotations

import pytest
from tests.web.classes.addresses import addresses

HUGE = "9" * 5000


@pytest.mark.parametrize("key", ["%00", "a%00b", "x" * 100, "%E2%98%83", "..", "%ED%A0%80"])
def test_odd_keys_are_not_there(cast, key):
    client, course = cast.client("instructor"), cast.course.key

    paths = [f"/c/{key}/", f"/c/{course}/a/{key}/", f"/c/{course}/roster/{key}/"]

    assert {client.get(path).status_code for path in paths} == {404}


@pytest.mark.parametrize("number", ["0", "9" * 18, "9" * 19, "9" * 40])
def test_odd_numbers_are_not_there(cast, number):
    client = cast.client("instructor")

    assert client.get(f"/c/{cast.course.key}/people/{number}/").status_code == 404


@pytest.mark.parametrize("text", ["\0", "a\0b", HUGE, "%", "-1"])
def test_odd_questions_are_answered(cast, text):
    client, course = cast.client("instructor"), f"/c/{cast.course.key}"
    asked = dict.fromkeys(("role", "section", "search", "page", "reviews_per_student"), text)

    codes = {client.get(f"{course}/{page}", asked).status_code for page in ("people", "record", "")}

    assert codes == {200}


@pytest.mark.parametrize("text", ["\0", HUGE, "٣", "2026-13-45T99:99", "[]"])
def test_odd_forms_are_answered(cast, text, monkeypatch):
    monkeypatch.setattr("peerage_web.classes.services.roster.ask", lambda *args, **named: {})
    client = cast.client("instructor")
    values = {"course": cast.course.key, "assignment": cast.assignment.key, "member": cast.students[0].pk}
    names = [
        "title",
        "name",
        "email",
        "role",
        "section",
        "step",
        "due_at",
        "reviews_due_at",
        "in_teams",
        "file_kinds",
        "student_id",
        "sure",
    ]
    sent = {**dict.fromkeys(names, text), f"team-{cast.students[0].pk}": text, f"team-{HUGE}": "x"}
    sent |= {"extension-member": text, "extension-due_at": text}

    for address in addresses():
        if set(address.keys) <= set(values) and "POST" in address.view.rule.methods:
            code = client.post(address.path(**values), sent).status_code
            assert code < 500, f"{address.route}: {code}"
