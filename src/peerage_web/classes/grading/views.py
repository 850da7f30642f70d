"""Grading: the runs, one run with the students' grades, settings, comparison, a grade set by hand."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from peerage_web.classes.access import allowed, page
from peerage_web.classes.assignments.services import change_assignment
from peerage_web.classes.grading import queries, services
from peerage_web.classes.grading.comparison import compare_runs
from peerage_web.classes.grading.distribution import distribution_of
from peerage_web.classes.grading.final_grades import FinalGrade, final_grades
from peerage_web.classes.grading.forms import OverrideForm, PlanForm
from peerage_web.classes.grading.inputs import FEWEST_ANCHORS, inputs_of
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.grading.queries import (
    grades_by_hand,
    last_run,
    name_of,
    names_of_submissions,
    others_than,
    override_history,
    plan_of,
    staff_figures,
    without_grade,
)
from peerage_web.classes.grading.results import draw_run
from peerage_web.classes.grading.services import change_plan
from peerage_web.classes.grading.staff_grades import set_grade, unset_grade
from peerage_web.classes.grading.texts import letter_in_words
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.models import Submission
from peerage_web.classes.submissions.queries import authors_of
from peerage_web.files.models import Job
from peerage_web.files.views.result import parts_of, state_of
from peerage_web.sandbox.contract.jobs import RESULT_FILES
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import refusal_as_message, refusal_on

PER_PAGE = 25
STUDENTS_PER_PAGE = 50
INPUTS = ("feedback.csv", "roster.csv", "anchors.csv")


@allowed(Action.SEE_GRADES)
def runs(request: HttpRequest, here: RequestScope) -> HttpResponse:
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
def start(request: HttpRequest, here: RequestScope) -> HttpResponse:
    try:
        run = services.start_run(assignment=here.assignment, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("grading", here.course.key, here.assignment.key)
    if run.drawn_at is not None:
        text = _("Nothing has changed since run %(number)s, so its grades still apply.")
        messages.info(request, text % {"number": run.number})
    return _to(here, run)


@allowed(Action.SEE_GRADES)
def run(request: HttpRequest, here: RequestScope) -> HttpResponse:
    run: GradingRun = here.objects["run"]
    draw_run(run=run)
    if run.job.is_active or (run.job.state == Job.State.DONE and run.drawn_at is None):
        return page(request, here, "grading/progress", run=run, **state_of(run.job))
    if run.drawn_at is None:
        return page(request, here, "grading/problem", run=run, problem=run.job.problem)
    grades = final_grades(run)
    context: dict[str, Any] = {
        "run": run,
        "job": run.job,
        "listed": Paginator(grades, STUDENTS_PER_PAGE).get_page(request.GET.get("page")),
        "spread": distribution_of(run, grades),
        "has_points": any(grade.points is not None for grade in grades),
        "plan": plan_of(here.assignment),
        "fewest": FEWEST_ANCHORS,
        "weights": run.plan,
        "parts": parts_of(run.job),
        "is_approved": queries.approved_run(here.assignment) == run,
        "others": queries.others_than(run),
        "without": without_grade(run),
        "files": sorted(RESULT_FILES.values(), key=lambda file: file.for_programs),
        "inputs": [name for name in INPUTS if (run.job.folder / "input" / name).is_file()],
    }
    return page(request, here, "grading/run", **context)


@allowed(Action.SEE_GRADES)
def progress(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """How far it is: the part of the page that changes; nothing new is answered with nothing."""
    run: GradingRun = here.objects["run"]
    draw_run(run=run)
    if not run.job.is_active:
        if request.headers.get("HX-Request") != "true":
            return _to(here, run)
        return HttpResponseClientRefresh()
    state: dict[str, Any] = {**state_of(run.job), "run": run, "course": here.course}
    if request.GET.get("seen") == state["mark"]:
        return HttpResponse(status=204)
    return render(request, "grading/_progress.html", {**state, "assignment": here.assignment})


@allowed(Action.GRADE, "POST")
def cancel(request: HttpRequest, here: RequestScope) -> HttpResponse:
    run: GradingRun = here.objects["run"]
    services.cancel_run(run=run, by=here.person)
    return _to(here, run)


@allowed(Action.APPROVE_RUN, "POST")
def approve(request: HttpRequest, here: RequestScope) -> HttpResponse:
    run: GradingRun = here.objects["run"]
    with refusal_as_message(request):
        services.approve_run(run=run, by=here.person)
        text = _("Run %(number)s is approved. Students do not see its grades until they are released.")
        messages.success(request, text % {"number": run.number})
        return redirect("release", here.course.key, here.assignment.key)
    return _to(here, run)


def _to(here: RequestScope, run: GradingRun) -> HttpResponse:
    return redirect("grading-run", here.course.key, here.assignment.key, run.key)


# -- The plan: how an assignment is graded -------------------------------------------------------------


@allowed(Action.EDIT_GRADING, "GET", "POST")
def plan(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Method, scale, letters, weights; appeals and survey have their switches here, too."""
    form = PlanForm.of(plan_of(here.assignment), request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            _save(here, form)
            messages.success(request, _("Saved. It will apply to the next grading run."))
            return redirect("grading-plan", here.course.key, here.assignment.key)
    return page(request, here, "grading/plan", 422 if form.errors else 200, form=form)


def _save(here: RequestScope, form: PlanForm) -> None:
    with transaction.atomic():  # both, or nothing
        fields = dict(form.cleaned_data)
        change_assignment(
            assignment=here.assignment, by=here.person, review_weight=fields.pop("review_weight")
        )
        change_plan(assignment=here.assignment, by=here.person, **fields)


# -- Two runs side by side -----------------------------------------------------------------------------


@allowed(Action.SEE_GRADES)
def compare(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """`?with=`: the number of an earlier run; who moved since, how far, and why."""
    run: GradingRun = here.objects["run"]
    others = others_than(run)
    if run.drawn_at is None or not others:
        return redirect("grading-run", here.course.key, here.assignment.key, run.key)
    wanted = request.GET.get("with", "")
    before = next((other for other in others if str(other.number) == wanted), others[0])
    return page(
        request,
        here,
        "grading/compare",
        run=run,
        before=before,
        others=others,
        compared=compare_runs(before, run),
        names=names_of_submissions(here.assignment),
    )


# -- Setting one grade by hand -------------------------------------------------------------------------


@allowed(Action.OVERRIDE, "GET", "POST")
def override(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Set the grade of one submission by hand, or take that back; every one that ever stood is listed."""
    submission: Submission = here.objects["submission"]
    members = (
        [(member.pk, member.shown_name) for member in authors_of(submission).members]
        if submission.team
        else []
    )
    sent = request.POST if request.method == "POST" and "withdraw" not in request.POST else None
    plan = plan_of(here.assignment)
    letters = [(letter, letter_in_words(letter)) for letter in grades_by_hand(plan)]
    form = OverrideForm(sent, members=members, letters=letters)
    if request.method == "POST" and "withdraw" in request.POST:
        return _withdraw(request, here, submission)
    if sent is not None and form.is_valid():
        with refusal_on(form):
            _set(here, submission, form)
            text = _("The grade of %(name)s has been set by hand.") % {"name": name_of(submission)}
            messages.success(request, text)
            return redirect("grading-override", here.course.key, here.assignment.key, submission.pk)
    run = last_run(here.assignment)
    context = {
        "form": form,
        "submission": submission,
        "name": name_of(submission),
        "run": run,
        "grade": run.grades.filter(submission=submission).first() if run is not None else None,
        "history": override_history(submission),
        "plan": plan,
        "is_standing_only": not plan.gives_points and not letters,
        "final": _finals(run, submission),
    }
    return page(request, here, "grading/override", 422 if form.errors else 200, **context)


def _set(here: RequestScope, submission: Submission, form: OverrideForm) -> None:
    values = form.cleaned_data
    chosen = values["member"]
    authors = authors_of(submission).members
    member = next((author for author in authors if author.pk == chosen), None) if chosen is not None else None
    set_grade(
        submission=submission,
        by=here.person,
        points=values.get("points"),
        letter=values.get("letter", ""),
        reason=values["reason"],
        membership=member,
    )


def _withdraw(request: HttpRequest, here: RequestScope, submission: Submission) -> HttpResponse:
    wanted = request.POST.get("withdraw", "")
    for override in override_history(submission):
        if str(override.pk) == wanted and override.withdrawn_at is None:
            unset_grade(override=override, by=here.person)
            messages.success(request, _("The grade from the run applies again."))
    return redirect("grading-override", here.course.key, here.assignment.key, submission.pk)


def _finals(run: GradingRun | None, submission: Submission) -> list[FinalGrade]:
    """What those who made it get now."""
    return [grade for grade in final_grades(run) if grade.submission == submission] if run is not None else []
