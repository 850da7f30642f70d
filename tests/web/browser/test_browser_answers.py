"""The survey and appeals in a real browser: axe-core finds nothing on any page, in every look."""

from __future__ import annotations

import pytest
from tests.web.browser.following import follow
from tests.web.browser.looks import look, violations

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.fixture(scope="module")
def room(service) -> dict:
    return service.put_answers()


def test_pages_of_staff(visit, room, states):
    survey, appeals = room["survey"], room["assignment"] + "appeals/"
    visitor = visit(storage_state=states["instructor"])
    paths = [survey + page for page in ("answers", "results", "questions")]
    paths += [room["open_survey"] + page for page in ("answers", "results", "questions")]
    paths += [appeals, f"{appeals}{room['appeal']}/", f"{appeals}{room['answered']}/"]
    wrong = [one for path in paths for one in look(visitor, path)]
    other = visit(storage_state=states["assistant"])
    for path in (f"{survey}answers/{room['question']}/", survey + "results"):
        wrong += look(other, path)

    assert wrong == []


def test_pages_of_students(visit, room, states):
    visitor = visit(storage_state=states["student"])
    paths = (room["survey"], room["open_survey"], room["assignment"] + "appeal/", room["assignment"])

    assert [one for path in paths for one in look(visitor, path)] == []


def test_an_appeal_is_accepted_by_clicking(visit, room, states):
    """What each review did has no files in this class; the story has."""
    visitor = visit(storage_state=states["instructor"])
    page = visitor.page
    visitor.go(f"{room['assignment']}appeals/{room['appeal']}/")
    page.get_by_label("Explanation of the decision").fill("You are right: page 2 was overlooked.")
    follow(page.get_by_role("button", name="Accept and release the new grade"))
    assert page.locator(".notice").first.inner_text() == (
        "Appeal accepted. The grades of 1 student have changed and are released."
    )
    assert violations(visitor.page) + visitor.broken_rules() == []

    student = visit(storage_state=states["student"])
    student.go(room["assignment"] + "appeal/")
    student.page.get_by_role("heading", name="Your appeal was accepted").wait_for()


def test_the_survey_is_answered_by_clicking(visit, room, states):
    visitor = visit("phone", storage_state=states["student"])
    page = visitor.page
    visitor.go(room["open_survey"])
    page.get_by_label("Partly").first.check()
    page.get_by_label("In your own words").first.fill("Some of it.")
    follow(page.get_by_role("button", name="Save answers"))

    assert page.locator(".notice").first.inner_text() == "Thank you. Your answers are saved."
    assert page.get_by_label("In your own words").first.input_value() == "Some of it."
