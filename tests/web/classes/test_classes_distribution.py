"""How grades are spread: bars against counts by hand, who fails, and what staff are asked about."""

from types import SimpleNamespace

import pytest

from peerage_web.classes.grading.distribution import distribution_of, release_questions
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.grading.texts import question_sentence

STAFF = {"scale": "0:100", "anchors_as_evidence": True}
CURVE = {"scale": "0:100", "curve": "75:10"}


def graded(*grades):
    """Points, letters, or both."""
    pairs = [grade if isinstance(grade, tuple) else (grade, "") for grade in grades]
    return [SimpleNamespace(points=points, letter=letter) for points, letter in pairs]


def spread(options, *grades):
    return distribution_of(GradingRun(options=options), graded(*grades))


def test_points_and_letters_are_counted():
    found = spread({"scale": "1:5", "curve": "3:1"}, 1, 1.39, 1.4, 3.0, 4.99, 5, None)

    assert [bar.count for bar in found.points] == [2, 1, 0, 0, 0, 1, 0, 0, 0, 2]
    assert [bar.label for bar in found.points][::9] == ["1–1.4", "4.6–5"]
    assert (found.graded, found.fails_below, found.failing, found.letters) == (6, 3.0, 3, [])
    assert [bar.fails for bar in found.points] == [True] * 5 + [False] * 5
    tallest = max(bar.height for bar in found.points)
    assert [bar.height for bar in found.points if bar.count == 1] == [tallest / 2] * 2
    assert {round(bar.top + bar.height, 6) for bar in found.points} == {116}  # all stand on one line
    assert found.points[-1].left + found.points[-1].width <= 100

    options = {**STAFF, "letters": "us"}
    found = spread(options, (95, "A"), (85, "B"), (59, "F"), (40, "F"), (None, ""))

    assert [(bar.label, bar.count, bar.fails) for bar in found.letters] == [
        ("A", 1, False), ("B", 1, False), ("C", 0, False), ("D", 0, False), ("F", 2, True),
    ]  # fmt: skip
    assert (found.failing_letter, found.failing, found.fails_below) == ("F", 2, None)


@pytest.mark.parametrize(
    ("options", "grades", "planned", "asked"),
    [
        (STAFF, [60, 60, 49], "staff", []),  # a third is not more than a third
        (STAFF, [60, 49, 50], "staff", []),
        (STAFF, [60, 49, 49.9], "staff", ["points-fail"]),
        ({**STAFF, "letters": "A>=85,F"}, [(90, "A"), (60, "F")], "staff", ["letter-fails"]),
        ({**STAFF, "letters": "A>=85,C"}, [(90, "A"), (60, "C")], "staff", []),
        (CURVE, [20, 80], "curve", ["not-anchored", "points-fail"]),
        ({"letters": "A:20%,B:80%"}, [(None, "A"), (None, "B")], "quotas", []),
        ({"letters": "A:20%,fail:80%"}, [(None, "A"), (None, "fail")], "quotas", ["letter-fails"]),
        ({"complete": True}, [(None, "complete")], "complete", []),
        ({"complete": True}, [(None, "complete"), (None, "incomplete")], "complete", ["letter-fails"]),
        ({}, [None, None], "standing", []),
        ({}, [None, None], "staff", ["no-points"]),
    ],
)
def test_staff_are_asked_where_many_fail_and_where_nothing_says_what_points_are_worth(
    options, grades, planned, asked
):
    run = GradingRun(options=options)

    questions = release_questions(run, distribution_of(run, graded(*grades)), planned)

    assert [question.code for question in questions] == asked
    assert all(question_sentence(question.code, question.figures) for question in questions)
