"""From rankings that are in to an approved run, in a real browser."""

from __future__ import annotations

import pytest
from tests.web.browser.following import follow
from tests.web.browser.looks import look, violations

pytestmark = [pytest.mark.browser, pytest.mark.full]
GRADING = 300_000  # milliseconds; it takes a few seconds


@pytest.fixture(scope="module")
def graded(service) -> dict:
    return service.put_reviewed()


def state_of(service, graded) -> dict:
    cookie = {"name": "sessionid", "value": graded["session"], "url": service.address}
    return {"cookies": [cookie], "origins": []}


@pytest.fixture
def staff(visit, service, graded):
    def make(size: str = "desktop", theme: str = "light"):
        visitor = visit(size, theme)
        visitor.page.context.add_cookies(state_of(service, graded)["cookies"])
        return visitor

    return make


def grade(page, button: str) -> None:
    page.get_by_role("button", name=button).click()
    page.get_by_role("heading", name="The class in one picture").wait_for(timeout=GRADING)


def test_a_class_is_graded_looked_at_and_approved(staff, graded):
    visitor = staff()
    page = visitor.page
    visitor.go(graded["path"])
    page.get_by_role("link", name="Grades", exact=True).click()
    page.get_by_role("link", name="Grading settings").click()
    page.get_by_label("Letter grades").fill("A>=85,B>=70,C")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Go to grading runs").click()
    grade(page, "Grade the class now")
    assert visitor.complaints == []

    page.locator("#details > summary").click()
    page.get_by_role("link", name="2403").first.click()  # what one grade rests on, over the page
    page.get_by_role("heading", name="What each review did to its score").wait_for(timeout=GRADING)
    page.get_by_role("button", name="Close").click()
    page.get_by_role("link", name="Where a staff review helps most").click()
    for place, points in enumerate(("80", "62", "91")):
        page.locator(".staff-reviews > li").nth(place).get_by_label("Points").fill(points)
    follow(page.get_by_role("button", name="Save all points").last)
    page.get_by_text("3 staff grades are saved").wait_for()
    page.get_by_role("link", name="Go to grading runs").click()
    grade(page, "Grade again")
    follow(page.get_by_role("link", name="Compare with another run"))
    assert (
        "The staff grades of 3 submissions were added, changed or withdrawn."
        in page.locator("main").inner_text()
    )
    assert "staff graded it: 62" in page.locator("main").inner_text()

    page.get_by_role("link", name="Go to run 2").click()
    page.get_by_role("link", name="Set the grade by hand Cem").click()
    page.get_by_label("Points").fill("77")
    page.get_by_label("Reason").fill("A page was lost in the scan.")
    page.get_by_role("button", name="Set the grade").click()
    page.get_by_text("has been set by hand.").wait_for()
    page.get_by_role("link", name="Grading", exact=True).click()
    page.get_by_role("link", name="Run 2").click()
    page.get_by_role("button", name="Approve for release").click()
    page.get_by_text("is approved. Students do not see its grades").wait_for()

    assert violations(visitor.page) == []
    assert visitor.complaints == []


def test_pages_of_grading(staff, graded):
    """After the story above: two runs, staff grades, one grade by hand."""
    visitor = staff()
    page = visitor.page
    at = f"{graded['path']}grading/"
    visitor.go(at)
    run = page.get_by_role("link", name="Run 2").get_attribute("href")
    visitor.go(run)
    by_hand = page.get_by_role("link", name="Change the grade set by hand").get_attribute("href")
    pages = [at, f"{at}plan", f"{at}staff-reviews", f"{at}ranking", run, f"{run}compare", by_hand]

    assert [one for path in pages for one in look(visitor, path)] == []
