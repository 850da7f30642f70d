"""All submissions of an assignment, for staff: the list, one, downloads; excluding and including one."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerage_web.classes.access import allowed, page, plain
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.fields import MomentField
from peerage_web.classes.names import attachment, by_name
from peerage_web.classes.permissions import Action
from peerage_web.classes.reassignment.reports import exclude_submission, include_submission
from peerage_web.classes.release.feedback import received
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions import file_views, queries
from peerage_web.classes.submissions.models import Submission, SubmissionVersion
from peerage_web.classes.submissions.queries import authors_of
from peerage_web.classes.submissions.services import reopen_submission
from peerage_web.classes.submissions.shown import addresses_of_staff, current_version, shown_of_version
from peerage_web.classes.submissions.zip import archive_of
from peerage_web.shared.errors import Refused

PER_PAGE = 50
REOPENED = timedelta(days=2)  # unless staff say otherwise


class ReopenForm(forms.Form):
    until = MomentField(label=gettext_lazy("Can be replaced until"))
    why = forms.CharField(
        label=gettext_lazy("What is wrong, and what they should do (the authors read this)"),
        max_length=300,
        required=False,
    )


@allowed(Action.SEE_SUBMISSIONS)
def submissions(request: HttpRequest, here: RequestScope) -> HttpResponse:
    wanted = request.GET.get("show", "")
    wanted = wanted if wanted in queries.FILTERS else ""
    submissions = queries.submissions_list(here.assignment, wanted)
    listed = Paginator(submissions, PER_PAGE).get_page(request.GET.get("page"))
    missing = Paginator(by_name(queries.missing_people(here.assignment)), PER_PAGE).get_page(1)
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


@allowed(Action.SEE_SUBMISSIONS)
def one(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _page(request, here)


@allowed(Action.SUBMIT_FOR_STUDENT, "POST")
def reopen(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = ReopenForm(request.POST)
    if not form.is_valid():
        return _page(request, here, form)
    try:
        reopen_submission(submission=here.objects["submission"], by=here.person, **form.cleaned_data)
    except Refused as error:
        form.add_error("until", str(error))
        return _page(request, here, form)
    messages.success(request, _("The submission is reopened. Its authors are notified by e-mail."))
    return _to(here)


def _page(request: HttpRequest, here: RequestScope, form: ReopenForm | None = None) -> HttpResponse:
    submission: Submission = here.objects["submission"]
    now = timezone.now()
    current = current_version(submission)
    context: dict[str, Any] = {
        "submission": submission,
        "authors": authors_of(submission),
        "current": current,
        "versions": submission.versions.prefetch_related("files").select_related("uploaded_by"),
        "reopened": queries.is_reopened(submission, now),
        "under_review": queries.is_under_review(submission),
        "received": received([submission])[submission.pk],
        "ranked_earlier": queries.reviewers_of_earlier(submission),
        "form": form or ReopenForm(initial={"until": _reopened_until(here, submission, now)}),
    }
    if current is not None:
        context["shown"] = shown_of_version(current, addresses_of_staff(current))
    status = 422 if context["form"].errors else 200
    return page(request, here, "submissions/staff_submission", status, **context)


def _reopened_until(here: RequestScope, submission: Submission, now: datetime) -> datetime:
    """What was chosen before, else two days, or half of the time that is left."""
    if submission.reopened_until is not None and submission.reopened_until > now:
        return submission.reopened_until
    closes_at = here.assignment.closes_at
    if closes_at is not None and closes_at > now:
        return min(now + REOPENED, now + (closes_at - now) / 2)
    return now + REOPENED


@allowed(Action.SEE_SUBMISSIONS)
def picture(request: HttpRequest, here: RequestScope) -> FileResponse:
    return file_views.picture(request, _version(request, here))


@allowed(Action.SEE_SUBMISSIONS)
def download(request: HttpRequest, here: RequestScope) -> FileResponse:
    version = _version(request, here)
    return file_views.download(request, version, f"submission-{version.submission_id}")


@allowed(Action.SEE_SUBMISSIONS)
def original(request: HttpRequest, here: RequestScope) -> FileResponse:
    files = _version(request, here).files
    file = file_views.found_or_404(files.filter(position=file_views.asked(request, "file")).first())
    return file_views.sent(file.original, file.name, attached=True, content_type="application/octet-stream")


@allowed(Action.SEE_SUBMISSIONS)
def download_all(request: HttpRequest, here: RequestScope) -> StreamingHttpResponse:
    submissions = queries.everything(here.assignment)
    record("submissions-downloaded", by=here.person, assignment=here.assignment, count=len(submissions))
    headers = attachment(here.assignment, "submissions", "zip")
    return StreamingHttpResponse(archive_of(submissions), content_type="application/zip", headers=headers)


@allowed(Action.EXCLUDE_SUBMISSION, "POST")
def exclude(request: HttpRequest, here: RequestScope) -> HttpResponse:
    exclude_submission(
        submission=here.objects["submission"], by=here.person, why=plain(request.POST.get("why", ""))
    )
    messages.success(request, _("The submission is excluded."))
    return _to(here)


@allowed(Action.EXCLUDE_SUBMISSION, "POST")
def include(request: HttpRequest, here: RequestScope) -> HttpResponse:
    include_submission(submission=here.objects["submission"], by=here.person)
    messages.success(request, _("The submission is included again."))
    return _to(here)


def _to(here: RequestScope) -> HttpResponse:
    return redirect("submissions-one", here.course.key, here.assignment.key, here.objects["submission"].pk)


def _version(request: HttpRequest, here: RequestScope) -> SubmissionVersion:
    """The one asked for; without a number, the one that counts."""
    submission: Submission = here.objects["submission"]
    if "version" not in request.GET:
        return file_views.found_or_404(current_version(submission))
    number = file_views.asked(request, "version")
    return file_views.found_or_404(submission.versions.filter(number=number).first())
