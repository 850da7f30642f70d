"""A class from its roster to the last answer, by clicking, in a real browser: story.py, story_grades.py.

On the way axe-core and our own rules look at every page in every look; where tests are chosen by marks, as
`make test` does, our own rules alone, in one look.
"""

import pytest
from playwright.sync_api import Page
from tests.web.browser.looks import in_every_look, own_rules
from tests.web.browser.story import ABSENT, LATE, NO_SHOW, STUDENTS, Story
from tests.web.browser.story_grades import GradesStory, tell_grades

pytestmark = [pytest.mark.browser, pytest.mark.both, pytest.mark.long]


class Inspector:
    """Looks at every page of the story once."""

    def __init__(self, every_look: bool) -> None:
        self.every_look = every_look
        self.seen: set[str] = set()
        self.wrong: list[str] = []

    def __call__(self, page: Page, name: str) -> None:
        if name not in self.seen:
            self.seen.add(name)
            found = in_every_look(page) if self.every_look else own_rules(page)
            self.wrong += [f"{name}, {one}" for one in found]


def test_a_class_from_roster_to_the_last_answer(browser, service, tmp_path, request):
    inspector = Inspector(every_look=not request.config.getoption("markexpr"))
    story = GradesStory(browser, service, inspector)
    try:
        tell(story)
        tell_grades(story, tmp_path)
    finally:
        story.close()

    complaints = [one for page in story.complaints for one in page]
    assert not inspector.wrong + complaints, "\n".join(inspector.wrong + complaints)


def tell(story: Story) -> None:
    story.make_course()
    story.import_roster()
    story.make_assignment()
    story.announce()
    story.submit_everything()
    story.allocate()
    given = story.matrix()
    assert len(given) == len(set(given))

    story.rank_by_mouse("Ada")
    before, after = story.report_one("Ben")
    assert len(after) == len(before)
    assert before[0] not in after
    story.rank_the_rest("Ben")
    story.rank_the_rest("Cem")
    story.review_own("Cem")
    assert " = " in story.rank_on_a_phone("Dia")

    story.late_one_joins()
    story.repair()
    assert story.submissions_for(NO_SHOW) == []
    for name in STUDENTS:
        if name not in (NO_SHOW, ABSENT):
            story.rank_the_rest(name)
    assert len(story.reviewers_of(LATE)) >= 2
    story.finish()
