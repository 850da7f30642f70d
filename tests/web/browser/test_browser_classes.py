"""Pages of classes in a real browser: axe-core finds nothing, in light and dark, on a desk and on a phone."""

from __future__ import annotations

import pytest
from tests.web.browser.following import follow, see
from tests.web.browser.looks import look, violations
from tests.web.browser.story import IS_DRAWN
from tests.web.service import until

pytestmark = [pytest.mark.browser, pytest.mark.full]

STRANGER = ("/sign-in", "/reset", "/link/gone")


@pytest.fixture(scope="module")
def room(service) -> dict:
    return service.put_class()


def sign_in(visitor, link: str) -> None:
    visitor.go(link)
    visitor.page.locator("main button.primary").click()
    visitor.page.wait_for_url("**/courses")


def test_pages_of_staff(visit, room, states):
    visitor = visit(storage_state=states["instructor"])
    course, phases = room["course"], room["assignments"]
    paths = [
        "/courses", "/courses/new", "/account", course, room["member"],
        *(course + page for page in ("people", "roster", "activity-log", "settings", "assignments/new")),
        *phases.values(),
        *(phases["submitting"] + page for page in ("edit", "dates", "teams", "as-student")),
        *(phases["submitting"] + page for page in ("progress", "progress/remind")), "/calendar",
    ]  # fmt: skip

    assert [one for path in paths for one in look(visitor, path)] == []


def test_pages_of_students_observers_and_strangers(visit, room, states):
    wrong = []
    student = visit(storage_state=states["student"])
    for path in ("/courses", "/calendar", room["course"], room["assignments"]["submitting"]):
        wrong += look(student, path)
    wrong += look(student, room["course"] + "people", status=403)
    observer = visit(storage_state=states["observer"])
    for path in (room["course"], room["course"] + "people", room["assignments"]["reviewing"]):
        wrong += look(observer, path)
    stranger = visit()
    wrong += [one for path in STRANGER[:2] for one in look(stranger, path)]
    wrong += look(stranger, STRANGER[2], status=410)

    assert wrong == []


def test_roster_is_imported_by_clicking(visit, states, room):
    visitor = visit(storage_state=states["instructor"])
    page = visitor.page
    visitor.go(room["course"] + "roster")
    page.set_input_files(
        "input[type=file]",
        {"name": "more.csv", "mimeType": "text/csv", "buffer": b"email,name\nnew@example.org,New\n"},
    )
    follow(page.get_by_role("button", name="Upload and preview"))
    see(page.get_by_role("heading", name="What will change"))
    assert violations(visitor.page) + visitor.broken_rules() == []

    follow(page.get_by_role("button", name="Import", exact=True))

    assert page.locator(".notice").first.inner_text() == "Imported: 1 added, 0 changed, 0 unchanged."


def test_expected_error_stands_beside_the_number_of_reviews(visit, states, room):
    visitor = visit(storage_state=states["instructor"])
    figure = visitor.page.locator("#expected strong")
    gave_up = visitor.page.get_by_text("could not be calculated right now")

    for _try in range(20):  # a busy machine may not be done in the time that one look has
        visitor.go(room["course"] + "assignments/new")
        figure.or_(gave_up).wait_for()
        if figure.count():
            break

    assert (
        "of pairs of submissions will be ranked differently" in visitor.page.locator("#expected").inner_text()
    )


def test_assignment_is_set_up_and_published_by_clicking(visit, states, room):
    visitor = visit(storage_state=states["instructor"])
    page = visitor.page
    visitor.go(room["course"] + "assignments/new")
    page.get_by_label("Title").fill("By clicking")
    follow(page.get_by_role("button", name="Create the assignment"))
    follow(page.get_by_role("button", name="Publish"))

    assert page.locator(".notice").first.inner_text() == "The assignment is now in the phase “Submission”."
    assert page.locator("[aria-current=step]").inner_text().startswith("Submission")


@pytest.mark.parametrize(("size", "theme"), [("desktop", "light"), ("phone", "dark")])
def test_submission_is_submitted_by_clicking(visit, states, room, size, theme):
    from tests.web.classes import planted
    from tests.web.classes.searching import Marks

    visitor = visit(size, theme, storage_state=states["student"])
    page, assignment = visitor.page, room["assignments"]["submitting"]
    visitor.go(assignment + "submission/")
    page.set_input_files(
        "input[type=file]",
        {"name": "poster.pdf", "mimeType": "application/pdf", "buffer": planted.pdf(Marks())},
    )
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("button", name="Submit", exact=True).wait_for(timeout=60_000)
    page.locator(".leaf img").last.scroll_into_view_if_needed()
    until(lambda: page.evaluate(IS_DRAWN))
    assert violations(visitor.page) + visitor.broken_rules() == []

    page.get_by_role("button", name="Submit", exact=True).click()
    page.get_by_role("heading", name="Receipt").wait_for()

    assert violations(visitor.page) + visitor.broken_rules() == []
    staff = visit(size, theme, storage_state=states["instructor"])
    assert look(staff, assignment + "submissions") == []
    staff.page.get_by_role("row").nth(1).get_by_role("link").click()
    staff.page.locator(".leaf img").first.wait_for()
    assert violations(staff.page) + staff.broken_rules() == []
