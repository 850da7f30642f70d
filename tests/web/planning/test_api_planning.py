"""GET methods, POST allocate and POST plan."""

import json
from typing import Any

import pytest

from peerage import allocate
from peerage.models.registry import METHODS

pytestmark = pytest.mark.django_db

STUDENTS = ["ada", "ben", "cem", "dia", "eva", "fay"]


def ask(client, address: str, asked: Any, kind: str = "application/json"):
    body = asked if isinstance(asked, str | bytes) else json.dumps(asked)
    return client.post(f"/api/v1/{address}", body, content_type=kind, headers={"Content-Type": kind})


def test_methods_are_those_of_the_library(client):
    methods = client.get("/api/v1/methods").json()

    assert [method["code"] for method in methods] == list(METHODS)
    assert [method["summary"] for method in methods] == [method.summary for method in METHODS.values()]
    found = {method["code"]: method for method in methods}
    assert (found["PL"]["takes"], found["PL"]["with_reliability"]) == (["orders", "pairs", "scores"], "PL+G")
    assert found["PL"]["parameters"]["score_variance"] == 9.0
    assert (found["SCAVG"]["takes"], found["SCAVG"]["with_reliability"]) == (["scores"], None)
    assert found["COMBINED"]["takes"] == ["orders+scores"]


def test_allocation_is_that_of_the_library(client):
    answer = ask(client, "allocate", {"students": STUDENTS, "per_grader": 3, "seed": 4})

    expected = allocate({"student": STUDENTS}, 3, seed=4)
    assert answer.json()["reviews"] == expected.table().to_dicts()
    assert answer.json()["quality"]["loads"] == {"3": 6}


def test_allocation_keeps_groups_conflicts_and_own_numbers(client):
    roster: list[dict[str, Any]] = [{"student": name} for name in STUDENTS]
    roster[0]["group"] = roster[1]["group"] = "team"
    roster[2] |= {"conflicts": ["dia", "team"], "reviews": 1}

    answer = ask(client, "allocate", {"roster": roster, "per_grader": 2})

    given = {(review["grader"], review["item"]) for review in answer.json()["reviews"]}
    barred = {("ada", "ben"), ("ben", "ada"), ("cem", "dia"), ("dia", "cem"), ("cem", "ada"), ("ben", "cem")}
    assert given & (barred | {(name, name) for name in STUDENTS}) == set()
    assert sum(grader == "cem" for grader, _ in given) == 1


def test_staff_can_be_on_the_roster(client):
    roster = [{"student": name} for name in STUDENTS]
    roster += [{"student": "staff", "role": "staff", "email": "staff@example.org", "submits": False}]

    answer = ask(client, "allocate", {"roster": roster, "per_grader": 2, "per_staff": 4, "design": "staff"})

    mine = [review for review in answer.json()["reviews"] if review["grader"] == "staff"]
    assert [review["email"] for review in mine] == ["staff@example.org"] * 4


def test_impossible_allocation_says_who_is_in_the_way(client):
    answer = ask(client, "allocate", {"students": STUDENTS[:3], "per_grader": 3})

    assert (answer.status_code, answer.json()["type"]) == (422, "/api/v1/problems/data")
    assert answer.json()["problems"][0]["value"] == "ada"


ONE_OF_TWO = "students or roster must be given, and not both"
REFUSED = {
    "allocate": [
        ({"per_grader": 2}, ONE_OF_TWO),
        ({"students": ["a"], "roster": [], "per_grader": 2}, ONE_OF_TWO),
        ({"students": ["a"]}, "per_grader is missing"),
        ({"students": ["a"], "per_grader": 101}, "per_grader must be at most 100"),
        ({"students": ["a"] * 5001, "per_grader": 2}, "students must have at most 5,000 entries"),
        ({"students": [""], "per_grader": 2}, "students.0 must have at least 1 characters"),
        ({"students": ["a"], "per_grader": 2.5}, "per_grader must be a whole number"),
        ({"students": ["a"], "per_grader": 2, "k": 2}, "k is not known here"),
        (
            {"roster": [{"student": "a", "conflicts": ["b;c"]}], "per_grader": 2},
            "roster.conflicts must not hold a semicolon: 'b;c'",
        ),
        ([], "the body must be an object"),
        (b"", "the body is missing"),
    ],
    "plan": [
        ({}, "students is missing"),
        ({"students": 2001}, "students must be at most 2,000"),
        ({"students": 20, "lazy": 1}, "lazy must be at most 0.99"),
        ({"students": True}, "students must be a whole number"),
        ({"students": 20, "lazy": False}, "lazy must be a number"),
        ({"students": 20, "feedback": "essays"}, "feedback must be 'orders' or 'scores'"),
        ({"students": 20, "items": 30}, "items must be from 3 to students, not 30"),
    ],
}


@pytest.mark.parametrize("address", REFUSED)
def test_refused_questions_say_why(client, address):
    answers = [ask(client, address, asked) for asked, _ in REFUSED[address]]

    assert {answer.status_code for answer in answers} == {422}
    assert [answer.json()["detail"] for answer in answers] == [detail for _, detail in REFUSED[address]]


def test_plan_is_that_of_the_library(client, monkeypatch, tmp_path):
    from peerage import plan

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    expected = plan(6, 2, bands=2).table.to_dicts()  # first: what it compiles, the service need not
    answer = ask(client, "plan", {"students": 6, "per_student": 2, "bands": 2})

    assert answer.status_code == 200
    assert answer.json() == {"per_student": 2, "workloads": expected}


def test_plan_that_takes_too_long_names_the_command(client, limits):
    limits(direct_seconds=0.001)

    answer = ask(client, "plan", {"students": 2000, "per_student": 50})

    assert (answer.status_code, answer.json()["type"]) == (413, "/api/v1/problems/time")
    assert answer.json()["detail"] == (
        "It would take more than 0.001 seconds. On your own machine there is no such limit: peerage plan"
    )


@pytest.mark.parametrize("address", ["allocate", "plan"])
def test_bodies_that_cannot_be_read_are_refused(client, address):
    for body in (b"{", b"[" * 100_000, b"\xff\xfe"):
        answer = ask(client, address, body)
        assert (answer.status_code, answer.json()["detail"]) == (400, "The body is not JSON.")

    form = ask(client, address, "students=3", "application/x-www-form-urlencoded")
    assert (form.status_code, form.headers["Accept-Post"]) == (415, "application/json")

    long = ask(client, address, b" " * (4 << 20) + b"{}")
    assert (long.status_code, long.json()["detail"]) == (413, "A JSON body may have 4 MB here.")
