"""What the library wrote for a run, and the page on which staff grade and rank submissions themselves."""

from __future__ import annotations

import gzip
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from peerage.errors import DataError
from peerage_web.classes.access import allowed, page
from peerage_web.classes.grading import staff_grades
from peerage_web.classes.grading.forms import PointsForm
from peerage_web.classes.grading.inputs import FEWEST_ANCHORS
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.grading.queries import WorkRow, plan_of, works_to_judge
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.models import Work
from peerage_web.files.services.explanations import explain_job_item
from peerage_web.files.views.result import arrange_explanation
from peerage_web.sandbox.contract.errors import SandboxError, describe_problem
from peerage_web.sandbox.contract.jobs import RESULT_CONTENT_TYPES, read_result_parts, result_rows_file
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal

INPUTS = ("feedback.csv", "roster.csv", "anchors.csv")


@allowed(Action.SEE_GRADES)
def report(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    """The library's report, in a sandbox as on the pages for files."""
    run: GradingRun = here.objects["run"]
    path = run.job.results / "report.html"
    if run.drawn_at is None or not path.is_file():
        return _gone(request, here)
    policy = read_result_parts(run.job.results)["policy"]
    headers = {"Content-Security-Policy": f"sandbox allow-scripts; {policy}; frame-ancestors 'none'"}
    return FileResponse(path.open("rb"), content_type=RESULT_CONTENT_TYPES[path.name], headers=headers)


@allowed(Action.SEE_GRADES)
def file(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
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
def grade_rows(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    """Every row of the table of grades, where it is too long for the page."""
    return _rows(request, here, "grades")


@allowed(Action.SEE_GRADES)
def grader_rows(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    """Every row of the table of graders."""
    return _rows(request, here, "graders")


def _rows(request: HttpRequest, here: RequestScope, table: str) -> HttpResponseBase:
    run: GradingRun = here.objects["run"]
    path = result_rows_file(run.job.results, table)
    if not path.is_file():
        return _gone(request, here)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers = {"Content-Encoding": "gzip"}
        return FileResponse(path.open("rb"), content_type="application/json", headers=headers)
    return FileResponse(gzip.open(path), content_type="application/json")


@allowed(Action.SEE_GRADES)
def explain(request: HttpRequest, here: RequestScope) -> HttpResponse:
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


def _explained(
    request: HttpRequest, here: RequestScope, context: dict[str, Any], status: int
) -> HttpResponse:
    if request.headers.get("HX-Request") == "true":
        return render(request, "files/_explanation.html", context, status=status)
    return page(request, here, "grading/explanation", status, **context)


def _has(path: Path) -> bool:
    return path.is_file()


def _gone(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Back to the run, which says what there is."""
    messages.info(request, _("This run has no such file."))
    return redirect("grading-run", here.course.key, here.assignment.key, here.objects["run"].key)


# -- Staff look at works: where it helps most first, with a grade or an order of their own -------------


PER_PAGE = 25
PLACES = 20  # of a staff order
SHOWN = 40  # works offered at once for an order


@allowed(Action.JUDGE_WORKS)
def look(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Works, those first where a look helps most."""
    return _look_page(request, here)


@allowed(Action.JUDGE_WORKS, "POST", keeps_typed=True)
def grade(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Say what a work is worth."""
    work: Work = here.objects["work"]
    form = PointsForm(request.POST)
    if not form.is_valid():
        return _look_page(request, here, 422, wrong=work.pk, problem=_first_error(form))
    try:
        staff_grades.grade_work(work=work, by=here.person, **form.cleaned_data)
    except Refused as error:
        return _look_page(request, here, 422, wrong=work.pk, problem=str(error))
    messages.success(request, _("Saved. It will count in the next grading run."))
    return redirect("grading-look", here.course.key, here.assignment.key)


def _first_error(form: PointsForm) -> str:
    return str(next(iter(next(iter(form.errors.values())))))


@allowed(Action.JUDGE_WORKS, "POST")
def withdraw(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Take one's own grade back."""
    try:
        if staff_grades.withdraw_grade(work=here.objects["work"], by=here.person):
            messages.success(request, _("Your staff grade has been withdrawn."))
    except Refused as error:
        messages.error(request, str(error))
    return redirect("grading-look", here.course.key, here.assignment.key)


@allowed(Action.JUDGE_WORKS, "GET", "POST", keeps_typed=True)
def ranking(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Put some works in order; the order counts as one more list of feedback."""
    problem = ""
    _run, rows = works_to_judge(here.assignment, here.person.pk)
    if request.method == "POST":
        try:
            if "withdraw" in request.POST:
                staff_grades.withdraw_ranking(assignment=here.assignment, by=here.person)
                messages.success(request, _("Your ranking has been withdrawn."))
            else:
                bins = _bins(request, rows)
                staff_grades.rank_works(assignment=here.assignment, by=here.person, bins=bins)
                messages.success(request, _("Saved. It will count in the next grading run."))
        except Refused as error:
            problem = str(error)
        else:
            return redirect("grading-ranking", here.course.key, here.assignment.key)
    context = {
        "rows": rows[:SHOWN],
        "left_out": max(0, len(rows) - SHOWN),
        "places": range(1, min(PLACES, len(rows)) + 1),
        "problem": problem,
        "has_order": any(row.place for row in rows),
    }
    return page(request, here, "grading/ranking", 422 if problem else 200, **context)


def _bins(request: HttpRequest, rows: list[WorkRow]) -> list[list[int]]:
    """Places from the form, as somebody chose them; a work that is not on the page keeps its own."""
    places: dict[int, list[int]] = {}
    for row in rows:
        given = request.POST.get(f"place-{row.work.pk}")
        place = row.place if given is None else int(given) if given.isascii() and given.isdigit() else None
        row.place = place
        if place:
            places.setdefault(place, []).append(row.work.pk)
    return [places[place] for place in sorted(places)]


def _look_page(
    request: HttpRequest, here: RequestScope, status: int = 200, wrong: int = 0, problem: str = ""
) -> HttpResponse:
    run, rows = works_to_judge(here.assignment, here.person.pk)
    graded = sum(bool(row.staff) for row in rows)
    context = {
        "run": run,
        "listed": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "graded": graded,
        "missing": max(0, FEWEST_ANCHORS - graded),
        "fewest": FEWEST_ANCHORS,
        "plan": plan_of(here.assignment),
        "wrong": wrong,
        "problem": problem,
        "typed": request.POST if problem else {},
    }
    return page(request, here, "grading/staff_reviews", status, **context)
