"""Tabs, and the one button of the overview: every page of staff has its place, the next thing leads."""

from __future__ import annotations

from tests.web.classes.cast import move
from tests.web.classes.grading_room import GradingRoom
from tests.web.page_facts import texts

from peerage_web.classes.enums import Phase
from peerage_web.classes.grading.services import approve_run
from peerage_web.classes.navigation import ASSIGNMENT_TABS, _fit


def test_a_page_belongs_to_the_tab_it_is_reached_from():
    def tab_of(name: str) -> str:
        links = [(tab, link) for tab in ASSIGNMENT_TABS for link in tab.links]
        tab, link = max(links, key=lambda pair: _fit(pair[1], name))
        return str(tab.label) if _fit(link, name) else ""

    assert len(ASSIGNMENT_TABS) <= 6
    pages = {
        "grading-run": "Grades", "appeals-one": "Grades", "release-as": "Grades", "export-data": "Grades",
        "grading-plan": "Settings", "survey-staff": "Settings", "submissions-one": "Submissions",
        "submission-for": "Submissions", "release-reviewers": "Reviews", "allocation-import": "Reviews",
        "rank-for": "Reviews", "remind": "Students",
    }  # fmt: skip
    assert {name: tab_of(name) for name in pages} == pages


def test_students_see_no_tabs_and_staff_those_that_lead_somewhere(cast):
    move(cast.assignment, Phase.SUBMITTING)
    path = cast.assignment.get_absolute_url()

    pages = [cast.client(word).get(path).context.get("navigation") for word in ("student", "instructor")]
    assert pages[0] is None
    tabs = [str(tab.label) for tab in pages[1].tabs]
    assert tabs == ["Overview", "Students", "Submissions", "Reviews", "Settings"]


def test_after_closing_the_overview_leads_to_grading_then_to_release(cast):
    room = GradingRoom(cast)
    client, path = cast.client("instructor"), room.assignment.get_absolute_url()

    def primary() -> list[str]:
        return texts(client.get(path), ".primary")

    assert primary() == ["Grade the class now"]
    run = room.run()
    assert primary() == ["Check the grades"]
    approve_run(run=run, by=room.by)
    assert primary() == ["Preview and release grades"]
