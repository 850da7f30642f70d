"""After grading: files, deletion, cancelling; and the pages beside the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.web.at_work import SMALL
from tests.web.browser.looks import look
from tests.web.held import hold, let_go, release

pytestmark = [pytest.mark.browser, pytest.mark.full]

SIZES = pytest.mark.parametrize(("size", "theme"), [("desktop", "dark"), ("phone", "light")])


def example(visitor) -> None:
    visitor.go("/")
    visitor.page.get_by_role("button", name="Try it with an example class").click()
    visitor.page.get_by_role("button", name="Grade this class").wait_for()


def start_and_hold(visitor, service) -> Path:
    """A job that stands still at its file, so that there is time to look and to cancel; its file."""
    visitor.upload("feedback.csv", SMALL)
    visitor.page.locator("#id_scale").fill("0:10")
    visitor.page.locator("#id_curve").fill("6:1")
    newest = max((service.folder / "data" / "jobs").iterdir(), key=lambda folder: folder.stat().st_mtime_ns)
    file = newest / "input" / "feedback.csv"
    with asleep(service):  # the button has the file read once more, so it cannot be held before
        visitor.page.get_by_role("button", name="Grade this class").click()
        visitor.page.locator("#progress").wait_for()
        hold(file)
    return file


@contextmanager
def asleep(service) -> Iterator[None]:
    """Meanwhile no job is taken from the queue."""
    workers = service.processes()["task_worker"]
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        for worker in workers:
            os.kill(worker, signal.SIGCONT)


def test_deleted_result_is_gone(visit):
    visitor = visit()
    example(visitor)
    visitor.grade()
    address = visitor.page.url

    visitor.page.locator("#keeping summary").click()
    visitor.page.locator("#keeping").get_by_role("button", name="Delete everything").click()
    visitor.page.get_by_role("heading", name="Everything is deleted").wait_for()
    assert visitor.broken_rules() == []

    assert visitor.page.goto(address).status == 404
    assert visitor.page.get_by_role("heading", level=1).inner_text() == "There is nothing at this address"


@SIZES
def test_cancelled_job_can_be_tried_again(visit, service, size, theme):
    visitor = visit(size, theme)
    file = start_and_hold(visitor, service)
    assert visitor.broken_rules() == []

    visitor.page.get_by_role("button", name="Cancel").click()
    visitor.page.get_by_role("heading", name="Cancelled").wait_for()
    assert visitor.broken_rules() == []
    let_go(file)
    visitor.page.get_by_role("button", name="Change the options and try again").click()

    visitor.page.get_by_role("button", name="Grade this class").wait_for()
    assert visitor.page.locator("#id_scale").input_value() == "0:10"


def test_progress_leads_to_the_result(visit, service):
    visitor = visit()
    file = start_and_hold(visitor, service)

    release(file)

    visitor.see_result()


def test_pages_beside_the_way_keep_the_rules(visit):
    visitor = visit()

    assert [one for path in ("/", "/privacy") for one in look(visitor, path)] == []


def test_focus_is_seen(visit):
    visitor = visit()
    visitor.go("/")

    visitor.tab_to("Try it with an example class")

    width = "getComputedStyle(document.activeElement).outlineWidth"
    assert visitor.page.evaluate(width) == "3px"


def test_focus_is_never_under_a_bar(visit):
    """On the way down the buttons stay at the foot of the page, on the way up the contents at its head."""
    visitor = visit("phone", reduced_motion="reduce")
    example(visitor)
    visitor.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    assert visitor.covered_by(".actions.sticky", "Tab", 60) == []
    visitor.grade()
    visitor.page.locator("main a:visible").last.focus()
    assert visitor.covered_by(".contents", "Shift+Tab", 60) == []


@pytest.mark.parametrize(("theme", "paper"), [("light", "rgb(250, 249, 246)"), ("dark", "rgb(20, 23, 28)")])
def test_page_follows_the_theme(visit, theme, paper):
    visitor = visit(theme=theme)
    visitor.go("/")

    assert visitor.page.evaluate("getComputedStyle(document.body).backgroundColor") == paper


def test_nothing_comes_from_elsewhere(visit, service):
    visitor = visit()
    asked = []
    visitor.page.on("request", lambda request: asked.append(request.url))

    example(visitor)
    visitor.grade()

    assert [url for url in asked if not url.startswith(service.address)] == []
