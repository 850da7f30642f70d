"""What the library wrote for a run: report, files, long tables, and why a work stands where it stands."""

from __future__ import annotations

import gzip
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from peerage.errors import DataError
from peerage_web.classes.models import GradingRun
from peerage_web.classes.rules import Action
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.files.services.explanations import explain_job_item
from peerage_web.files.views.result import arrange_explanation
from peerage_web.sandbox.contract.errors import SandboxError, describe_problem
from peerage_web.sandbox.contract.jobs import RESULT_CONTENT_TYPES, read_result_parts, result_rows_file
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal

INPUTS = ("feedback.csv", "roster.csv", "anchors.csv")


@allowed(Action.SEE_GRADES)
def report(request: HttpRequest, here: Here) -> HttpResponseBase:
    """The library's report, in a sandbox as on the pages for files."""
    run: GradingRun = here.objects["run"]
    path = run.job.results / "report.html"
    if run.drawn_at is None or not path.is_file():
        return _gone(request, here)
    policy = read_result_parts(run.job.results)["policy"]
    headers = {"Content-Security-Policy": f"sandbox allow-scripts; {policy}; frame-ancestors 'none'"}
    return FileResponse(path.open("rb"), content_type=RESULT_CONTENT_TYPES[path.name], headers=headers)


@allowed(Action.SEE_GRADES)
def file(request: HttpRequest, here: Here) -> HttpResponseBase:
    """`?name=`: one of the files, as the library wrote it, or one of the inputs."""
    run: GradingRun = here.objects["run"]
    name = request.GET.get("name", "")
    if name in INPUTS:
        path, kind = run.job.folder / "input" / name, "text/csv; charset=utf-8"
    elif name in RESULT_CONTENT_TYPES and run.drawn_at is not None:
        path, kind = run.job.results / name, RESULT_CONTENT_TYPES[name]
    else:
        return _gone(request, here)
    if not path.is_file():
        return _gone(request, here)
    shown = f"run-{run.number}-{name}"
    return FileResponse(path.open("rb"), as_attachment=True, filename=shown, content_type=kind)


@allowed(Action.SEE_GRADES)
def grade_rows(request: HttpRequest, here: Here) -> HttpResponseBase:
    """Every row of the table of grades, where it is too long for the page."""
    return _rows(request, here, "grades")


@allowed(Action.SEE_GRADES)
def grader_rows(request: HttpRequest, here: Here) -> HttpResponseBase:
    """Every row of the table of graders."""
    return _rows(request, here, "graders")


def _rows(request: HttpRequest, here: Here, table: str) -> HttpResponseBase:
    run: GradingRun = here.objects["run"]
    path = result_rows_file(run.job.results, table)
    if not path.is_file():
        return _gone(request, here)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers = {"Content-Encoding": "gzip"}
        return FileResponse(path.open("rb"), content_type="application/json", headers=headers)
    return FileResponse(gzip.open(path), content_type="application/json")


@allowed(Action.SEE_GRADES)
def explain(request: HttpRequest, here: Here) -> HttpResponse:
    """`?item=`: what each review did to a work, by grading again without it."""
    run: GradingRun = here.objects["run"]
    item, task = request.GET.get("item", ""), request.GET.get("task")
    if run.drawn_at is None or not item or not _has(run.job.results / "run.json"):
        return _gone(request, here)
    context: dict[str, Any] = {"item": item, "task": task, "run": run}
    status: int = HTTPStatus.OK
    try:
        context |= arrange_explanation(explain_job_item(job=run.job, item=item, task=task))
    except Refused as refused:
        return mark_refusal(_explained(request, here, {**context, "problem": str(refused)}, status), refused)
    except SandboxError as error:
        context["problem"], status = describe_problem(error)["detail"], HTTPStatus.UNPROCESSABLE_ENTITY
    except DataError:
        return _gone(request, here)
    return _explained(request, here, context, status)


def _explained(request: HttpRequest, here: Here, context: dict[str, Any], status: int) -> HttpResponse:
    if request.headers.get("HX-Request") == "true":
        return render(request, "files/_explanation.html", context, status=status)
    return page(request, here, "grading/explanation", status, **context)


def _has(path: Path) -> bool:
    return path.is_file()


def _gone(request: HttpRequest, here: Here) -> HttpResponse:
    """Back to the run, which says what there is."""
    messages.info(request, _("This run has no such file."))
    return redirect("grading-run", here.course.key, here.assignment.key, here.objects["run"].key)
