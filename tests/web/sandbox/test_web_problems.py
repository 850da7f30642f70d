"""Errors as records that pages and the API show."""

from __future__ import annotations

import pytest

from peerage.errors import DataError, MethodError, Problem
from peerage_web.sandbox.contract.errors import (
    OWN_MACHINE,
    BrokenError,
    CrashedError,
    OutOfMemoryError,
    OutOfTimeError,
    TooLargeError,
    describe_problem,
)


@pytest.mark.parametrize(
    ("error", "code", "detail"),
    [
        (DataError("the file is empty", source="a.csv"), "data", "a.csv: the file is empty"),
        (TooLargeError("too many reviews"), "too-large", f"too many reviews. {OWN_MACHINE}"),
        (MethodError("there is no method 'x'"), "request", "there is no method 'x'"),
        (OutOfTimeError("it took long"), "time", f"It took long. {OWN_MACHINE}"),
        (OutOfMemoryError("it took much"), "memory", f"It took much. {OWN_MACHINE}"),
    ],
)
def test_foreseen_errors_say_what_they_say(error, code, detail):
    found = describe_problem(error)

    assert (found["code"], found["detail"]) == (code, detail)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CrashedError("SIGSEGV in calamine"), "crash"),
        (BrokenError("KeyError at long.py:7"), "bug"),
        (KeyError("the name of a student"), "bug"),
    ],
)
def test_other_errors_keep_their_words_to_themselves(error, code):
    found = describe_problem(error)

    assert found["code"] == code
    assert error.args[0] not in f"{found}"


def test_problems_are_listed_with_their_places():
    error = DataError([Problem("is odd", line=3, column="score", value="?", fix="write a number")])

    assert describe_problem(error)["problems"] == [
        {"line": 3, "column": "score", "value": "?", "rule": "is odd", "fix": "write a number"}
    ]
