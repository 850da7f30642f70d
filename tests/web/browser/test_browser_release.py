"""Releasing grades, rating what reviewers wrote, and reading the grade, in a real browser."""

from __future__ import annotations

import pytest
from tests.web.browser.following import follow
from tests.web.browser.looks import look, violations

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.fixture(scope="module")
def room(service) -> dict:
    return service.put_released()


@pytest.fixture
def sign_in(visit, service):
    def make(session: str, size: str = "desktop", theme: str = "light", **options):
        visitor = visit(**options)
        cookie = {"name": "sessionid", "value": session, "url": service.address}
        visitor.page.context.add_cookies([cookie])
        return visitor

    return make


def test_grades_are_released_rated_and_read(sign_in, room):
    path, sessions = room["assignment"], room["sessions"]
    teacher = sign_in(sessions["teacher"])
    teacher.go(path)
    follow(teacher.page.get_by_role("link", name="Preview and release grades"))
    follow(teacher.page.get_by_role("link", name="Cem"))
    assert "77 points" in teacher.page.locator(".mark").first.inner_text()
    teacher.go(path + "feedback/?search=Cem")
    teacher.page.get_by_text("Hide this comment").first.click()
    teacher.page.get_by_label("Reason (for the activity log; students do not see it)").first.fill(
        "It insults."
    )
    teacher.page.get_by_role("button", name="Hide comment", exact=True).first.click()
    teacher.page.get_by_text(
        "The comment is now hidden. The activity log shows who hid it and why."
    ).wait_for()
    teacher.go(path + "release/")
    teacher.page.get_by_role("button", name="Release grades").click()
    teacher.page.get_by_role("heading", name="Students see their grades").wait_for()

    student = sign_in(sessions["students"][2])
    page = student.page
    student.go(room["course"])
    page.get_by_role("link", name="Poster").first.wait_for()
    assert "77 points" not in page.locator("main").inner_text()
    student.go(path)
    follow(page.get_by_role("link", name="Read and rate the feedback"))
    assert "77 points" not in page.locator("main").inner_text()
    for place in range(3):
        page.get_by_role("group").filter(has_text="How helpful was this?").nth(place).get_by_label(
            "4", exact=True
        ).check()
    page.get_by_role("button", name="Save and show my grade").click()
    page.get_by_role("heading", name="Grade and feedback").wait_for()
    text = page.locator("main").inner_text()
    assert "77 points on a scale from 0 to 100" in text
    assert "The likely range (90%) from 67.5 to 85.8" in text

    teacher.go(path + "release/reviewers")
    assert "4.0 out of 5" in teacher.page.locator("main").inner_text()
    assert violations(teacher.page) + violations(student.page) == []
    assert teacher.complaints + student.complaints == []


def test_without_script_everything_works(sign_in, room):
    visitor = sign_in(room["sessions"]["students"][3], java_script_enabled=False)
    visitor.go(room["assignment"] + "grade/")

    for group in visitor.page.locator("fieldset.rating").all():
        group.locator("input").nth(4).check()
    follow(visitor.page.get_by_role("button", name="Save and show my grade"))

    assert "69.75 points" in visitor.page.locator("main").inner_text()


def test_pages_of_a_release(sign_in, room):
    """After the story above, so that grades are out."""
    path, sessions = room["assignment"], room["sessions"]
    teacher = sign_in(sessions["teacher"])
    pages = ("release/", f"release/as/{room['member']}/", f"release/as/{room['member']}/?stage=rate")
    more = ("release/reviewers", "feedback/", "feedback/?show=hidden", "")
    wrong = [one for page in (*pages, *more) for one in look(teacher, path + page)]
    wrong += look(teacher, room["course"])
    read = sign_in(sessions["students"][2])
    unread = sign_in(sessions["students"][0])
    for visitor in (read, unread):
        wrong += [one for page in ("grade/", "") for one in look(visitor, path + page)]
        wrong += look(visitor, room["course"])

    assert wrong == []
