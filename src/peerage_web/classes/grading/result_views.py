"""What the library wrote for a run, and the page on which staff grade and rank submissions themselves."""

import gzip
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import FileResponse, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerage.errors import DataError
from peerage_web.classes.access import allowed, page
from peerage_web.classes.grading import staff_grades
from peerage_web.classes.grading.forms import PointsForm
from peerage_web.classes.grading.inputs import FEWEST_ANCHORS
from peerage_web.classes.grading.models import GradingPlan, GradingRun
from peerage_web.classes.grading.queries import StaffReviewRow, plan_of, submissions_to_review
from peerage_web.classes.names import file_name
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.models import Submission
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
    stem, _dot, ending = name.partition(".")
    shown = file_name(run.assignment, f"run-{run.number}-{stem}", ending)
    return FileResponse(path.open("rb"), as_attachment=True, filename=shown, content_type=kind)


@allowed(Action.SEE_GRADES)
def grade_rows(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    """Every row of the table of grades, where it is too long for the page."""
    return _rows(request, here, "grades")


@allowed(Action.SEE_GRADES)
def grader_rows(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
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
    """`?item=`: what each review did to a submission, by grading again without it."""
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
    messages.info(request, _("This run has no such file."))
    return redirect("grading-run", here.course.key, here.assignment.key, here.objects["run"].key)


# -- Staff reviews: submissions where one helps most first, with a grade or an order of their own ------


PER_PAGE = 25
PLACES = 20  # of a staff order
SHOWN = 40  # submissions offered at once for an order


@allowed(Action.GRADE_AS_STAFF, "GET", "POST", keeps_typed=True)
def staff_reviews(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Submissions, those first where a staff review helps most; all that was typed is saved, or nothing."""
    run, rows = submissions_to_review(here.assignment, here.person.pk)
    problem = ""
    if request.method == "POST":
        plan = plan_of(here.assignment)
        changed = [row for row in rows if _take_typed(row, request.POST, plan)]
        number = request.POST.get("withdraw")
        withdrawn = [row.submission for row in rows if str(row.submission.pk) == number]
        if not any(row.problem for row in changed):
            try:
                _save_typed(request, here, changed, withdrawn)
            except Refused as error:
                problem = str(error)
            else:
                return redirect("grading-staff-reviews", here.course.key, here.assignment.key)
    return _staff_reviews_page(request, here, run, rows, problem)


def _take_typed(row: StaffReviewRow, sent: QueryDict, plan: GradingPlan) -> bool:
    """Put what was sent into the row, and whether it says something new; `problem` says why it cannot."""
    number, before = row.submission.pk, (row.points, row.reason)
    row.points = sent.get(f"points-{number}", row.points).strip()
    row.reason = sent.get(f"reason-{number}", row.reason).strip()
    if (row.points, row.reason) == before or sent.get("withdraw") == str(number):
        return False
    form = PointsForm({"points": row.points, "reason": row.reason})
    if not form.is_valid():
        row.problem = str(next(iter(next(iter(form.errors.values())))))
        return True
    try:
        staff_grades.refuse_beyond(form.cleaned_data["points"], plan)
    except Refused as error:
        row.problem = str(error)
    return True


def _save_typed(
    request: HttpRequest, here: RequestScope, changed: list[StaffReviewRow], withdrawn: list[Submission]
) -> None:
    with transaction.atomic():
        for row in changed:
            staff_grades.grade_submission(
                submission=row.submission, by=here.person, points=float(row.points), reason=row.reason
            )
        for submission in withdrawn:
            if staff_grades.withdraw_grade(submission=submission, by=here.person):
                messages.success(request, _("Your staff grade has been withdrawn."))
    if changed:
        text = ngettext(
            "%(count)d staff grade is saved. It will count in the next grading run.",
            "%(count)d staff grades are saved. They will count in the next grading run.",
            len(changed),
        )
        messages.success(request, text % {"count": len(changed)})


@allowed(Action.GRADE_AS_STAFF, "GET", "POST", keeps_typed=True)
def ranking(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Put some submissions in order; the order counts as one more list of feedback."""
    problem = ""
    _run, rows = submissions_to_review(here.assignment, here.person.pk)
    if request.method == "POST":
        try:
            if "withdraw" in request.POST:
                staff_grades.withdraw_ranking(assignment=here.assignment, by=here.person)
                messages.success(request, _("Your ranking has been withdrawn."))
            else:
                tiers = _tiers(request, rows)
                staff_grades.rank_submissions(assignment=here.assignment, by=here.person, tiers=tiers)
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


def _tiers(request: HttpRequest, rows: list[StaffReviewRow]) -> list[list[int]]:
    """Places from the form, as somebody chose them; a submission that is not on the page keeps its own."""
    places: dict[int, list[int]] = {}
    for row in rows:
        text = request.POST.get(f"place-{row.submission.pk}")
        place = row.place if text is None else int(text) if text.isascii() and text.isdigit() else None
        row.place = place
        if place:
            places.setdefault(place, []).append(row.submission.pk)
    return [places[place] for place in sorted(places)]


def _staff_reviews_page(
    request: HttpRequest, here: RequestScope, run: GradingRun | None, rows: list[StaffReviewRow], problem: str
) -> HttpResponse:
    graded = sum(bool(row.staff) for row in rows)
    is_wrong = bool(problem) or any(row.problem for row in rows)
    context = {
        "run": run,
        "listed": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "graded": graded,
        "missing": max(0, FEWEST_ANCHORS - graded),
        "fewest": FEWEST_ANCHORS,
        "plan": plan_of(here.assignment),
        "problem": problem or (_("Nothing is saved yet. Check the points below.") if is_wrong else ""),
    }
    return page(request, here, "grading/staff_reviews", 422 if is_wrong else 200, **context)
