"""The result page under pointer, finger and keyboard."""

import random
import re

import pytest
from playwright.sync_api import expect
from tests.web.browser.looks import own_rules, violations
from tests.web.browser.visitor import POSTERS, Visitor

pytestmark = pytest.mark.browser


def graded(browser, service, name: str, content: bytes) -> str:
    """The path of a file's result."""
    window = browser.new_context()
    visitor = Visitor(window, service.address)
    visitor.upload(name, content)
    visitor.grade()
    path = visitor.page.url.removeprefix(service.address)
    window.close()
    return path


@pytest.fixture(scope="module")
def posters_result(browser, service) -> str:
    return graded(browser, service, "posters.csv", (POSTERS / "feedback.csv").read_bytes())


@pytest.fixture(scope="module")
def long_result(browser, service) -> str:
    """A class with more items than the page shows at once."""
    rng = random.Random(3)
    rows = ["grader,item,rank"]
    for grader in range(260):
        works = sorted({grader, *rng.sample(range(260), 4)}, key=lambda work: work + rng.gauss(0, 20))
        rows += [f"peer{grader},work{work:03d},{rank}" for rank, work in enumerate(works, start=1)]
    return graded(browser, service, "long.csv", "\n".join(rows).encode())


def test_pointing_at_an_item_shows_its_interval(visit, posters_result):
    visitor = visit()
    visitor.go(posters_result)
    mark, tip = visitor.page.locator("a.mark").nth(4), visitor.page.locator(".tip")

    mark.hover()

    expect(tip).to_be_visible()
    name, rank = tip.inner_text().splitlines()[:2]
    assert mark.get_attribute("aria-label").startswith(f"{name}: {rank[0].lower()}{rank[1:]}")
    visitor.page.mouse.move(0, 0)
    expect(tip).to_be_hidden()


def test_an_item_is_explained_by_keyboard_alone(visit, posters_result):
    visitor = visit("phone", color_scheme="dark")
    page = visitor.page
    visitor.go(posters_result)
    page.locator("a.mark").first.focus()

    page.keyboard.press("ArrowDown")
    name = page.locator(".tip b").inner_text()
    page.keyboard.press("Enter")
    page.locator("dialog .reviews").wait_for()

    assert page.locator("dialog h2").inner_text() == name
    assert violations(page) + own_rules(page) + visitor.complaints == []
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    expect(page.locator("a.mark").nth(1)).to_be_focused()


def test_a_long_table_is_fetched_sorted_and_searched_and_its_rows_explained(visit, long_result):
    visitor = visit()
    page = visitor.page
    visitor.go(long_result)
    names, heading = page.locator("#grades tbody th"), page.locator("#grades th").first

    page.locator("#grade-table").scroll_into_view_if_needed()
    expect(page.locator("#grades output")).to_have_text("260 rows")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert names.all_inner_texts() == sorted(names.all_inner_texts())

    page.locator("#grades-search").fill("work255")
    expect(page.locator("#grades output")).to_have_text("1 of 260 rows")
    assert names.all_inner_texts() == ["work255"]

    page.locator("#grades tbody a").click()
    page.locator("dialog .reviews").wait_for()
    assert page.locator("dialog h2").inner_text() == "work255"
    assert page.locator("dialog .standing-now div").first.inner_text().startswith("Rank\n")
    assert visitor.complaints == []


def test_the_time_left_is_counted_and_the_address_copied(visit, posters_result):
    visitor = visit(permissions=["clipboard-read", "clipboard-write"])
    page = visitor.page
    visitor.go(posters_result)

    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".copied")).to_have_text("Copied.")

    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert re.fullmatch(r"23 h \d\d? min left", page.locator("#keeping [data-left]").inner_text())


def test_the_report_works_in_its_sandbox(visit, posters_result):
    visitor = visit()
    visitor.go(posters_result)

    visitor.page.get_by_role("link", name="Open the report").click()
    expect(visitor.page.locator(".tools input")).to_have_count(3)

    assert visitor.page.evaluate("window.origin") == "null"
    assert visitor.complaints == []
