"""A class from its roster to the last answer, by clicking, in a real browser: story.py, story_grades.py."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from tests.web.browser.story import LATE, NO_SHOW, STUDENTS, Story
from tests.web.browser.story_grades import GradesStory, tell_grades
from tests.web.browser.visitor import SIZES

pytestmark = [pytest.mark.browser, pytest.mark.long]

TWICE = """() => {
  const ids = [...document.querySelectorAll("[id]:not([type=hidden])")].map((one) => one.id);
  return [...new Set(ids.filter((one, at) => ids.indexOf(one) !== at))];
}"""
LOOKS = [(theme, size) for theme in ("light", "dark") for size in SIZES]


class Inspector:
    """Lets axe-core look at every page of the story once: light and dark, on a desk and on a phone."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.wrong: list[str] = []

    def __call__(self, page: Page, name: str) -> None:
        if name in self.seen:
            return
        self.seen.add(name)
        before = page.viewport_size
        for theme, size in LOOKS:
            width, height = SIZES[size]
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # colours change at once
            page.set_viewport_size({"width": width, "height": height})
            self.wrong += [f"{name}, {theme}, {size}: {one}" for one in self._violations(page)]
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(before)

    @staticmethod
    def _violations(page: Page) -> list[str]:
        found = [
            f"{one['id']}: {node['html'][:120]}"
            for one in Axe().run(page).response["violations"]
            for node in one["nodes"]
        ]
        found += [f"two with the id {one}" for one in page.evaluate(TWICE)]
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        return [*found, f"{wide} px too wide"] if wide > 0 else found


def test_a_class_from_roster_to_the_last_answer(browser, service, tmp_path):
    inspector = Inspector()
    story = GradesStory(browser, service, inspector)
    try:
        tell(story)
        tell_grades(story, tmp_path)
    finally:
        story.close()

    assert not inspector.wrong, "\n".join(inspector.wrong)


def tell(story: Story) -> None:
    story.make_course()
    story.import_roster()
    story.make_assignment()
    story.hand_in_everything()
    story.allocate()
    given = story.matrix()
    assert len(given) == len(set(given))

    story.rank_by_mouse("Ada")
    before, after = story.report_one("Ben")
    assert len(after) == len(before)
    assert before[0] not in after
    story.rank_the_rest("Ben")
    story.rank_by_keyboard("Cem")
    assert " = " in story.rank_on_a_phone("Dia")
    assert " = " in story.rank_without_script("Emmy")

    story.late_one_joins()
    story.repair()
    assert story.works_for(NO_SHOW) == []
    for name in STUDENTS:
        if name != NO_SHOW:
            story.rank_the_rest(name)
    assert len(story.reviewers_of(LATE)) >= 2
    story.finish()
