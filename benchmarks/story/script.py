"""What happens: everybody looks whether their last step is there, and takes it again where it is not.

So do people whose page does not load. Nothing here asks the service whether it has done something: the
database is looked at, in which it is, or is not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any

from benchmarks.story.browser import Browser, NoFormError
from benchmarks.story.room import Room

PATIENCE = 600.0  # seconds for one step
PAUSE = 0.3


class StuckError(Exception):
    """A step that never came to be."""


@dataclass(frozen=True)
class Step:
    """Something that somebody wants to be so, and what they do about it."""

    name: str
    is_so: Callable[[], bool]
    act: Callable[[], Any]


def play(room: Room) -> None:
    """The whole story."""
    for step in steps(room):
        _take(step)


def _take(step: Step) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _looked(step.is_so):
        if time.monotonic() > deadline:
            raise StuckError(step.name)
        try:
            step.act()
        except (OSError, HTTPException, NoFormError):  # the page does not load, or is not so far yet
            time.sleep(PAUSE)


def _looked(is_so: Callable[[], bool]) -> bool:
    from django.db import connections

    try:
        return is_so()
    finally:
        connections.close_all()


def steps(room: Room) -> Iterator[Step]:
    """In their order; each is made when the one before is there."""
    story = _Story(room)
    for member in room.students:
        yield story.upload(member)
        yield story.submit(member)
    yield story.move("stop-submitting", "allocating")
    yield story.allocate()
    yield story.move("start-reviewing", "reviewing")
    for member in room.students:
        yield story.rank(member)
    yield story.move("close", "closed")
    yield story.grade()
    yield story.approve()
    yield story.release()
    for member in room.students:
        yield story.look(member)
    first = min(room.students)
    yield story.appeal(first)
    yield story.preview()
    yield story.accept()
    yield story.told()


class _Story:
    """The steps of one class."""

    def __init__(self, room: Room) -> None:
        from peerage_web.classes.assignments.models import Assignment

        self.room = room
        one = Assignment.objects.select_related("course").get(pk=room.assignment)
        self.path = one.get_absolute_url()

    def _send(self, browser: Browser, page: str, to: str, field: str = "", **more: str) -> None:
        """Fill the form of a page that has this field, or goes there, and send it."""
        form = browser.form(f"{self.path}{page}", with_field=field, action="" if field else to)
        browser.send(f"{self.path}{to}", {**form.values, **more})

    # -- students ---------------------------------------------------------------------------------------

    def upload(self, member: int) -> Step:
        from peerage_web.classes.submissions.models import SubmissionFile

        browser = self.room.students[member]
        files = SubmissionFile.objects.filter(
            version__submission__author=member, version__submission__assignment=self.room.assignment
        )

        def act() -> None:
            form = browser.form(f"{self.path}submission/", action="submission/upload")
            browser.send(
                f"{self.path}submission/upload", form.values, ("submission.txt", self.room.text_of(member))
            )

        return Step(f"upload {member}", files.exists, act)

    def submit(self, member: int) -> Step:
        from peerage_web.classes.submissions.models import SubmissionVersion

        browser = self.room.students[member]
        mine = SubmissionVersion.objects.filter(
            submission__author=member, submission__assignment=self.room.assignment
        )

        def act() -> None:
            if mine.filter(files__state="failed").exists():  # interrupted too often: the button “Try again”
                self._send(browser, "submission/", "submission/change", again="yes")
            else:
                self._send(browser, "submission/", "submission/submit")

        return Step(f"submit {member}", mine.filter(submitted_at__isnull=False).exists, act)

    def rank(self, member: int) -> Step:
        from peerage_web.classes.allocation.models import Review
        from peerage_web.classes.reviewing.models import SubmittedRanking

        browser = self.room.students[member]
        mine = Review.objects.filter(assignment=self.room.assignment, reviewer=member, state="open")
        kept = SubmittedRanking.objects.filter(
            ranking__assignment=self.room.assignment, ranking__reviewer=member
        )

        def act() -> None:
            form = browser.form(f"{self.path}reviews/", with_field="place-A")
            places = {
                f"place-{one.label}": str(place)
                for place, one in enumerate(mine.order_by("submission__author"), start=1)
            }
            comments = {name: f"{name} by {member}" for name in form.values if name.startswith("comment")}
            sent = {**form.values, **places, **comments, "names_are_fine": "yes"}
            browser.send(f"{self.path}reviews/submit", sent)

        return Step(f"rank {member}", kept.exists, act)

    def look(self, member: int) -> Step:
        from peerage_web.classes.release.models import ReleasedGrade

        browser = self.room.students[member]
        seen = ReleasedGrade.objects.filter(
            release__assignment=self.room.assignment, membership=member, seen_at__isnull=False
        )

        def act() -> None:
            browser.ask("GET", f"{self.path}grade/")
            if not seen.exists():
                form = browser.form(f"{self.path}grade/", action="rate")
                ratings = {name: "4" for name in form.open if name.startswith("rate-")}
                browser.send(form.action, {**form.values, **ratings})
                browser.ask("GET", f"{self.path}grade/")

        return Step(f"look {member}", seen.exists, act)

    def appeal(self, member: int) -> Step:
        browser = self.room.students[member]
        return Step(
            f"appeal {member}",
            self._appeals().exists,
            lambda: self._send(browser, "appeal/", "appeal/", field="reason", reason="Look again, please."),
        )

    # -- staff ------------------------------------------------------------------------------------------

    def move(self, code: str, phase: str) -> Step:
        from peerage_web.classes.assignments.models import Assignment

        one = Assignment.objects.filter(pk=self.room.assignment)
        teacher = self.room.teacher

        def act() -> None:
            form = teacher.form(f"{self.path}", action="/step")
            teacher.send(f"{self.path}step", {**form.values, "step": code})

        return Step(code, one.filter(phase=phase).exists, act)

    def allocate(self) -> Step:
        from peerage_web.classes.allocation.models import Review

        def act() -> None:
            form = self.room.teacher.form(f"{self.path}allocation", with_field="design")
            asked = "&".join(f"{name}={value}" for name, value in form.values.items())
            self._send(self.room.teacher, f"allocation?preview=yes&{asked}", "allocation/commit")

        return Step("allocate", Review.objects.filter(assignment=self.room.assignment).exists, act)

    def _runs(self) -> Any:
        from peerage_web.classes.grading.models import GradingRun

        return GradingRun.objects.filter(assignment=self.room.assignment)

    def grade(self) -> Step:
        def act() -> None:
            waiting = self._runs().filter(job__state__in=("queued", "running", "done"))
            if not waiting.exists():  # none yet, or it was interrupted twice, which its page says
                self._send(self.room.teacher, "grading/", "grading/start")
            time.sleep(PAUSE)

        return Step("grade", self._runs().filter(drawn_at__isnull=False).exists, act)

    def approve(self) -> Step:
        def act() -> None:
            run = self._runs().filter(drawn_at__isnull=False).first()
            self._send(self.room.teacher, f"grading/runs/{run.key}/", f"grading/runs/{run.key}/approve")

        return Step("approve", self._runs().filter(approved_at__isnull=False).exists, act)

    def release(self) -> Step:
        from peerage_web.classes.release.models import Release

        found = Release.objects.filter(assignment=self.room.assignment)
        return Step("release", found.exists, lambda: self._send(self.room.teacher, "release/", "release/now"))

    def _appeals(self, **which: Any) -> Any:
        from peerage_web.classes.appeals.models import Appeal

        return Appeal.objects.filter(assignment=self.room.assignment, **which)

    def preview(self) -> Step:
        def is_so() -> bool:
            from peerage_web.classes.appeals.services import preview_of

            return preview_of(self._appeals().get()).state == "ready"

        def act() -> None:
            one = self._appeals().get()
            page = f"appeals/{one.key}/"
            if one.previewed_at is None or (one.preview is not None and one.preview.job.state == "failed"):
                self._send(self.room.teacher, page, f"{page}preview", points="90", reason="It is better.")
            time.sleep(PAUSE)

        return Step("preview", is_so, act)

    def accept(self) -> Step:
        def act() -> None:
            page = f"appeals/{self._appeals().get().key}/"
            self._send(self.room.teacher, page, f"{page}accept", field="answer", answer="You are right.")

        return Step("accept", self._appeals(state="accepted").exists, act)

    def told(self) -> Step:
        """Maintenance has written everybody's mail."""
        from peerage_web.classes.release.models import ReleasedGrade

        waiting = ReleasedGrade.objects.filter(release__assignment=self.room.assignment, notified_at=None)
        return Step("told", lambda: not waiting.exists(), lambda: time.sleep(PAUSE))
