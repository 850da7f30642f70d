"""Pictures and copies of submissions. Nothing here tells whose they are: neutral names, no file names."""

from pathlib import Path
from typing import TypeVar

from django.http import FileResponse, Http404, HttpRequest

from peerage_web.classes.access import allowed
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.names import file_name
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.models import SubmissionVersion
from peerage_web.classes.submissions.shown import current_version
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
    return picture(request, _under_review(here))


@allowed(Action.SEE_REVIEWS)
def review_download(request: HttpRequest, here: RequestScope) -> FileResponse:
    return download(request, _under_review(here), f"submission-{here.objects['review'].label}")


def _under_review(here: RequestScope) -> SubmissionVersion:
    """What the reviewer has before them; a review that has ended shows nothing any more."""
    review: Review = here.objects["review"]
    if review.state != Review.State.OPEN or review.submission.excluded_at is not None:
        raise Http404
    return found_or_404(current_version(review.submission))


def picture(request: HttpRequest, version: SubmissionVersion) -> FileResponse:
    number, (folder, copy) = asked(request, "page"), _made(request, version)
    if number > len(copy.pictures):
        raise Http404
    name = copy.pictures[number - 1].name
    return sent(folder / name, f"page-{number}.{name.rpartition('.')[2]}", attached=False)


def download(request: HttpRequest, version: SubmissionVersion, what: str) -> FileResponse:
    """The copy of file `file` of a submission; `what` is how whoever asks calls it."""
    folder, copy = _made(request, version)
    number, ending = asked(request, "file"), copy.download.rpartition(".")[2]
    name = file_name(version.submission.assignment, what if number == 1 else f"{what}-{number}", ending)
    return sent(folder / copy.download, name, attached=True)


def _made(request: HttpRequest, version: SubmissionVersion) -> tuple[Path, ReviewCopy]:
    file = found_or_404(version.files.filter(position=asked(request, "file")).first())
    folder = file.folder / COPY_FOLDER
    try:
        return folder, read_review_copy(folder)
    except InvalidCopyError:
        raise Http404 from None


def sent(path: Path, name: str, *, attached: bool, content_type: str = "") -> FileResponse:
    """A file under this name; what others than its authors and staff get has a neutral one."""
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


def number_in(text: str) -> int:
    """A small number; Http404 for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) <= 4):
        raise Http404
    return int(text)


def found_or_404(found: Found | None) -> Found:
    """What is there; Http404 for what is not."""
    if found is None:
        raise Http404
    return found
