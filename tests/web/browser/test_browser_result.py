"""The result page under pointer, finger and keyboard."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import expect
from tests.web.browser.visitor import POSTERS, Visitor

pytestmark = pytest.mark.browser

SIZES = pytest.mark.parametrize(("size", "theme"), [("desktop", "light"), ("phone", "dark")])


@pytest.fixture(scope="module")
def graded(browser, service):
    """Grades a file once; the path of its result."""
    paths = {}

    def path_of(name: str, content: bytes) -> str:
        if name not in paths:
            window = browser.new_context()
            visitor = Visitor(window, service.address, "desktop")
            visitor.upload(name, content)
            visitor.grade()
            paths[name] = visitor.page.url.removeprefix(service.address)
            window.close()
        return paths[name]

    return path_of


@pytest.fixture
def posters_result(graded) -> str:
    return graded("posters.csv", (POSTERS / "feedback.csv").read_bytes())


@pytest.fixture
def long_result(graded) -> str:
    """A class with more items than the page shows at once."""
    rng = random.Random(3)
    rows = ["grader,item,rank"]
    for grader in range(260):
        works = sorted({grader, *rng.sample(range(260), 4)}, key=lambda work: work + rng.gauss(0, 20))
        rows += [f"peer{grader},work{work:03d},{rank}" for rank, work in enumerate(works, start=1)]
    return graded("long.csv", "\n".join(rows).encode())


@SIZES
def test_result_keeps_the_rules(visit, posters_result, size, theme):
    visitor = visit(size, theme)

    visitor.go(posters_result)

    expect(visitor.page.locator("#grades .tools")).to_be_visible()
    assert visitor.broken_rules() == []


def test_pointing_at_an_item_shows_its_interval(visit, posters_result):
    visitor = visit()
    visitor.go(posters_result)
    mark, tip = visitor.page.locator("a.mark").nth(4), visitor.page.locator(".tip")

    mark.hover()

    name, rank = tip.inner_text().splitlines()[:2]
    assert mark.get_attribute("aria-label").startswith(f"{name}: {rank[0].lower()}{rank[1:]}")
    visitor.page.mouse.move(0, 0)
    expect(tip).to_be_hidden()


def test_an_item_is_explained_by_keyboard_alone(visit, posters_result):
    visitor = visit("phone", "dark")
    page = visitor.page
    visitor.go(posters_result)
    page.locator("a.mark").first.focus()

    page.keyboard.press("ArrowDown")
    name = page.locator(".tip b").inner_text()
    page.keyboard.press("Enter")
    page.locator("dialog .reviews").wait_for()

    assert page.locator("dialog h2").inner_text() == name
    assert visitor.broken_rules() == []
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    expect(page.locator("a.mark").nth(1)).to_be_focused()


def test_an_item_of_the_table_is_explained_with_its_row(visit, posters_result):
    visitor = visit()
    page = visitor.page
    visitor.go(posters_result)
    link = page.locator("#grades tbody a").nth(2)

    link.click()
    page.locator("dialog .reviews").wait_for()

    assert page.locator("dialog h2").inner_text() == link.inner_text()
    assert page.locator("dialog .standing-now div").first.inner_text() == "Rank\n3"


def test_the_grades_can_be_sorted_and_searched(visit, posters_result):
    visitor = visit()
    page = visitor.page
    visitor.go(posters_result)
    names, heading = page.locator("#grades tbody th"), page.locator("#grades th").first
    expect(page.locator("#grades output")).to_have_text("42 rows")

    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert names.all_inner_texts() == sorted(names.all_inner_texts())

    page.locator("#grades-search").fill("poster07")
    expect(page.locator("#grades output")).to_have_text("1 of 42 rows")
    assert names.all_inner_texts() == ["poster07"]


def test_rows_beyond_the_page_come_when_they_are_wanted(visit, long_result):
    visitor = visit()
    page = visitor.page
    visitor.go(long_result)

    page.locator("#grade-table").scroll_into_view_if_needed()
    expect(page.locator("#grades output")).to_have_text("260 rows")
    page.locator("#grades-search").fill("work255")
    page.locator("#grades tbody a").click()

    page.locator("dialog .reviews").wait_for()
    assert page.locator("dialog h2").inner_text() == "work255"
    assert visitor.complaints == []


def test_the_time_left_is_counted_and_the_address_copied(visit, posters_result):
    visitor = visit(permissions=["clipboard-read", "clipboard-write"])
    page = visitor.page
    visitor.go(posters_result)

    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".copied")).to_have_text("Copied.")

    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert page.locator("#keeping [data-left]").inner_text() in ("23 h 59 min left", "23 h 58 min left")


def test_the_report_works_in_its_sandbox(visit, posters_result):
    visitor = visit()
    visitor.go(posters_result)

    visitor.page.get_by_role("link", name="Open the report").click()
    expect(visitor.page.locator(".tools input")).to_have_count(3)

    assert visitor.page.evaluate("window.origin") == "null"
    assert visitor.complaints == []
