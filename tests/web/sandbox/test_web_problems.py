"""Errors as records that pages and the API show."""

import json

import pytest

from peerage import read
from peerage.errors import AmbiguousReadingError, DataError, MethodError, Problem
from peerage_web.sandbox.contract import errors


@pytest.mark.parametrize(
    ("error", "code", "detail"),
    [
        (DataError("the file is empty", source="a.csv"), "data", "a.csv: the file is empty"),
        (errors.TooLargeError("too many reviews"), "too-large", f"too many reviews. {errors.OWN_MACHINE}"),
        (MethodError("there is no method 'x'"), "request", "there is no method 'x'"),
        (errors.OutOfTimeError("it took long"), "time", f"It took long. {errors.OWN_MACHINE}"),
        (errors.OutOfMemoryError("it took much"), "memory", f"It took much. {errors.OWN_MACHINE}"),
    ],
)
def test_foreseen_errors_say_what_they_say(error, code, detail):
    found = errors.describe_problem(error)

    assert (found["code"], found["detail"]) == (code, detail)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.CrashedError("SIGSEGV in calamine"), "crash"),
        (errors.BrokenError("KeyError at long.py:7"), "bug"),
        (KeyError("the name of a student"), "bug"),
    ],
)
def test_other_errors_keep_their_words_to_themselves(error, code):
    found = errors.describe_problem(error)

    assert found["code"] == code
    assert error.args[0] not in f"{found}"


def test_problems_are_listed_with_their_places():
    error = DataError([Problem("is odd", line=3, column="score", value="?", fix="write a number")])

    assert errors.describe_problem(error)["problems"] == [
        {"line": 3, "column": "score", "value": "?", "rule": "is odd", "fix": "write a number"}
    ]


OPEN = b"Bewerter;Arbeit;Note\na;x;1,3\na;y;2,0\nb;x;1,7\n"


def question(data: bytes) -> AmbiguousReadingError:
    with pytest.raises(AmbiguousReadingError) as refusal:
        read(data)
    return refusal.value


def test_readings_cross_the_border_as_data_and_say_what_is_open():
    asked = question(OPEN)

    arrived = errors.error_from_json(json.loads(json.dumps(errors.error_to_json(asked))))

    assert isinstance(arrived, AmbiguousReadingError)
    assert (arrived.problems, str(arrived)) == (asked.problems, str(asked))
    assert [offer.sentences for offer in arrived.readings] == [each.sentences for each in asked.readings]
    assert arrived.readings[0].reading == {
        "format": "long",
        "columns": {"grader": "Bewerter", "item": "Arbeit", "score": "Note"},
        "direction": "lower-is-better",
    }
    record = errors.describe_problem(arrived)
    assert record == errors.describe_problem(asked)
    assert record["code"] == "ambiguous-reading"
    assert "error.readings" not in record["detail"], "no word of Python"
    assert record["readings"][1]["options"] == (
        "--format long --column grader=Bewerter --column item=Arbeit --column score=Note --direction scores"
    )


def test_hostile_names_do_not_make_a_question_large(monkeypatch):
    long = "x" * 400  # as long as a label may nearly be
    asked = question(OPEN.replace(b"a;", b"a" * 400 + b";").replace(b"x;", f"{long};".encode()))

    record = errors.describe_problem(asked)
    monkeypatch.setattr(errors, "READING_CHARACTERS", 20)

    assert max(len(text) for offer in record["readings"] for text in offer["sentences"]) == 600
    assert errors.describe_problem(asked)["code"] == "data"  # what cannot be sent back is not offered
