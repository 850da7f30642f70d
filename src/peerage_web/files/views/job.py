"""A job at its address: while it waits and runs, when it ends without grades, until it is deleted."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from peerage_web.files import queries
from peerage_web.files.models import Job
from peerage_web.files.services.jobs import cancel_job, delete_job
from peerage_web.files.views import result, setup
from peerage_web.files.views.access import job_or_404, open_to_visitors, post_only
from peerage_web.sandbox.contract.jobs import GRADING_STEPS
from peerage_web.shared.heartbeats import is_alive

NEARLY = 0.95  # the bar is full only when the work is done


def progress_page(request: HttpRequest, job: Job) -> HttpResponse:
    """The page of a job that waits or runs; it follows the job by itself."""
    return render(request, "files/progress.html", state_of(job))


def problem_page(request: HttpRequest, job: Job) -> HttpResponse:
    """The page of a job that was cancelled or could not be graded: what happened, and what to do next."""
    return render(request, "files/problem.html", {"job": job, "problem": job.problem})


@require_safe
@open_to_visitors
def progress(request: HttpRequest, key: str) -> HttpResponse:
    """How far the job is: the part of the page that changes.

    Nothing new is answered with nothing, so that a screen reader is told only what is new.
    """
    job = job_or_404(request, key)
    if not job.is_active:
        return HttpResponseClientRefresh()
    state = state_of(job)
    if request.GET.get("seen") == state["mark"]:
        return HttpResponse(status=204)
    return render(request, "files/_progress.html", state)


@post_only
@open_to_visitors
def cancel(request: HttpRequest, key: str) -> HttpResponse:
    """Stop the job."""
    job = job_or_404(request, key)
    cancel_job(job=job)
    response: HttpResponse = redirect(job)
    return response


def state_of(job: Job) -> dict[str, Any]:
    """What a page says of a job that waits or runs; `mark` is another one as soon as that has changed."""
    ahead = queries.place_in_queue(job) if job.state == Job.State.QUEUED else 0
    # a task worker has no heartbeat before its kernels are compiled: minutes, after an installation
    gets_ready = job.state == Job.State.QUEUED and not is_alive(settings.HEARTBEATS, "task_worker")
    share = min(job.steps_done / GRADING_STEPS, NEARLY)
    seen = (job.state, job.attempt, ahead, job.steps_done, job.cancel_requested, gets_ready)
    return {
        "job": job,
        "ahead": ahead,
        "gets_ready": gets_ready,
        "percent": round(100 * share),
        "mark": "-".join(str(part) for part in seen),
    }


PAGES = {
    Job.State.DRAFT: setup.page,
    Job.State.QUEUED: progress_page,
    Job.State.RUNNING: progress_page,
    Job.State.DONE: result.page,
    Job.State.FAILED: problem_page,
    Job.State.CANCELLED: problem_page,
}


@require_safe
@open_to_visitors
def job_page(request: HttpRequest, key: str) -> HttpResponse:
    """The page that suits the state of the job."""
    job = job_or_404(request, key)
    return PAGES[Job.State(job.state)](request, job)


@post_only
@open_to_visitors
def delete(request: HttpRequest, key: str) -> HttpResponse:
    """Delete everything of the job; its address answers 404 from now on."""
    delete_job(job=job_or_404(request, key))
    return render(request, "files/deleted.html")
