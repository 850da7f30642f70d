"""A submission as reviewers see it. Its addresses are those of whoever looks: nobody else's lead anywhere."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.markdown import cleaned, without_links
from peerage_web.classes.practice.models import PracticeExample
from peerage_web.classes.submissions.copies import may_be_tried_again, problem_in_words, stored_problem
from peerage_web.classes.submissions.models import Submission, SubmissionFile, SubmissionVersion
from peerage_web.sandbox.contract.rendering import (
    COPY_FOLDER,
    IMAGE_MARK,
    InvalidCopyError,
    ReviewCopy,
    read_review_copy,
)

State = SubmissionFile.State


class Addresses(Protocol):
    """Where somebody finds the pictures and the copy of a file, by its position in the submission."""

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
    """One file of a submission. `html` and `text` are there for what is text; pages for what has pictures."""

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
    blank_pages: int = 0
    is_blank: bool = False  # nothing to see in the whole file

    @property
    def is_ready(self) -> bool:
        return self.state == State.READY

    @property
    def is_waiting(self) -> bool:
        return self.state == State.WAITING


def current_version(submission: Submission) -> SubmissionVersion | None:
    """What counts: the newest that was submitted."""
    return submission.versions.filter(submitted_at__isnull=False).order_by("-number").first()


def shown_of_submission(submission: Submission, addresses: Addresses) -> list[SubmissionView]:
    """The files that count, in their order; empty where nothing was submitted."""
    version = current_version(submission)
    return shown_of_version(version, addresses) if version is not None else []


def shown_of_review(review: Review) -> list[SubmissionView]:
    """The submission of a review, under the reviewer's own addresses."""
    return shown_of_submission(review.submission, addresses_of_reviewer(review))


def shown_of_version(version: SubmissionVersion, addresses: Addresses) -> list[SubmissionView]:
    """The files of one submission, a draft included."""
    return [shown_of_file(file, addresses) for file in version.files.all()]


def shown_of_file(file: SubmissionFile, addresses: Addresses) -> SubmissionView:
    if file.state != State.READY:
        return _without_copy(file.position, file.kind, file.state, file.problem)
    return shown_of_folder(file.folder, file.position, file.kind, addresses)


def shown_of_folder(folder: Path, position: int, kind: str, addresses: Addresses) -> SubmissionView:
    """What was made in a folder of `settings.SUBMISSIONS`."""
    try:
        copy = read_review_copy(folder / COPY_FOLDER)
    except InvalidCopyError:
        return _without_copy(position, kind, State.FAILED, stored_problem("gone"))
    return _from_made(copy, position, addresses)


def shown_of_example(example: PracticeExample) -> list[SubmissionView]:
    """The file of an example of the practice round, if it has one."""
    if not example.stored:
        return []
    where = [*_place(example.assignment), example.key]
    return [shown_of_folder(settings.SUBMISSIONS / example.stored, 1, example.kind, _pair("practice", where))]


def _without_copy(position: int, kind: str, state: str, problem: str) -> SubmissionView:
    problem = problem if state == State.FAILED else ""  # of one that waits it only says that it is slow
    return SubmissionView(
        position, kind, state, problem=problem_in_words(problem), again=may_be_tried_again(problem)
    )


def _from_made(copy: ReviewCopy, position: int, addresses: Addresses) -> SubmissionView:
    pages = [
        Page(number, addresses.picture(position, number), picture.width, picture.height, picture.text)
        for number, picture in enumerate(copy.pictures, start=1)
    ]
    is_page = copy.kind in ("markdown", "word")
    html = _with_images(without_links(cleaned(copy.html)), pages) if is_page else SafeString("")
    text = copy.text if copy.kind == "text" else ""
    return SubmissionView(
        position,
        copy.kind,
        State.READY,
        [] if copy.kind == "word" else pages,  # there they stand in the text
        text,
        html,
        addresses.download(position),
        left_out=copy.left_out,
        blank_pages=copy.blank_pages,
        is_blank=copy.is_blank,
    )


def _with_images(html: SafeString, pages: list[Page]) -> SafeString:
    """With an image for every mark."""
    if not pages:
        return html
    images = {
        str(page.number): format_html(
            '<img src="{}" width="{}" height="{}" loading="lazy" decoding="async" alt="{}">',
            page.url, page.width, page.height, _("Image %(number)d") % {"number": page.number},
        )
        for page in pages
    }  # fmt: skip
    return mark_safe(IMAGE_MARK.sub(lambda mark: images.get(mark[1], ""), html))  # made of safe parts


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


def addresses_of_authors(version: SubmissionVersion) -> Addresses:
    """Of those whose submission it is; drafts included."""
    return _pair("submission", _place(version.submission.assignment), f"version={version.number}&")


def addresses_of_staff(version: SubmissionVersion) -> Addresses:
    """Of staff, who see every submission."""
    place = [*_place(version.submission.assignment), version.submission_id]
    return _pair("submissions-one", place, f"version={version.number}&")


def _pair(name: str, where: Iterable[Any], more: str = "") -> Addresses:
    place = list(where)
    pictures, downloads = (reverse(f"{name}-{what}", args=place) for what in ("picture", "download"))
    return _Addresses(pictures, downloads, more)


def _place(assignment: Any) -> list[Any]:
    return [assignment.course.key, assignment.key]
