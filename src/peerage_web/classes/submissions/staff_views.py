"""All works of an assignment, for staff: the list, one of them, downloads, taking one out and back in."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.access import allowed, page, plain
from peerage_web.classes.permissions import Action
from peerage_web.classes.record.services import record
from peerage_web.classes.reports.services import keep_out
from peerage_web.classes.reports.services import put_back as put_work_back
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions import file_views, queries
from peerage_web.classes.submissions.models import Submission, Work
from peerage_web.classes.submissions.queries import authors_of
from peerage_web.classes.submissions.shown import addresses_of_staff, current_submission, shown_of_submission
from peerage_web.classes.submissions.zip import archive_of

PER_PAGE = 50


@allowed(Action.SEE_ALL_WORKS)
def works(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Every work, and who has not handed in."""
    wanted = request.GET.get("show", "")
    wanted = wanted if wanted in queries.FILTERS else ""
    found = queries.works_list(here.assignment, wanted)
    listed = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    missing = Paginator(queries.missing_people(here.assignment), PER_PAGE).get_page(1)
    return page(
        request,
        here,
        "submissions/submissions",
        listed=listed,
        rows=queries.rows_of(here.assignment, list(listed)),
        missing=missing,
        wanted=wanted,
        counts=queries.counts(here.assignment),
        query=f"show={wanted}" if wanted else "",
    )


@allowed(Action.SEE_ALL_WORKS)
def one(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """One work, as reviewers see it, and all that was handed in."""
    work: Work = here.objects["work"]
    current = current_submission(work)
    context: dict[str, Any] = {
        "work": work,
        "makers": authors_of(work),
        "current": current,
        "submissions": work.submissions.prefetch_related("files").select_related("uploaded_by"),
    }
    if current is not None:
        context["shown"] = shown_of_submission(current, addresses_of_staff(current))
    return page(request, here, "submissions/staff_submission", **context)


@allowed(Action.SEE_ALL_WORKS)
def picture(request: HttpRequest, here: RequestScope) -> FileResponse:
    """A page of a work."""
    return file_views.picture(request, _submission(request, here))


@allowed(Action.SEE_ALL_WORKS)
def download(request: HttpRequest, here: RequestScope) -> FileResponse:
    """The copy that reviewers get."""
    return file_views.download(request, _submission(request, here))


@allowed(Action.SEE_ALL_WORKS)
def original(request: HttpRequest, here: RequestScope) -> FileResponse:
    """A file as it was handed in, under its own name."""
    files = _submission(request, here).files
    file = file_views.found_or_404(files.filter(position=file_views.asked(request, "file")).first())
    return file_views.sent(file.original, file.name, attached=True, content_type="application/octet-stream")


@allowed(Action.SEE_ALL_WORKS)
def download_all(request: HttpRequest, here: RequestScope) -> StreamingHttpResponse:
    """Everything that counts, with an index; sent while it is read."""
    found = queries.everything(here.assignment)
    record("works-downloaded", by=here.person, assignment=here.assignment, count=len(found))
    headers = {"Content-Disposition": 'attachment; filename="works.zip"'}
    return StreamingHttpResponse(archive_of(found), content_type="application/zip", headers=headers)


@allowed(Action.TAKE_OUT_WORK, "POST")
def take_out(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Nobody reviews it any more."""
    keep_out(work=here.objects["work"], by=here.person, why=plain(request.POST.get("why", "")))
    messages.success(request, _("The submission is excluded."))
    return _to(here)


@allowed(Action.TAKE_OUT_WORK, "POST")
def put_back(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """It counts again."""
    put_work_back(work=here.objects["work"], by=here.person)
    messages.success(request, _("The submission is included again."))
    return _to(here)


def _to(here: RequestScope) -> HttpResponse:
    return redirect("works-one", here.course.key, here.assignment.key, here.objects["work"].pk)


def _submission(request: HttpRequest, here: RequestScope) -> Submission:
    """The one asked for; without a number, the one that counts."""
    work: Work = here.objects["work"]
    if "submission" not in request.GET:
        return file_views.found_or_404(current_submission(work))
    number = file_views.asked(request, "submission")
    return file_views.found_or_404(work.submissions.filter(number=number).first())
