"""Grading runs: the list, starting, following, cancelling, approving one, and what it says."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from peerage_web.classes.models import GradingRun
from peerage_web.classes.queries.grading import runs as queries
from peerage_web.classes.queries.grading.plans import plan_of
from peerage_web.classes.queries.grading.tables import staff_figures, without_grade
from peerage_web.classes.rules import Action
from peerage_web.classes.services.grading import runs as services
from peerage_web.classes.services.grading.drawing import draw_run
from peerage_web.classes.services.grading.inputs import FEWEST_ANCHORS, inputs_of
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.files.models import Job
from peerage_web.files.views.job import state_of
from peerage_web.files.views.result import parts_of
from peerage_web.sandbox.contract.jobs import RESULT_FILES
from peerage_web.shared.errors import Refused

PER_PAGE = 25
INPUTS = ("feedback.csv", "roster.csv", "anchors.csv")


@allowed(Action.SEE_GRADES)
def runs(request: HttpRequest, here: Here) -> HttpResponse:
    """All runs, and what the next one would be made from."""
    for run in queries.undrawn(here.assignment):
        draw_run(run=run)
    listed = Paginator(queries.runs_of(here.assignment), PER_PAGE).get_page(request.GET.get("page"))
    last = queries.last_run(here.assignment)
    now = inputs_of(here.assignment)
    context: dict[str, Any] = {
        "listed": listed,
        "last": last,
        "approved": queries.approved_run(here.assignment),
        "inputs": now,
        "has_changed": last is not None and last.inputs_sha256 != now.sha256,
        "settings_changed": last is not None and not services.is_planned(last),
        "staff": staff_figures(here.assignment),
        "fewest": FEWEST_ANCHORS,
        "plan": plan_of(here.assignment),
    }
    return page(request, here, "grading/runs", **context)


@allowed(Action.GRADE, "POST")
def start(request: HttpRequest, here: Here) -> HttpResponse:
    """Grade the class as it is now."""
    try:
        run = services.start_run(assignment=here.assignment, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("grading", here.course.key, here.assignment.key)
    if run.drawn_at is not None:
        text = _("Nothing has changed since run %(number)s, so these are the grades.")
        messages.info(request, text % {"number": run.number})
    return _to(here, run)


@allowed(Action.SEE_GRADES)
def run(request: HttpRequest, here: Here) -> HttpResponse:
    """One run: how far it is, why it failed, or what it says."""
    one: GradingRun = here.objects["run"]
    draw_run(run=one)
    if one.job.is_active or (one.job.state == Job.State.DONE and one.drawn_at is None):
        return page(request, here, "grading/progress", run=one, **state_of(one.job))
    if one.drawn_at is None:
        return page(request, here, "grading/problem", run=one, problem=one.job.problem)
    context: dict[str, Any] = {
        "run": one,
        "job": one.job,
        "parts": parts_of(one.job),
        "is_approved": queries.approved_run(here.assignment) == one,
        "others": queries.others_than(one),
        "without": without_grade(one),
        "files": sorted(RESULT_FILES.values(), key=lambda file: file.for_programs),
        "inputs": [name for name in INPUTS if (one.job.folder / "input" / name).is_file()],
    }
    return page(request, here, "grading/run", **context)


@allowed(Action.SEE_GRADES)
def progress(request: HttpRequest, here: Here) -> HttpResponse:
    """How far it is: the part of the page that changes; nothing new is answered with nothing."""
    one: GradingRun = here.objects["run"]
    draw_run(run=one)
    if not one.job.is_active:
        if request.headers.get("HX-Request") != "true":
            return _to(here, one)
        return HttpResponseClientRefresh()
    state: dict[str, Any] = {**state_of(one.job), "run": one, "course": here.course}
    if request.GET.get("seen") == state["mark"]:
        return HttpResponse(status=204)
    return render(request, "classes/grading/_progress.html", {**state, "assignment": here.assignment})


@allowed(Action.GRADE, "POST")
def cancel(request: HttpRequest, here: Here) -> HttpResponse:
    """Stop it."""
    one: GradingRun = here.objects["run"]
    services.cancel_run(run=one, by=here.person)
    return _to(here, one)


@allowed(Action.APPROVE_RUN, "POST")
def approve(request: HttpRequest, here: Here) -> HttpResponse:
    """These are the grades that a release shows."""
    one: GradingRun = here.objects["run"]
    try:
        services.approve_run(run=one, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
    else:
        text = _("Run %(number)s is approved. Students see nothing of it before grades are released.")
        messages.success(request, text % {"number": one.number})
    return _to(here, one)


def _to(here: Here, one: GradingRun) -> HttpResponse:
    return redirect("grading-run", here.course.key, here.assignment.key, one.key)
