"""A class from its roster to the last ranking, by clicking.

Eleven students, three teams and five alone: seven submissions. Ada ranks with the mouse, Dia on a phone, Cem
reviews their own; Ben reports a submission, Jun moves to another address, Inés writes in the browser, Kofi
submits a Word file and never reviews, Lise submits late, Mio never submits.
"""

import csv
import io
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page
from tests.web.browser.desk import Desk, sign_in
from tests.web.browser.looks import SIZES, complaints_of
from tests.web.browser.poster import poster
from tests.web.browser.visitor import PATIENCE, follow, see
from tests.web.classes import planted
from tests.web.service import Service, until

TEAMS = {"Tides": ("Ada", "Ben"), "Ice": ("Cem", "Dia"), "Beans": ("Emmy", "Hương")}
ALONE = ("Inés", "Jun", "Kofi", "Lise")
LATE, NO_SHOW, MOVED, ABSENT = "Lise", "Kofi", "Jun", "Mio"
TYPED, WORD = "Inés", "Kofi"
TEXT = "# Does music help while studying?\n\nForty people learnt words with **and** without it.\n"
STUDENTS = (*(name for team in TEAMS.values() for name in team), *ALONE, ABSENT)
PASSWORD = "riddles every day"
REVIEWS = 3
SUBMISSIONS = (
    "() => [...document.querySelectorAll('.submissions .submission')].map((one) => one.dataset.submission)"
)
IS_DRAWN = "() => document.querySelector('#see ~ .shown img')?.naturalWidth > 1"
ENDED = {"reassigned", "excluded", "reported and replaced"}  # in the file of who reviews whom

Look = Callable[[Page, str], None]


def address_of(name: str) -> str:
    return f"story-{STUDENTS.index(name)}@example.org"


def team_of(name: str) -> str:
    return next((team for team, members in TEAMS.items() if name in members), "")


def roster() -> bytes:
    """As the registrar would send it: the first line stands there twice."""
    lines = ["Name,E-mail,Student ID,Group"]
    lines += [f"{name},{address_of(name)},S-{at:03},{team_of(name)}" for at, name in enumerate(STUDENTS)]
    lines.append(lines[1])
    return "\n".join(lines).encode()


class Story:
    """The course, and a window for everybody in it. `look` is called on every page worth a look."""

    def __init__(self, browser: Browser, service: Service, look: Look) -> None:
        self.browser, self.service, self.look = browser, service, look
        self.sessions = service.put_people("story-teacher@example.org")
        self.windows: dict[str, BrowserContext] = {}
        self.complaints: list[list[str]] = []  # of the browser, one list for each page
        self.teacher = self._page("story-teacher@example.org")
        self.course = self.assignment = ""

    def close(self) -> None:
        for window in self.windows.values():
            window.close()

    def _page(self, address: str, size: str = "desktop", **options: Any) -> Page:
        if address in self.windows:
            self.windows.pop(address).close()
        width, height = SIZES[size]
        options |= {"viewport": {"width": width, "height": height}, "has_touch": size == "phone"}
        window = self.browser.new_context(**options)
        self.windows[address] = sign_in(window, self.service.address, self.sessions[address])
        page = window.new_page()
        page.set_default_timeout(PATIENCE)
        self.complaints.append(complaints_of(page))
        return page

    def look_at(self, page: Page, *paths: str) -> None:
        for path in paths:
            self.look(self.go(page, path), path.removeprefix(self.assignment).removeprefix(self.course))

    def go(self, page: Page, path: str) -> Page:
        page.goto(self.service.address + path)
        return page

    def desk(self, name: str, size: str = "desktop", **options: Any) -> Desk:
        """Somebody at the ranking screen."""
        page = self._page(address_of(name), size, **options)
        room = {"reviews": self.assignment + "reviews/"}
        return Desk(self.windows[address_of(name)], self.service.address, room, page)

    # -- before reviewing -------------------------------------------------------------------------------

    def make_course(self) -> None:
        page = self.go(self.teacher, "/courses/new")
        page.get_by_label("Course name").fill("Experimental design")
        page.get_by_label("Time zone").fill("UTC")
        page.get_by_role("button", name="Create the course").click()
        page.wait_for_url("**/c/*/")
        self.course = page.url.removeprefix(self.service.address)

    def import_roster(self) -> None:
        page = self.go(self.teacher, self.course + "roster")
        file = {"name": "roster.csv", "mimeType": "text/csv", "buffer": roster()}
        page.set_input_files("input[type=file]", file)
        follow(page.get_by_role("button", name="Upload and preview"))
        see(page.get_by_role("heading", name="What will change"))
        page.get_by_text("1 repeated line is skipped").wait_for()
        self.look(page, "roster")
        page.get_by_label("Invite students who have not been invited yet").check()
        page.get_by_role("button", name="Import", exact=True).click()
        page.get_by_text("Imported: 11 added").wait_for()
        page.get_by_text("This site has no mail server, so no e-mail was sent.").wait_for()
        self.look(page, "invitation-links")
        row = page.get_by_role("row").filter(has=page.get_by_text(MOVED, exact=True))
        self._move_address(row.locator("code").inner_text())
        self.look(self.go(page, self.course + "people"), "people")
        self.sessions |= self.service.put_people(*(address_of(name) for name in STUDENTS))

    def _move_address(self, invitation: str) -> None:
        """Somebody follows the link of the invitation, and then the one that is sent to another address."""
        window = self.browser.new_context()
        page = window.new_page()
        page.goto(invitation)
        page.get_by_label("Password").fill(PASSWORD)
        follow(page.get_by_role("button", name="Save and sign in"))
        self.go(page, "/account/address")
        page.get_by_label("New e-mail address").fill("moved@example.org")
        page.get_by_label("Current password").fill(PASSWORD)
        follow(page.get_by_role("button", name="Send the link"))
        page.goto(self._mailed("moved@example.org"))
        follow(page.get_by_role("button", name="Use this address"))
        assert "moved@example.org" in self.go(page, "/account").locator("main").inner_text()
        window.close()

    def _mailed(self, address: str) -> str:
        """The link in the newest mail to this address: without a mail server it is a file."""
        links: list[str] = []

        def look() -> bool:
            for path in sorted((self.service.folder / "data" / "mail").glob("*")):  # made with the first
                mail = message_from_bytes(path.read_bytes(), policy=policy.default)
                if mail["To"] == address:
                    links.extend(re.findall(r"http\S+/link/\S+", mail.get_content()))
            return bool(links)

        until(look)
        return links[-1]

    def make_assignment(self) -> None:
        page = self.go(self.teacher, self.course + "assignments/new")
        page.get_by_text("of pairs of submissions will be ranked differently").wait_for()
        page.get_by_label("Title").fill("Poster")
        page.get_by_label("Instructions").fill("One page: a **question**, and *one* figure.")
        page.get_by_label("Students work in teams").check()
        page.get_by_label("Students also rank their own submission").check()
        page.get_by_label("Reviews per student").fill(str(REVIEWS))
        self.look(page, "assignment-new")
        page.get_by_role("button", name="Create the assignment").click()
        page.get_by_role("button", name="Publish").wait_for()
        self.assignment = page.url.removeprefix(self.service.address)
        self.go(page, self.assignment + "teams")
        page.get_by_role("button", name="Use the groups from the roster").click()
        page.get_by_text("3 teams").wait_for()
        self.look(page, "teams")
        self._add_rubric(page)
        self.look(self.go(page, self.assignment), "assignment")
        page.get_by_role("button", name="Publish").click()
        page.get_by_text("The assignment is now in the phase “Submission”.").wait_for()

    def _add_rubric(self, page: Page) -> None:
        self.go(page, self.assignment + "rubric/")
        page.get_by_label("Criterion").fill("Clarity")
        page.get_by_label("Reviewers must choose a level").uncheck()
        follow(page.get_by_role("button", name="Add", exact=True))
        page.get_by_role("heading", name="Clarity").wait_for()
        self.look(page, "rubric")

    def announce(self) -> None:
        """Without a mail server it is on the page of the course alone, until it is withdrawn."""
        page = self.go(self.teacher, self.course + "announcements")
        page.get_by_label("Title").fill("Posters")
        page.get_by_label("Text").fill("One page is enough.")
        follow(page.get_by_role("button", name="Publish and send"))
        page.get_by_text("no e-mail was sent").wait_for()
        self.look(page, "announcements")
        student = self.go(self._page(address_of("Ada")), self.course)
        student.get_by_text("One page is enough.").wait_for()
        follow(page.get_by_role("button", name="Withdraw"))
        assert not self.go(student, self.course).get_by_text("One page is enough.").count()

    def submit(self, name: str, size: str = "desktop") -> Page:
        """One of the authors uploads or writes, looks at it, and submits it."""
        page = self.go(self._page(address_of(name), size), self.assignment + "submission/")
        self.look(page, "submission-to-do")
        if name == TYPED:
            page.get_by_text("Or write your text here").click()
            page.get_by_label("Your text").fill(TEXT)
            page.get_by_role("button", name="Save and preview").click()
        else:
            ending = "docx" if name == WORD else "pdf"
            buffer = planted.docx(str) if name == WORD else poster(team_of(name) or name)
            file = {"name": f"{name}.{ending}", "mimeType": "application/octet-stream", "buffer": buffer}
            page.set_input_files("input[type=file]", file)
            page.get_by_role("button", name="Upload").click()
        button = page.get_by_role("button", name=re.compile("^Submit ?(with these names)?$"))
        button.wait_for()
        if name == TYPED:
            page.get_by_role("heading", name="Does music help while studying?").wait_for()
        else:
            until(lambda: page.evaluate(IS_DRAWN))
        self.look(page, "submission-as-reviewers-see-it")
        button.click()
        page.get_by_role("heading", name="Receipt").wait_for()
        self.look(page, "submission-receipt")
        return page

    def submit_everything(self) -> None:
        for name in (*(members[0] for members in TEAMS.values()), *ALONE):
            if name != LATE:
                self.submit(name)
        page = self.go(self.teacher, self.assignment + "submissions")
        self.look(page, "submissions")
        follow(page.get_by_role("link", name=MOVED, exact=True))
        self.look(page, "submission-staff")
        self.look_at(page, *(self.assignment + path for path in ("edit", "dates", "as-student")))

    def allocate(self) -> None:
        page = self.go(self.teacher, self.assignment)
        page.get_by_role("button", name="Close submissions").click()
        page.get_by_text("The assignment is now in the phase “Allocation”.").wait_for()
        self.look(page, "assignment-allocation")
        self._commit_allocation(page)
        page.get_by_role("button", name="Start the review phase").click()
        page.get_by_text("The assignment is now in the phase “Review”.").wait_for()
        self.look(page, "assignment-review")

    def _commit_allocation(self, page: Page) -> None:
        commit = page.get_by_role("button", name="Confirm this allocation")
        for _try in range(40):  # on a busy machine the service may ask to try again
            if commit.count():
                self.look(page, "allocation")
                follow(commit)
            if page.get_by_role("button", name="Start the review phase").count():
                return
            self.go(page, self.assignment + "allocation")
            follow(page.get_by_role("button", name="Preview", exact=True))

    # -- reviewing --------------------------------------------------------------------------------------

    def submissions(self, desk: Desk) -> list[str]:
        return desk.page.evaluate(SUBMISSIONS)

    def write_about(self, desk: Desk) -> None:
        """An answer to every question that has none yet."""
        for submission in self.submissions(desk):
            fields = desk.page.locator(f"#submission-{submission} .questions textarea")
            for number in range(fields.count()):
                if not fields.nth(number).input_value():
                    desk.write(f"The figure of {submission} says it at once.", number, submission)

    def submit_ranking(self, desk: Desk) -> str:
        desk.page.get_by_role("button", name="Submit").click()
        desk.page.get_by_role("heading", name="Your ranking is submitted").wait_for()
        self.look(desk.page, "ranking-receipt")
        return desk.page.locator("main").inner_text()

    def rank_by_mouse(self, name: str) -> str:
        desk = self.desk(name).open()
        self.look(desk.page, "ranking-begins")
        first, *rest = self.submissions(desk)
        self._drag(desk, first, ".tiers", 0.5)
        for submission in rest:
            self._drag(desk, submission, ".tier[data-place='0']", 0.05)  # above the best so far
        assert [one for (one,) in desk.order()] == [*reversed(rest), first]
        self.write_about(desk)
        desk.page.locator(".criterion:visible").get_by_label("Good").check()
        desk.wait_saved()
        self.look(desk.page, "ranking")
        return self.submit_ranking(desk)

    @staticmethod
    def _drag(desk: Desk, submission: str, target: str, part: float) -> None:
        mouse, before = desk.page.mouse, desk.order()
        handle = desk.page.locator(f'.list [data-submission="{submission}"] .handle')
        handle.scroll_into_view_if_needed()
        for spot, at in ((handle, 0.5), (desk.page.locator(target), part)):
            box = spot.bounding_box()
            mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * at, steps=6)
            if spot is handle:
                mouse.down()
        mouse.up()
        until(lambda: desk.order() != before)

    def review_own(self, name: str) -> None:
        """Their own submission, among those they ranked; it counts for nothing."""
        page = self.go(self._page(address_of(name)), self.assignment + "self-review")
        page.get_by_label("Rank 2").check()
        self.look(page, "self-review")
        follow(page.get_by_role("button", name="Save"))
        page.get_by_text("Own submission: rank 2 of 4.").wait_for()

    def rank_on_a_phone(self, name: str) -> str:
        """With fingers; the last two submissions share a place."""
        desk = self.desk(name, "phone").open()
        desk.view("order-title")
        for submission in self.submissions(desk):
            desk.page.get_by_label(f"Submission {submission}: add to the end of your ranking").tap()
        last = self.submissions(desk)[-1]
        desk.page.get_by_label(f"Submission {last}: tie with above").tap()
        until(lambda: len(desk.order()[-1]) == 2)
        self.write_about(desk)
        desk.view("order-title")
        desk.wait_saved()
        self.look(desk.page, "ranking-phone")
        return self.submit_ranking(desk)

    def report_one(self, name: str) -> tuple[list[str], list[str]]:
        """Somebody cannot open a submission; the list before and after."""
        desk = self.desk(name).open()
        before = self.submissions(desk)
        desk.page.get_by_role("button", name=f"Submission {before[0]}", exact=True).click()
        desk.page.locator(f"#submission-{before[0]} .report summary").click()
        desk.page.locator(f"#reason-{before[0]}").select_option("unreadable")
        desk.page.get_by_role("button", name="Report it and get another submission").click()
        desk.page.get_by_text("You now have submission").wait_for()
        self.look(desk.page, "reported")
        return before, self.submissions(desk)

    def rank_the_rest(self, name: str) -> None:
        """Whatever is not ranked yet, by buttons; who has submitted all of it is done."""
        desk = self.desk(name).open()
        ranked = {submission for place in desk.order() for submission in place}
        missing = [submission for submission in self.submissions(desk) if submission not in ranked]
        if not missing and desk.page.get_by_text("Submitted.", exact=True).count():
            return
        for submission in missing:
            desk.rank(submission)
        self.write_about(desk)
        desk.wait_saved()
        self.submit_ranking(desk)

    def late_one_joins(self) -> None:
        """The due date has passed; the late window is open, and others review already."""
        page = self.go(self.teacher, self.assignment + "dates")
        now = datetime.now(UTC)
        page.get_by_label("Advance to the next phase automatically on the set dates").uncheck()
        for label, moment in (
            ("Submissions due", now - timedelta(hours=1)),
            ("Late submissions until", now + timedelta(days=1)),
        ):
            field = page.get_by_label(label).first
            field.fill(moment.strftime("%Y-%m-%dT%H:%M"))
        page.get_by_role("button", name="Save").click()
        page.get_by_role("heading", name="Changes").wait_for()
        page = self.submit(LATE, "phone")
        assert "late" in page.locator("main").inner_text()
        until(lambda: self.reviewers_of(LATE) and self.submissions_for(LATE))

    def reviewers_of(self, author: str) -> list[str]:
        return [who for who, whose in self.matrix() if whose == author]

    def submissions_for(self, name: str) -> list[str]:
        return [whose for who, whose in self.matrix() if who == name]

    def matrix(self) -> list[tuple[str, str]]:
        """Who reviews whom, out of the file that staff get."""
        window = self.windows["story-teacher@example.org"]
        text = window.request.get(self.service.address + self.assignment + "allocation/file").text()
        rows = csv.DictReader(io.StringIO(text))
        return [(row["name"], row["made_by"]) for row in rows if row["how_far"] not in ENDED]

    def repair(self) -> None:
        """Kofi does not come. Where the class has changed since a preview, or time was up, look again."""
        done = "Reviewers whose reviews were reassigned", "Reviews are allocated"
        for _try in range(40):
            page = self.go(self.teacher, self.assignment + "allocation/repair")
            page.get_by_label(NO_SHOW, exact=True).check()
            follow(page.get_by_role("button", name="Preview"))
            if not page.get_by_role("heading", name="What would change").count():
                continue
            self.look(page, "no-shows")
            follow(page.get_by_role("button", name="Reassign these reviews"))
            if any(page.get_by_role("heading", name=words).count() for words in done):
                return
        raise AssertionError(page.locator("main").inner_text())

    def finish(self) -> None:
        self.look(self.go(self.teacher, self.assignment + "allocation"), "allocation-made")
        pages = ("allocation/matrix", "allocation/matrix?by=submission", "allocation/matrix?by=grid")
        pages += ("allocation/reports", "progress", "progress/remind")
        self.look_at(self.teacher, *(self.assignment + path for path in pages))
        page = self.go(self.teacher, self.assignment)
        page.get_by_role("button", name="Close the review phase").click()
        page.get_by_role("heading", name="The class in one picture").wait_for()  # it is graded at once
        self.look(self.go(page, self.assignment), "closed")
        self.look(self.go(self._page(address_of("Ada")), self.assignment), "closed-student")
