"""From the button on the start page to lists given out, repaired and looked at, in a real browser."""

from __future__ import annotations

import pytest
from tests.web.browser.following import follow
from tests.web.browser.looks import look, violations
from tests.web.browser.test_browser_classes import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.full]
MAKING = 300_000  # milliseconds: eight submissions are copied for reviewers


@pytest.fixture(scope="module")
def example(browser, service) -> dict:
    """An example class in teams, made by the button, up to the moment in which lists are given out."""
    window = browser.new_context()
    page = window.new_page()
    page.goto(service.address)
    page.get_by_label("Phase").select_option("allocating")
    page.get_by_label("In teams of three").check()
    page.get_by_role("button", name="Create an example class").click()
    page.get_by_role("heading", name="Example class").wait_for(timeout=MAKING)
    links = {one.inner_text(): one.get_attribute("href") for one in page.locator("main li a").all()}
    page.goto(service.address + links["instructor"])
    page.locator("main button.primary").click()
    page.wait_for_url("**/courses")
    page.get_by_role("link", name="Example course").first.click()
    follow(page.get_by_role("link", name="One page on an everyday riddle").first)
    path = page.url.removeprefix(service.address.rstrip("/"))
    state = window.storage_state()
    window.close()
    return {"links": links, "path": path, "state": state}


def test_lists_are_previewed_committed_and_looked_at(visit, example):
    visitor = visit(storage_state=example["state"])
    page = visitor.page
    visitor.go(example["path"])
    page.get_by_role("link", name="Preview the allocation").click()
    page.get_by_text("All submissions are connected").wait_for()
    assert violations(visitor.page) + visitor.broken_rules() == []

    follow(page.get_by_role("button", name="Confirm this allocation"))
    assert page.locator(".notice").first.inner_text() == "84 reviews were allocated."
    follow(page.get_by_role("button", name="Start the review phase"))

    page.get_by_role("link", name="Reviews", exact=True).click()
    page.get_by_role("link", name="Missing reviewers").first.click()
    page.get_by_label("Ada Example").check()
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("heading", name="What would change").wait_for()
    follow(page.get_by_role("button", name="Reassign these reviews"))
    assert "reassigned" in page.locator(".notice").first.inner_text()


def test_pages_of_the_allocation(visit, example):
    """After the story above: lists are out, and somebody's went to others."""
    visitor = visit(storage_state=example["state"])
    pages = (
        "allocation",
        "allocation/matrix",
        "allocation/matrix?by=submission",
        "allocation/matrix?by=grid",
    )
    asked = "preview=yes&who=not-begun&most_extra=1&staff_each=1&volunteers_each=1"
    more = ("allocation/repair", f"allocation/repair?{asked}", "allocation/reports")

    assert [one for page in ("", *pages, *more) for one in look(visitor, example["path"] + page)] == []


def test_a_student_reports_a_submission_and_has_another(visit, example):
    visitor = visit()
    sign_in(visitor, example["links"]["student"])
    visitor.go(example["path"] + "reviews/")
    page = visitor.page
    before = page.locator("section.submission").count()

    report = page.locator(".report").first
    report.locator("summary").click()
    report.locator("select").select_option("known")
    follow(report.get_by_role("button", name="Report it and get another submission"))

    assert "is no longer assigned to you" in page.locator(".notice").first.inner_text()
    assert page.locator("section.submission").count() in (before, before - 1)
