"""A work as reviewers see it. The addresses in it are those of whoever looks: nobody else's lead anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.markdown import cleaned
from peerage_web.classes.practice.models import PracticeExample
from peerage_web.classes.submissions.copies import may_be_tried_again, problem_in_words, stored_problem
from peerage_web.classes.submissions.models import Submission, SubmissionFile, Work
from peerage_web.sandbox.contract.rendering import COPY_FOLDER, InvalidCopyError, ReviewCopy, read_review_copy

State = SubmissionFile.State


class Addresses(Protocol):
    """Where somebody finds the pictures and the copy of a file, by its position in the work."""

    def picture(self, position: int, number: int) -> str:
        """Of a page, counted from 1."""

    def download(self, position: int) -> str:
        """Of the copy."""


@dataclass(frozen=True, slots=True)
class Page:
    """A picture of a page, and its words."""

    number: int
    url: str
    width: int
    height: int
    text: str


@dataclass(frozen=True, slots=True)
class SubmissionView:
    """One file of a work. `html` and `text` are there for what is text; pages for what has pictures."""

    position: int
    kind: str
    state: str
    pages: list[Page] = field(default_factory=list)
    text: str = ""
    html: SafeString | str = ""
    download: str = ""
    problem: str = ""
    again: bool = False  # whether another try may help
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def is_ready(self) -> bool:
        """Whether there is something to see."""
        return self.state == State.READY

    @property
    def is_waiting(self) -> bool:
        """Whether it is being made."""
        return self.state == State.WAITING


def current_submission(work: Work) -> Submission | None:
    """What counts: the newest that was handed in."""
    return work.submissions.filter(handed_in_at__isnull=False).order_by("-number").first()


def shown_of_work(work: Work, addresses: Addresses) -> list[SubmissionView]:
    """The files that count, in their order; empty where nothing was handed in."""
    submission = current_submission(work)
    return shown_of_submission(submission, addresses) if submission is not None else []


def shown_of_review(review: Review) -> list[SubmissionView]:
    """The work of a review, under the reviewer's own addresses."""
    return shown_of_work(review.work, addresses_of_reviewer(review))


def shown_of_submission(submission: Submission, addresses: Addresses) -> list[SubmissionView]:
    """The files of one submission, a draft included."""
    return [shown_of_file(one, addresses) for one in submission.files.all()]


def shown_of_file(file: SubmissionFile, addresses: Addresses) -> SubmissionView:
    """One file."""
    if file.state != State.READY:
        return _without_copy(file.position, file.kind, file.state, file.problem)
    return shown_of_folder(file.folder, file.position, file.kind, addresses)


def shown_of_folder(folder: Path, position: int, kind: str, addresses: Addresses) -> SubmissionView:
    """What was made in a folder of `settings.WORKS`."""
    try:
        made = read_review_copy(folder / COPY_FOLDER)
    except InvalidCopyError:
        return _without_copy(position, kind, State.FAILED, stored_problem("gone"))
    return _from_made(made, position, addresses)


def shown_of_example(example: PracticeExample) -> list[SubmissionView]:
    """The file of an example of the practice round, if it has one."""
    if not example.stored:
        return []
    where = [*_place(example.assignment), example.key]
    return [shown_of_folder(settings.WORKS / example.stored, 1, example.kind, _pair("practice", where))]


def _without_copy(position: int, kind: str, state: str, problem: str) -> SubmissionView:
    return SubmissionView(
        position, kind, state, problem=problem_in_words(problem), again=may_be_tried_again(problem)
    )


def _from_made(made: ReviewCopy, position: int, addresses: Addresses) -> SubmissionView:
    pages = [
        Page(number, addresses.picture(position, number), one.width, one.height, one.text)
        for number, one in enumerate(made.pictures, start=1)
    ]
    html = cleaned(made.html) if made.kind == "markdown" else SafeString("")
    text = made.text if made.kind == "text" else ""
    return SubmissionView(
        position,
        made.kind,
        State.READY,
        pages,
        text,
        html,
        addresses.download(position),
        left_out=made.left_out,
    )


# -- whose addresses --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Addresses:
    """An address for pictures and one for copies; which one is meant stands after the question mark."""

    pictures: str
    downloads: str
    more: str = ""

    def picture(self, position: int, number: int) -> str:
        return f"{self.pictures}?{self.more}file={position}&page={number}"

    def download(self, position: int) -> str:
        return f"{self.downloads}?{self.more}file={position}"


def addresses_of_reviewer(review: Review) -> Addresses:
    """A reviewer's, under the key of the review."""
    return _pair("review", [*_place(review.assignment), review.key])


def addresses_of_makers(submission: Submission) -> Addresses:
    """Of those whose work it is; drafts included."""
    return _pair("work", _place(submission.work.assignment), f"submission={submission.number}&")


def addresses_of_staff(submission: Submission) -> Addresses:
    """Of staff, who see every work."""
    place = [*_place(submission.work.assignment), submission.work_id]
    return _pair("works-one", place, f"submission={submission.number}&")


def _pair(name: str, where: Iterable[Any], more: str = "") -> Addresses:
    place = list(where)
    pictures, downloads = (reverse(f"{name}-{what}", args=place) for what in ("picture", "download"))
    return _Addresses(pictures, downloads, more)


def _place(assignment: Any) -> list[Any]:
    return [assignment.course.key, assignment.key]
