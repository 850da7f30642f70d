"""A job at its address, whatever its state, until it is deleted."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from peerage_web.files.models import Job
from peerage_web.files.services.jobs import delete_job
from peerage_web.files.views import progress, result, setup
from peerage_web.files.views.access import job_or_404, open_to_visitors, posted

PAGES = {
    Job.State.DRAFT: setup.page,
    Job.State.QUEUED: progress.page,
    Job.State.RUNNING: progress.page,
    Job.State.DONE: result.page,
    Job.State.FAILED: progress.problem_page,
    Job.State.CANCELLED: progress.problem_page,
}


@require_safe
@open_to_visitors
def job(request: HttpRequest, key: str) -> HttpResponse:
    """The page that suits the state of the job."""
    found = job_or_404(request, key)
    return PAGES[Job.State(found.state)](request, found)


@posted
@open_to_visitors
def delete(request: HttpRequest, key: str) -> HttpResponse:
    """Delete everything of the job; its address answers 404 from now on."""
    delete_job(job=job_or_404(request, key))
    return render(request, "files/deleted.html")
