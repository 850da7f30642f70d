"""A job at its address: while it waits and runs, its page once it is graded, its files, its end."""

import gzip
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from peerage.errors import DataError
from peerage_web.files.forms import RetentionForm
from peerage_web.files.models import Job
from peerage_web.files.services.explanations import explain_job_item
from peerage_web.files.services.jobs import cancel_job, delete_job, jobs_of, keep_result, place_in_queue
from peerage_web.files.views import setup
from peerage_web.files.views.access import (
    done_or_404,
    job_or_404,
    open_or_404,
    open_to_visitors,
    owner_of,
    post_only,
)
from peerage_web.sandbox.contract.errors import SandboxError, describe_problem
from peerage_web.sandbox.contract.jobs import (
    GRADING_STEPS,
    RESULT_CONTENT_TYPES,
    RESULT_TABLES,
    read_result_parts,
    result_rows_file,
    written_files,
)
from peerage_web.shared.errors import Refused
from peerage_web.shared.heartbeats import is_alive
from peerage_web.shared.views.errors import mark_refusal

PLAIN_TEXT = ("title", "policy")  # parts that are not HTML


def page(request: HttpRequest, job: Job) -> HttpResponse:
    parts = parts_of(job)
    if parts is None:  # deleted since we asked the database
        raise Http404
    context = {
        "job": job,
        "parts": parts,
        "address": request.build_absolute_uri(job.get_absolute_url()),
        "files": sorted(written_files(job.results), key=lambda file: file.for_programs),
        "keeping": RetentionForm(initial={"name": job.name}, auto_id="keeping_%s"),
        "left": left_words(job.kept_until - timezone.now()),
    }
    return render(request, "files/result.html", context)


def parts_of(job: Job) -> dict[str, str] | None:
    """The pieces that a result page is put together from; None where its files are gone."""
    try:
        parts = read_result_parts(job.results)
    except FileNotFoundError:
        return None
    return {name: _as_is(name, part) for name, part in parts.items()}


def _as_is(name: str, part: str) -> str:
    """The library has escaped whatever came from the visitor's file."""
    return part if name in PLAIN_TEXT else mark_safe(part)


def left_words(time: timedelta) -> str:
    """How long something is still kept; result.js says it in the same words."""
    hours, minutes = divmod(max(0, int(time.total_seconds() // 60)), 60)
    if hours >= 48:
        return f"{hours // 24} days left"
    if hours:
        return f"{hours} h {minutes} min left"
    return f"{minutes} min left" if minutes else "less than a minute left"


@require_safe
@open_to_visitors
def rows(request: HttpRequest, key: str, table: str) -> FileResponse:
    """Every row of a table too long for the page, as JSON; fetched when the table comes into view."""
    job = done_or_404(request, key)
    if table not in RESULT_TABLES:
        raise Http404
    path = result_rows_file(job.results, table)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers = {"Content-Encoding": "gzip"}
        return FileResponse(open_or_404(path), content_type="application/json", headers=headers)
    try:
        return FileResponse(gzip.open(path), content_type="application/json")  # piece by piece
    except FileNotFoundError:
        raise Http404 from None


@require_safe
@open_to_visitors
def download(request: HttpRequest, key: str, name: str) -> FileResponse:
    """One file, named after the file it was made from."""
    job = done_or_404(request, key)
    if name not in RESULT_CONTENT_TYPES:
        raise Http404
    return FileResponse(
        open_or_404(job.results / name),
        as_attachment=True,
        filename=f"{Path(job.file_name).stem}-{name}",
        content_type=RESULT_CONTENT_TYPES[name],
    )


@require_safe
@open_to_visitors
def report(request: HttpRequest, key: str) -> FileResponse:
    """The report in the browser, in a sandbox.

    Whatever is in it, it can reach neither this site and its cookies nor the network; its own style and
    script are let through by their hashes.
    """
    job = done_or_404(request, key)
    file = open_or_404(job.results / "report.html")
    policy = read_result_parts(job.results)["policy"]
    return FileResponse(
        file,
        content_type=RESULT_CONTENT_TYPES["report.html"],
        headers={"Content-Security-Policy": f"sandbox allow-scripts; {policy}; frame-ancestors 'none'"},
    )


@require_safe
@open_to_visitors
def explain(request: HttpRequest, key: str) -> HttpResponse:
    """The explanation of `?item=…&task=…`: a page, or for the result page's script the part that matters."""
    job = done_or_404(request, key)
    item, task = request.GET.get("item", ""), request.GET.get("task")
    context = {"job": job, "item": item, "task": task}
    try:
        explanation = explain_job_item(job=job, item=item, task=task)
    except Refused as refused:
        return mark_refusal(_explanation_page(request, {**context, "problem": str(refused)}), refused)
    except SandboxError as error:
        problem = describe_problem(error)["detail"]
        return _explanation_page(request, {**context, "problem": problem}, HTTPStatus.UNPROCESSABLE_ENTITY)
    except DataError:  # the file itself was good enough to be graded
        raise Http404("no such item") from None
    return _explanation_page(request, context | arrange_explanation(explanation))


def arrange_explanation(explanation: dict[str, Any]) -> dict[str, Any]:
    """The sentences on the whole, then each list's doing with its sentence."""
    on_the_whole = len(explanation["sentences"]) - len(explanation["lists"])
    changes = (_signed(review["score_change"]) for review in explanation["lists"])
    return {
        "method": explanation["method"],
        "lead": explanation["sentences"][:on_the_whole],
        "reviews": list(zip(changes, explanation["sentences"][on_the_whole:], strict=True)),
    }


def _signed(change: float) -> str:
    text = f"{change:+.2f}".replace("-", "\N{MINUS SIGN}")
    return "0.00" if text.endswith("0.00") else text


def _explanation_page(
    request: HttpRequest, context: dict[str, Any], status: int = HTTPStatus.OK
) -> HttpResponse:
    part = request.headers.get("HX-Request") == "true"
    template = "files/_explanation.html" if part else "files/result_explanation.html"
    return render(request, template, context, status=status)


LISTED = 200  # results on the page


@require_safe
@open_to_visitors
def own_results(request: HttpRequest) -> HttpResponse:
    owner = owner_of(request)
    if settings.GRADE_A_FILE != "sign-in" or owner is None:
        raise Http404
    return render(request, "files/mine.html", {"jobs": list(jobs_of(owner)[:LISTED])})


@post_only
@open_to_visitors
def keep(request: HttpRequest, key: str) -> HttpResponse:
    job = done_or_404(request, key)
    form = RetentionForm(request.POST)
    if form.is_valid():
        keep_result(job=job, name=form.cleaned_data["name"], days=form.cleaned_data["days"])
    return redirect(f"{job.get_absolute_url()}#keeping")


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
    job = job_or_404(request, key)
    cancel_job(job=job)
    response: HttpResponse = redirect(job)
    return response


def state_of(job: Job) -> dict[str, Any]:
    """What a page says of a job that waits or runs; `mark` is another one as soon as that has changed."""
    ahead = place_in_queue(job) if job.state == Job.State.QUEUED else 0
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
    Job.State.DONE: page,
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
