"""The class of `story` goes on: grades, release, an appeal, what students thought, and what is exported."""

import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from playwright.sync_api import Page
from tests.web.browser.story import ABSENT, LATE, STUDENTS, Story, address_of
from tests.web.browser.visitor import follow

ASSISTANT = "story-assistant@example.org"
LOOKS = ("78", "64", "86")  # what staff give the three submissions where a staff review helps most
APPEALED, BY_HAND = "Tides", "Inés"  # of the submissions, those that staff do not grade before
ANSWERED = ("Ada", "Ben", "Cem", "Dia", "Emmy", "Hương")  # the survey
INPUTS = ("feedback.csv", "roster.csv", "anchors.csv")


class GradesStory(Story):
    """From rankings that are in to the last answer."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.run = ""  # the path of the run that is approved

    # -- grades -----------------------------------------------------------------------------------------

    def grade(self) -> None:
        """Closing the review phase has made a run without points; then by staff grades."""
        page = self.go(self.teacher, self.assignment + "grading/")
        self.look(page, "grading-begins")
        follow(page.get_by_role("link", name="Grades of all students"))
        page.get_by_text("This run has no points").wait_for()
        self.look(page, "run")
        self._explain_one(page)
        follow(page.get_by_role("link", name="Where a staff review helps most").first)
        self.look(page, "staff-reviews")
        listed = page.locator(".staff-reviews > li")
        listed = listed.filter(has_not_text=re.compile(f"{APPEALED}|{BY_HAND}"))
        for place, points in enumerate(LOOKS):
            listed.nth(place).get_by_label("Points").fill(points)
        follow(page.get_by_role("button", name="Save all points").last)
        page.get_by_text("staff grades are saved").wait_for()
        self.go(page, self.assignment + "grading/")
        page.get_by_role("button", name="Grade again").click()
        page.get_by_role("heading", name="The class in one picture").wait_for()
        self.run = page.url.removeprefix(self.service.address).split("?")[0]
        page.get_by_role("link", name="Compare with another run").click()
        page.get_by_text("The staff grades of 3 submissions were added").wait_for()
        self.look(page, "comparison")

    @staticmethod
    def _explain_one(page: Page) -> None:
        """What one grade rests on, over the page."""
        page.locator("#details > summary").click()
        page.locator("#grades tbody a").first.click()
        page.get_by_role("heading", name="What each review did to its score").wait_for()
        page.get_by_role("button", name="Close").click()

    def set_by_hand(self, name: str, points: str) -> None:
        page = self.go(self.teacher, self.run)
        self.look(page, "students")
        assert "no submission" in page.get_by_role("row").filter(has_text=ABSENT).inner_text()
        page.get_by_role("link", name=re.compile(f"Set the grade by hand {name}$")).click()
        page.get_by_label("Points").fill(points)
        page.get_by_label("Reason").fill("A page was lost in the scan.")
        self.look(page, "by-hand")
        page.get_by_role("button", name="Set the grade").click()
        page.get_by_text("has been set by hand.").wait_for()

    def release(self) -> None:
        page = self.go(self.teacher, self.run)
        page.get_by_role("button", name="Approve for release").click()
        page.get_by_text("is approved. Students do not see its grades").wait_for()
        self.look(page, "release-begins")
        page.get_by_role("button", name="Release grades").click()
        page.get_by_role("heading", name="Students see their grades").wait_for()
        self.look(page, "release")

    # -- what students see ------------------------------------------------------------------------------

    def read_grade(self, name: str, size: str = "desktop") -> str:
        """Rates every reviewer first; the page with the grade."""
        page = self.go(self._page(address_of(name), size), self.assignment)
        self.look(page, "released-student")
        follow(page.get_by_role("link", name="Read and rate the feedback"))
        assert "points on a scale" not in page.locator("main").inner_text()
        self.look(page, "rating")
        for group in page.locator("fieldset.rating").all():
            group.locator("input").nth(3).check()
        page.get_by_role("button", name="Save and show my grade").click()
        page.get_by_role("heading", name="Grade and feedback").wait_for()
        self.look(page, "grade")
        return page.locator("main").inner_text()

    def reply(self, name: str) -> None:
        """Once, to all reviewers, who read it without a name below what they wrote."""
        page = self.windows[address_of(name)].pages[0]
        page.get_by_label("Your reply").fill("Thank you. The second figure will be larger.")
        follow(page.get_by_role("button", name="Send reply"))
        page.get_by_text("Your reviewers see it without your name.", exact=True).wait_for()
        self.look(page, "reply")
        page = self.go(self._page(address_of(self.reviewers_of(name)[0])), self.assignment + "reviews/")
        replies = page.get_by_text("The second figure will be larger.")
        replies.first.wait_for(state="attached")
        assert name not in page.locator("main").inner_text()

    # -- an appeal --------------------------------------------------------------------------------------

    def appeal(self, name: str) -> None:
        page = self.go(self.windows[address_of(name)].pages[0], self.assignment + "appeal/")
        page.get_by_label(re.compile("^Why|reason", re.IGNORECASE)).fill("Our second figure was overlooked.")
        self.look(page, "appeal")
        page.get_by_role("button", name="Submit appeal").click()
        page.get_by_role("heading", name="Your appeal is waiting for a decision").wait_for()

    def answer_appeal(self, name: str, points: str) -> str:
        """Evidence, who else would move, accepted; what happened, as the page has it."""
        page = self.go(self.teacher, self.assignment + "appeals/")
        self.look(page, "appeals")
        page.get_by_role("link", name=name, exact=True).click()
        page.get_by_role("link", name="Show the effect of each review").click()
        page.locator("#explained-here").get_by_role("heading").first.wait_for()
        explanation = "You are right: the figure on page 2 was overlooked."
        page.get_by_label("Points you would give").fill(points)
        page.get_by_role("textbox", name="Reason").fill("The second figure is there.")
        page.get_by_label("Explanation of the decision").fill(explanation)
        page.get_by_role("button", name="See what would change").click()
        page.get_by_text("No other student would be affected.").wait_for()
        self.look(page, "appeal-preview")
        assert page.get_by_label("Explanation of the decision").input_value() == explanation
        page.get_by_role("button", name="Accept and release the new grade").click()
        page.get_by_text("have changed and are released").wait_for()
        return page.locator("main").inner_text()

    def appeal_answered(self, name: str) -> str:
        page = self.go(self.windows[address_of(name)].pages[0], self.assignment + "appeal/")
        page.get_by_role("heading", name="Your appeal was accepted").wait_for()
        self.look(page, "appeal-answered")
        return page.locator("main").inner_text()

    # -- the survey -------------------------------------------------------------------------------------

    def answer_survey(self) -> None:
        for number, name in enumerate(ANSWERED):
            page = self.go(self._page(address_of(name)), self.assignment + "survey/")
            self.look(page, "survey")
            for question in page.locator("fieldset.question").all():
                question.locator("input").nth(number % 3).check()
                question.get_by_label("In your own words").fill(
                    f"Reading {number + 3} submissions taught me much."
                )
            page.get_by_role("button", name="Save answers").click()
            page.get_by_text("Thank you. Your answers are saved.").wait_for()

    def add_assistant(self) -> Page:
        page = self.go(self.teacher, self.course + "people")
        form = page.locator("form", has=page.get_by_role("button", name="Invite", exact=True))
        form.get_by_label("E-mail").fill(ASSISTANT)
        form.get_by_role("button", name="Invite", exact=True).click()
        page.get_by_text(ASSISTANT).first.wait_for()
        self.sessions |= self.service.put_people(ASSISTANT)
        return self._page(ASSISTANT)

    def code_survey(self) -> str:
        """By two, blind to each other; the page with their agreement."""
        assistant = self.add_assistant()
        page = self.go(self.teacher, self.assignment + "survey/answers")
        page.get_by_label("I understand that this cannot be undone").check()
        follow(page.get_by_role("button", name="Close the survey and read the answers"))
        for coder, turn in ((self.teacher, 0), (assistant, 1)):
            for question in range(2):
                self._code(coder, question, turn)
        page = self.go(self.teacher, self.assignment + "survey/results")
        page.get_by_role("button", name="Finish categorising and show results").click()
        page.get_by_text("All together").first.wait_for()
        self.look(page, "survey-results")
        return page.locator("main").inner_text()

    def _code(self, page: Page, question: int, turn: int) -> None:
        self.go(page, self.assignment + "survey/answers")
        self.look(page, "survey-answers")
        coding = page.locator("details.advanced")
        if coding.get_attribute("open") is None:
            coding.locator("summary").click()
        follow(page.locator(".questions > li").nth(question).get_by_role("link"))
        for number, answer in enumerate(page.locator("form fieldset.card").all()):
            answer.locator("input").nth((number + (turn if number == 0 else 0)) % 3).check()
        self.look(page, "survey-sorting")
        follow(page.get_by_role("button", name="Save and continue"))
        assert (
            "You have categorised 6 of 6 answers."
            in page.locator(".questions > li").nth(question).inner_text()
        )

    # -- exports ----------------------------------------------------------------------------------------

    def graded_again(self, folder: Path) -> tuple[bytes, bytes]:
        """grades.csv of the approved run, and of `peerage grade` on what the run was made from."""
        for name in (*INPUTS, "grades.csv"):
            (folder / name).write_bytes(self.file(f"{self.run}file?name={name}"))
        options = ("--roster", "roster.csv", "--anchors", "anchors.csv", "--anchors-as-evidence")
        command = [sys.executable, "-m", "peerage", "grade", "feedback.csv", *options]
        command += ["--scale", "0:100", "--out", "again"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return (folder / "grades.csv").read_bytes(), (folder / "again" / "grades.csv").read_bytes()

    def file(self, path: str) -> bytes:
        """Something that the teacher downloads."""
        answer = self.windows["story-teacher@example.org"].request.get(self.service.address + path)
        assert answer.ok, f"{path}: {answer.status}"
        return answer.body()

    def finish_grades(self) -> None:
        page = self.go(self.teacher, self.course + "people")
        member = page.get_by_role("link", name="Ada", exact=True).get_attribute("href")
        number = member.rstrip("/").rpartition("/")[2]
        of_assignment = (
            "", "grading/", "grading/plan", "grading/ranking", "survey/questions", "release/",
            f"release/as/{number}/", f"release/as/{number}/?stage=rate", "release/reviewers",
            "feedback/", "feedback/?show=hidden", "exports", "exports/data",
        )  # fmt: skip
        of_course = ("activity-log", "settings", "copy")
        self.look_at(self.teacher, *(self.assignment + path for path in of_assignment), member)
        self.look_at(self.teacher, *(self.course + path for path in of_course))
        self.look_at(self.teacher, "/courses", "/courses/new", "/account", "/calendar")
        self.look(self.go(self.teacher, self.course), "overview-staff")
        page = self.windows[address_of("Ada")].pages[0]
        self.look(self.go(page, self.course), "overview-student")
        self.look(self.go(page, self.course + "people"), "refused")

    def erase(self, name: str) -> None:
        """The name is in no list, in no file of the ZIP, and on no page of the run."""
        page = self.go(self.teacher, self.course + "people")
        follow(page.get_by_role("link", name=name, exact=True))
        page.get_by_label("I understand that this cannot be undone").check()
        follow(page.get_by_role("button", name="Erase this person’s data from the course"))
        for path in (f"{self.course}people", self.run, f"{self.assignment}submissions"):
            assert name not in self.go(page, path).locator("main").inner_text()
        with zipfile.ZipFile(io.BytesIO(self.file(self.assignment + "submissions/download"))) as archive:
            assert [one for one in archive.namelist() if name in one] == []
            assert [one for one in archive.namelist() if name.encode() in archive.read(one)] == []


def tell_grades(story: GradesStory, folder: Path) -> None:
    """After `test_browser_story.tell`."""
    story.grade()
    story.set_by_hand(BY_HAND, "77")
    story.release()
    before = story.read_grade("Ada")
    assert "points on a scale from 0 to 100" in before
    assert "The likely range (" in before
    assert "77" in story.read_grade(BY_HAND, "phone")
    story.reply(BY_HAND)

    story.appeal("Ada")
    trail = story.answer_appeal("Ada", "90")
    assert "accepted the appeal of Ada" in trail
    told = story.appeal_answered("Ada")
    assert "You are right" in told
    assert "story-teacher" not in told  # who answered is not shown
    after = story.go(story.windows[address_of("Ada")].pages[0], story.assignment + "grade/")
    assert "90 points" in after.locator("main").inner_text()

    story.answer_survey()
    assert "Cohen" in story.code_survey()
    ours, again = story.graded_again(folder)
    assert ours == again
    book = story.file(story.assignment + "exports/book?book=csv&what=parts").decode()
    assert [name for name in STUDENTS if name not in book] == []
    story.finish_grades()
    story.erase(LATE)
