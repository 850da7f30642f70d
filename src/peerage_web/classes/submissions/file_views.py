"""Pictures and copies of works. Nothing here tells whose they are: neutral names, and no name of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from django.http import FileResponse, Http404, HttpRequest

from peerage_web.classes.access import allowed
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.models import Submission
from peerage_web.classes.submissions.shown import current_submission
from peerage_web.sandbox.contract.rendering import (
    COPY_CONTENT_TYPES,
    COPY_FOLDER,
    InvalidCopyError,
    ReviewCopy,
    is_plain_file,
    read_review_copy,
)

Found = TypeVar("Found")
CACHE = "private, max-age=600"  # seconds, in the browser of whoever may see it


@allowed(Action.SEE_REVIEWS)
def review_picture(request: HttpRequest, here: RequestScope) -> FileResponse:
    """A page of a work that one is to review."""
    return picture(request, _under_review(here))


@allowed(Action.SEE_REVIEWS)
def review_download(request: HttpRequest, here: RequestScope) -> FileResponse:
    """The copy of a file that one is to review."""
    return download(request, _under_review(here))


def _under_review(here: RequestScope) -> Submission:
    """What the reviewer has before them; a review that has ended shows nothing any more."""
    review: Review = here.objects["review"]
    if review.state != Review.State.OPEN or review.work.taken_out_at is not None:
        raise Http404
    return found_or_404(current_submission(review.work))


def picture(request: HttpRequest, submission: Submission) -> FileResponse:
    """Page `page` of file `file` of a submission."""
    number, (folder, made) = asked(request, "page"), _made(request, submission)
    if number > len(made.pictures):
        raise Http404
    name = made.pictures[number - 1].name
    return sent(folder / name, f"page-{number}.{name.rpartition('.')[2]}", attached=False)


def download(request: HttpRequest, submission: Submission) -> FileResponse:
    """The copy of file `file` of a submission."""
    folder, made = _made(request, submission)
    ending = made.download.rpartition(".")[2]
    return sent(folder / made.download, f"work-{asked(request, 'file')}.{ending}", attached=True)


def _made(request: HttpRequest, submission: Submission) -> tuple[Path, ReviewCopy]:
    file = found_or_404(submission.files.filter(position=asked(request, "file")).first())
    folder = file.folder / COPY_FOLDER
    try:
        return folder, read_review_copy(folder)
    except InvalidCopyError:
        raise Http404 from None


def sent(path: Path, name: str, *, attached: bool, content_type: str = "") -> FileResponse:
    """A file under this name; what others than its makers and staff get has a neutral one."""
    if not is_plain_file(path):
        raise Http404
    return FileResponse(
        path.open("rb"),
        as_attachment=attached,
        filename=name,
        content_type=content_type or COPY_CONTENT_TYPES[path.suffix.removeprefix(".")],
        headers={"Cache-Control": CACHE},
    )


def asked(request: HttpRequest, name: str) -> int:
    """A small number after the question mark; 1 where there is none."""
    return number_in(request.GET.get(name, "1"))


def number_in(given: str) -> int:
    """A small number; Http404 for anything else."""
    if not (given.isascii() and given.isdigit() and len(given) <= 4):
        raise Http404
    return int(given)


def found_or_404(one: Found | None) -> Found:
    """What is there; Http404 for what is not."""
    if one is None:
        raise Http404
    return one
