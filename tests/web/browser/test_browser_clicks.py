"""How many clicks it takes an instructor to release grades, from an empty instance.

A click is a press on a link, a button, a tick box, a choice or the field of a file; typing is none.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page
from tests.web.browser.visitor import PATIENCE, follow, see
from tests.web.service import Service

pytestmark = [pytest.mark.browser, pytest.mark.full, pytest.mark.long]
MOST = 15
STUDENTS = ("Ada", "Ben", "Cem", "Dia", "Emmy", "Farid", "Grace", "Ines")
ROSTER = "Name,E-mail\n" + "".join(f"{name},{name}@example.org\n" for name in STUDENTS)


class Instructor:
    """Counts what is clicked."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0
        page.set_default_timeout(PATIENCE)

    def press(self, role: str, name: str) -> None:
        """A button or link that leads to another page."""
        self.clicks += 1
        follow(self.page.get_by_role(role, name=name, exact=True).first)

    def tick(self, target: Locator) -> None:
        self.clicks += 1
        target.check()

    def choose_file(self, content: str) -> None:
        self.clicks += 1
        file = {"name": "roster.csv", "mimeType": "text/csv", "buffer": content.encode()}
        self.page.set_input_files("input[type=file]", file)


@pytest.fixture
def empty(tmp_path) -> Iterator[Service]:
    """A service of which nobody has an account yet."""
    made = Service(tmp_path / "empty", PEERAGE_MAX_DIRECT_SECONDS="600")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def instructor(browser: Browser) -> Iterator[Instructor]:
    window = browser.new_context()
    yield Instructor(window.new_page())
    window.close()


def test_from_an_empty_instance_to_released_grades(empty: Service, instructor: Instructor):
    page = instructor.page
    offer = empty.process.stdout.readline()
    page.goto(re.search(r"http\S+", offer)[0])
    for label, text in (
        ("Name", "Ina"),
        ("E-mail address", "ina@example.org"),
        ("Password", "riddles every day"),
    ):
        page.get_by_label(label).fill(text)
    instructor.press("button", "Save and sign in")
    page.get_by_label("Course name").fill("Riddles")
    instructor.press("button", "Create the course")
    instructor.choose_file(ROSTER)
    instructor.press("button", "Upload and preview")
    see(page.get_by_role("heading", name="What will change"))
    instructor.tick(page.get_by_label("Invite students who have not been invited yet"))
    instructor.press("button", "Import")
    instructor.press("link", "Create an assignment")
    page.get_by_label("Title").fill("One page")
    page.get_by_label("Reviews per student").fill("4")
    instructor.tick(page.get_by_label("A curve:"))
    instructor.press("button", "Create and publish")

    assignment = page.url
    empty.play("submit", assignment)
    page.reload()
    instructor.press("button", "Close submissions")
    see(page.get_by_role("button", name="Confirm and start the review phase"))
    instructor.press("button", "Confirm and start the review phase")
    empty.play("rank", assignment)
    page.reload()
    instructor.press("button", "Close the review phase")
    page.get_by_role("button", name="Approve for release").wait_for()
    instructor.press("button", "Approve for release")
    question = page.get_by_label("I have checked this. The grades are right.")
    if question.count():
        instructor.tick(question)
    instructor.press("button", "Release grades")
    page.get_by_role("heading", name="Students see their grades").wait_for()

    assert instructor.clicks <= MOST
