"""A file that waits to be graded: how it is read, what the pre-flight says, how to grade."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django_htmx.http import HttpResponseClientRefresh

from peerage.reading.reading import Reading
from peerage_web.files.forms import GradingForm, ReadingForm
from peerage_web.files.models import Job
from peerage_web.files.readings import reading_from_text
from peerage_web.files.services.drafts import (
    add_file,
    draft_again,
    forget_rejected_form,
    keep_rejected_form,
    preview_job,
    save_options,
)
from peerage_web.files.services.jobs import start_job
from peerage_web.files.views import preview_parts
from peerage_web.files.views.access import job_or_404, open_to_visitors, post_only
from peerage_web.sandbox.contract.errors import READING_CHARACTERS
from peerage_web.sandbox.contract.jobs import EMPTY_PREVIEW, JobOptions
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import refused
from peerage_web.shared.visitors import visitor_of

FILES = ("roster", "anchors")


def page(request: HttpRequest, job: Job) -> HttpResponse:
    options = JobOptions.from_dict(job.options)
    if job.filled is None:
        return _page(request, job, options, GradingForm.from_options(options))
    form = GradingForm(job.filled["fields"])
    form.is_valid()
    if job.filled["said"]:
        form.add_error(None, job.filled["said"])
    return _page(request, job, options, form)


@post_only
@open_to_visitors
def preview(request: HttpRequest, key: str) -> HttpResponse:
    """Read the file again as the visitor says; the part of the page that changes, or all of it."""
    job = job_or_404(request, key)
    if job.state != Job.State.DRAFT:
        return _to_where_it_is(request, job)
    options, form = _filled_in(request, job)
    try:
        _keep_files(job, form)
    except Refused as error:
        return _not_kept(request, key, error)
    save_options(job=job, options=options)
    forget_rejected_form(job=job)
    if not _by_htmx(request):
        return _to(job)
    return _page(request, job, options, form, template="files/_reading_answer.html")


@post_only
@open_to_visitors
def again(request: HttpRequest, key: str) -> HttpResponse:
    job = job_or_404(request, key)
    try:
        return _to(draft_again(job=job, visitor=visitor_of(request)))
    except Refused as error:
        return refused(request, error)


@post_only
@open_to_visitors
def grade(request: HttpRequest, key: str) -> HttpResponse:
    """Start, if everything can be meant; else back to the page, which says what is wrong.

    Always by way of the page's own address: whoever goes back in the browser's history finds pages there,
    and no forms to be sent once more.
    """
    job = job_or_404(request, key)
    if job.state != Job.State.DRAFT:
        return _to(job)
    before = JobOptions.from_dict(job.options)
    options, form = _filled_in(request, job)
    try:
        changed = _keep_files(job, form) or options.reading != before.reading
    except Refused as error:
        return _not_kept(request, key, error)
    save_options(job=job, options=options)
    forget_rejected_form(job=job)
    filled = {name: request.POST[name] for name in form.fields if name in request.POST}
    if not form.is_valid():
        keep_rejected_form(job=job, fields=filled)
    elif not (changed and _preview_or_problem(job, options)["problem"]):
        try:
            start_job(job=job, options=options)
        except Refused as error:
            keep_rejected_form(job=job, fields=filled, reason=str(error))
    return _to(job)


def _filled_in(request: HttpRequest, job: Job) -> tuple[JobOptions, GradingForm]:
    """What the visitor has said so far, on top of what was known."""
    before = JobOptions.from_dict(job.options)
    grading = GradingForm(request.POST, request.FILES)
    grading.is_valid()
    return replace(grading.options(before), reading=_said(request, before.reading)), grading


def _said(request: HttpRequest, before: Reading) -> Reading:
    """The reading that was chosen among those offered, whole; else what the form says."""
    if "reading" in request.POST:
        with suppress(ValueError):  # no button of ours
            return reading_from_text(request.POST["reading"][:READING_CHARACTERS])
        return before
    form = ReadingForm(request.POST)
    form.is_valid()  # fills in what can be meant; the library answers for the rest
    return form.reading(before)


def _keep_files(job: Job, form: GradingForm) -> bool:
    """Store the roster and the staff grades that came with the form; whether anything changed."""
    changed = False
    for kind in FILES:
        upload = form.cleaned_data.get(kind)
        if upload or (form.cleaned_data.get(f"{kind}_gone") and getattr(job, f"{kind}_name")):
            add_file(job=job, kind=kind, upload=upload or None)
            changed = True
    return changed


def _preview_or_problem(job: Job, options: JobOptions) -> dict[str, Any]:
    """What is in the file; where the service is too busy to look, that is the problem."""
    try:
        return preview_job(job=job, options=options)
    except Refused as error:
        problem = {"code": "busy", "title": "The file was not looked at yet", "detail": str(error)}
        return {**EMPTY_PREVIEW, "problem": {**problem, "problems": []}}


def _page(
    request: HttpRequest,
    job: Job,
    options: JobOptions,
    form: GradingForm,
    *,
    template: str = "files/setup.html",
) -> HttpResponse:
    preview = _preview_or_problem(job, options)
    context = {
        "job": job,
        "form": form,
        "wrong": [field for field in form if field.errors],
        "found": preview,
        "is_open": preview_parts.is_open(preview),
        # it stays open for whoever changes something in it
        "changing": _by_htmx(request) and request.htmx.trigger == "reading",  # type: ignore[attr-defined]
        **_reading_context(preview, options.reading),
    }
    return render(request, template, context)


def _reading_context(preview: dict[str, Any], reading: Reading) -> dict[str, Any]:
    problem, inspection = preview["problem"], preview["inspection"]
    context: dict[str, Any] = {}
    if preview_parts.is_open(preview):
        context |= {"questions": preview_parts.questions(problem), **preview_parts.readings(problem)}
    if preview["preflight"]:
        context["figures"] = preview_parts.figures(preview["preflight"]["counts"])
    if inspection is not None:
        context |= {
            "facts": preview_parts.facts(preview),
            "table": preview_parts.table(preview),
            "lines": preview_parts.lines(inspection),
            "reading_form": ReadingForm.from_reading(
                reading, inspection, is_read=preview["reading"] is not None
            ),
        }
    return context


def _not_kept(request: HttpRequest, key: str, error: Refused) -> HttpResponse:
    """A file was refused: there is no space for it, or the job was started meanwhile."""
    job = job_or_404(request, key)
    return refused(request, error) if job.state == Job.State.DRAFT else _to_where_it_is(request, job)


def _to_where_it_is(request: HttpRequest, job: Job) -> HttpResponse:
    """The page of a job that is no draft any more."""
    return HttpResponseClientRefresh() if _by_htmx(request) else _to(job)


def _by_htmx(request: HttpRequest) -> bool:
    return bool(request.htmx)  # type: ignore[attr-defined]


def _to(job: Job) -> HttpResponse:
    response: HttpResponse = redirect(job)
    return response
