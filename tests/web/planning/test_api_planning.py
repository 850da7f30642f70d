"""GET methods, POST allocate and POST plan."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from peerage import allocate
from peerage.models import METHODS

pytestmark = [pytest.mark.django_db, pytest.mark.once]

STUDENTS = ["ada", "ben", "cem", "dia", "eva", "fay"]


def ask(client, address: str, asked: Any, kind: str = "application/json"):
    body = asked if isinstance(asked, str | bytes) else json.dumps(asked)
    return client.post(f"/api/v1/{address}", body, content_type=kind, headers={"Content-Type": kind})


def test_methods_are_those_of_the_library(client):
    methods = client.get("/api/v1/methods").json()

    assert [method["code"] for method in methods] == list(METHODS)
    assert [method["summary"] for method in methods] == [method.summary for method in METHODS.values()]


def test_methods_say_what_they_take(client):
    methods = {method["code"]: method for method in client.get("/api/v1/methods").json()}

    assert methods["PL"]["takes"] == ["orders", "pairs", "scores"]
    assert methods["PL"]["with_reliability"] == "PL+G"
    assert methods["PL"]["parameters"]["score_variance"] == 9.0
    assert (methods["SCAVG"]["takes"], methods["SCAVG"]["with_reliability"]) == (["scores"], None)
    assert methods["COMBINED"]["takes"] == ["orders+scores"]


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


@pytest.mark.parametrize(
    ("asked", "detail"),
    [
        ({"per_grader": 2}, "students or roster must be given, and not both"),
        (
            {"students": ["a"], "roster": [], "per_grader": 2},
            "students or roster must be given, and not both",
        ),
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
)
def test_refused_allocations_say_why(client, asked, detail):
    answer = ask(client, "allocate", asked)

    assert (answer.status_code, answer.json()["detail"]) == (422, detail)


def test_plan_is_that_of_the_library(client, monkeypatch, tmp_path, settings):
    from peerage import plan

    settings.LIMITS = replace(settings.LIMITS, direct_seconds=3600)  # however slow the machine is
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    expected = plan(20, 3, bands=3).table.to_dicts()  # first: what it compiles, the service need not
    answer = ask(client, "plan", {"students": 20, "per_student": 3, "bands": 3})

    assert answer.status_code == 200
    assert answer.json() == {"per_student": 3, "workloads": expected}


@pytest.mark.parametrize(
    ("asked", "detail"),
    [
        ({}, "students is missing"),
        ({"students": 2001}, "students must be at most 2,000"),
        ({"students": "many"}, "students must be a whole number"),
        ({"students": 20, "lazy": 1}, "lazy must be at most 0.99"),
        ({"students": True}, "students must be a whole number"),
        ({"students": 20, "lazy": False}, "lazy must be a number"),
        ({"students": 20, "feedback": "essays"}, "feedback must be 'orders' or 'scores'"),
        ({"students": 20, "items": 30}, "items must be from 3 to students, not 30"),
    ],
)
def test_refused_plans_say_why(client, asked, detail):
    answer = ask(client, "plan", asked)

    assert (answer.status_code, answer.json()["detail"]) == (422, detail)


def test_plan_that_takes_too_long_names_the_command(client, settings):
    settings.LIMITS = replace(settings.LIMITS, direct_seconds=0.001)

    answer = ask(client, "plan", {"students": 2000, "per_student": 50})

    assert (answer.status_code, answer.json()["type"]) == (413, "/api/v1/problems/time")
    assert answer.json()["detail"] == (
        "It would take more than 0.001 seconds. On your own machine there is no such limit: peerage plan"
    )


@pytest.mark.parametrize("address", ["allocate", "plan"])
def test_broken_json_is_400(client, address):
    for body in (b"{", b"[" * 100_000, b"\xff\xfe"):
        answer = ask(client, address, body)
        assert (answer.status_code, answer.json()["detail"]) == (400, "The body is not JSON.")


@pytest.mark.parametrize("address", ["allocate", "plan"])
def test_other_bodies_are_415(client, address):
    answer = ask(client, address, "students=3", "application/x-www-form-urlencoded")

    assert (answer.status_code, answer.headers["Accept-Post"]) == (415, "application/json")


@pytest.mark.parametrize("address", ["allocate", "plan"])
def test_long_json_is_413(client, address):
    answer = ask(client, address, b" " * (4 << 20) + b"{}")

    assert (answer.status_code, answer.json()["detail"]) == (413, "A JSON body may have 4 MB here.")


@pytest.mark.parametrize(
    ("verb", "address"),
    [("get", "allocate"), ("get", "plan"), ("post", "methods"), ("post", "problems/data")],
)
def test_wrong_verb_is_405(client, verb, address):
    assert getattr(client, verb)(f"/api/v1/{address}").status_code == 405
